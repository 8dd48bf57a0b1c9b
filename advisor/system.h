// What a recommendation is about: a CPU or guest, and the glibc on it. Either
// this machine, or a recorded dump with a release that is asked for.

#ifndef ADVISOR_SYSTEM_H_
#define ADVISOR_SYSTEM_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/sysfs_witness.h"
#include "advisor/cpu/witness_disagreement.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "advisor/report.h"

namespace advisor {

struct System {
  // "this machine", or the dump's name.
  std::string origin;
  bool is_this_machine = false;
  CpuidTable cpuid;
  CpuModel cpu;
  // Of this machine only.
  SysfsWitness sysfs;
  std::vector<WitnessDisagreement> disagreements;
  std::optional<InstalledLibc> libc;
  // nullopt: the loader cannot tell (before 2.33), or could not be asked;
  // loader_problem then says why.
  std::optional<LoaderAnswer> loader;
  std::string loader_problem;

  GlibcBuild build = GlibcBuild::Tag(kLastRelease);
  // What the dump could not tell, and its oddities.
  std::vector<std::string> notes;
  // GLIBC_TUNABLES of the environment, or as asked for.
  std::string glibc_tunables;
  // Of `build` on `cpuid` under `glibc_tunables`.
  Prediction prediction;
  // In force: the loader's where it tells, else predicted.
  EffectiveThresholds thresholds;
};

// This machine, with the libc that a program here uses. Errors are one line
// about what cannot be read.
absl::StatusOr<System> InspectThisMachine(const FileReader& files,
                                          const Subprocess& subprocess,
                                          const Environment& environment);

// This machine's CPU, but another glibc.
absl::StatusOr<System> InspectOtherGlibc(const FileReader& files,
                                         const Environment& environment,
                                         const GlibcBuild& build);

// What `path` tells of a machine, in any format of advisor/input; of a hybrid
// CPU the first kind of core. InvalidArgument where leaves are not told that
// glibc reads.
absl::StatusOr<System> InspectDump(const FileReader& files,
                                   absl::string_view path,
                                   const GlibcBuild& build,
                                   absl::string_view glibc_tunables);

MachineSummary SummariseMachine(const System& system);
GlibcSummary SummariseGlibc(const System& system);

}  // namespace advisor

#endif  // ADVISOR_SYSTEM_H_
