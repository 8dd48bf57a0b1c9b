// What goes wrong with glibc's memory functions on a CPU: crashes, hangs,
// cliffs, and numbers that rest on nothing. One row of hazard_table.cc for each
// problem.

#ifndef ADVISOR_EVIDENCE_HAZARD_H_
#define ADVISOR_EVIDENCE_HAZARD_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/guest_configuration.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "advisor/report.h"

namespace advisor {

// A machine, a build on it, and what the model says of the two. The CPUID
// source tells every leaf that glibc reads; nothing may be concluded of a
// partial one.
struct HazardFacts {
  const CpuidSource& cpuid;
  const CpuModel& cpu;  // Of `cpuid`.
  const GlibcBuild& build;
  // Of `cpuid` and `build`, under `glibc_tunables`.
  const Prediction& prediction;
  absl::string_view glibc_tunables;
  // CPUs that the machine has, where known.
  std::optional<int> cpus;
};

// In order of severity.
enum class Consequence {
  kDoubtful,    // a number rests on something that cannot be right
  kPartlySlow,  // slow for some sizes or alignments
  kCliff,       // slow by a multiple, for most sizes
  kCrashes,     // memory is corrupted
  kHangs,       // no program gets to main
};
// "doubtful", "partly slow", "cliff", "crashes", "hangs".
absl::string_view ConsequenceName(Consequence consequence);
Severity SeverityOf(Consequence consequence);

// Why, with the CPUID fields.
struct HazardCause {
  std::string text;  // A clause: "HTT is clear: no sharers are counted".
  // "leaf:subleaf:register[bits]", as in Step.
  std::vector<std::string> fields;
  // What a hypervisor would have to set otherwise; empty on bare metal's own
  // account.
  std::vector<GuestSetting> settings;
};

struct HazardRow {
  absl::string_view id;
  // A hazard has gone when no row of its group applies: a slow release may be
  // followed by one that crashes.
  absl::string_view group;
  Consequence consequence;
  bool (*applies)(const HazardFacts& facts);
  // What happens: a sentence without its full stop.
  std::string (*title)(const HazardFacts& facts);
  HazardCause (*cause)(const HazardFacts& facts);
  // What to set against it, as names and values; empty where no tunable helps.
  std::vector<std::pair<std::string, std::string>> (*tunables)(
      const HazardFacts& facts);
  // Public: a bug, a commit, a report.
  absl::string_view reference;
  // Files of testdata/cpuid (and a build) that trigger it, and that must not.
  absl::string_view fixture;
  absl::string_view fixture_build;
  absl::string_view neighbour;
  absl::string_view neighbour_build;
};

// Most severe first.
absl::Span<const HazardRow> AllHazards();

// The rows that apply, most severe first.
std::vector<const HazardRow*> ApplicableHazards(const HazardFacts& facts);

// An applicable row, with everything that a reader needs.
struct Hazard {
  std::string id;
  Consequence consequence = Consequence::kDoubtful;
  std::string title;
  HazardCause cause;
  // The whole value for GLIBC_TUNABLES, that which is there merged in; checked:
  // with it the model finds no hazard of the group. Empty: no tunable helps.
  std::string glibc_tunables;
  // The builds from which it is gone: the branch tip of the same release, the
  // first later package of the same distribution, the first release after which
  // it does not come back. Computed for this CPUID; empty: not by the last;
  // nullopt: not computed.
  std::optional<std::vector<std::string>> gone_from;
  std::string reference;
};

// Most severe first.
std::vector<Hazard> DescribeHazards(const HazardFacts& facts);

// For a report, whose recommendation says what to set. `is_guest` decides
// whether hypervisor settings are named.
Finding HazardFinding(const Hazard& hazard, bool is_guest);
// The same sentences apart: "QEMU: ...; libvirt: ..." for each setting, and
// "gone from 2.33 and 2.28+branch".
std::vector<std::string> HypervisorRemedies(const Hazard& hazard);
std::string GoneFrom(const Hazard& hazard);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_HAZARD_H_
