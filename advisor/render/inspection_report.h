// The answer of `inspect`, complete before a renderer sees it.

#ifndef ADVISOR_RENDER_INSPECTION_REPORT_H_
#define ADVISOR_RENDER_INSPECTION_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/sysfs_witness.h"
#include "advisor/cpu/witness_disagreement.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/prediction.h"

namespace advisor {

struct FeatureFact {
  FeatureState state;
  // Why it cannot be used; empty where it can.
  std::string why_not;
  // Variant selection or thresholds of some release look at it.
  bool matters = false;
};

// A number that the kernels of this build read.
struct ThresholdFact {
  std::string name;  // "x86_non_temporal_threshold", as glibc spells it
  bool is_tunable = true;
  // nullopt: not told, or the build has none.
  std::optional<uint64_t> listed;
  std::optional<uint64_t> predicted;

  bool differs() const {
    return listed.has_value() && predicted.has_value() && listed != predicted;
  }
};

// One item of GLIBC_TUNABLES, or of the hwcaps mask in it.
struct TunableFact {
  std::string item;     // "glibc.cpu.x86_rep_movsb_threshold=2000", "-AVX2"
  std::string outcome;  // "in force", "unknown name: ignored"
  bool in_force = false;
};

// A kind of core and what glibc makes of it.
struct CoreInspection {
  // "core (CPU 0-7)"; empty where all are of one kind.
  std::string name;
  CpuModel cpu;
  std::vector<FeatureFact> features;  // by FeatureTable
  // nullopt: no build, or none that the model covers.
  std::optional<Prediction> prediction;
  // Usable, and yet not used by that build.
  std::vector<std::string> features_glibc_ignores;
  std::vector<ThresholdFact> thresholds;
  std::vector<TunableFact> tunables;
};

struct GlibcInspection {
  // As installed here; nullopt for a build that was asked for.
  std::optional<InstalledLibc> libc;
  // "2.36-9+deb12u14"; empty where the model covers no such build.
  std::string build;
  // What a reader must know about the build; usually empty.
  std::string note;
  // Why there is no libc, no build, or no listing of its loader's. Each a
  // line.
  std::vector<std::string> problems;
  // Some thresholds are listed.
  bool is_listed = false;
  // Listed for no core: the file tells of none.
  std::vector<ThresholdFact> thresholds;
  // Standard error of the loader's.
  std::string loader_warnings;
  // nullopt: not set.
  std::optional<std::string> tunables;
};

struct Inspection {
  std::string tool_version;
  std::string origin;  // "this machine", or the file
  // Of a file: "cpuid -r".
  std::string format;
  // What the file could not tell, its contradictions, and other facts.
  std::vector<std::string> notes;
  // False: a file of a format that lacks the leaves about caches and topology,
  // so that their absence means nothing.
  bool caches_told = true;
  // Empty for a file that tells of no CPU.
  std::vector<CoreInspection> cores;
  // nullopt for a file.
  std::optional<SysfsWitness> sysfs;
  std::vector<WitnessDisagreement> disagreements;
  // nullopt: a file, and no build was asked for.
  std::optional<GlibcInspection> glibc;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_INSPECTION_REPORT_H_
