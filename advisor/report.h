// The answer of `recommend`, complete before any renderer sees it. Renderers
// only choose words and layout; they decide nothing.

#ifndef ADVISOR_REPORT_H_
#define ADVISOR_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace advisor {

// One level of cache as one source tells it.
struct CacheSummary {
  std::string level;  // "L1d", "L2", "L3"
  uint64_t bytes = 0;
  // Threads that share it; nullopt where the source does not say.
  std::optional<int> sharers;
  std::string source;  // "CPUID 4:3", "CPUID 0x80000006", "sysfs"
};

struct MachineSummary {
  std::string origin;  // "this machine", or the file of a dump
  std::string host;    // its name; empty for a dump
  std::string vendor;  // "GenuineIntel"
  std::string brand;
  std::string microarchitecture;
  int family = 0;
  int model = 0;
  int stepping = 0;
  // "KVM", "bhyve", ...; empty where nothing tells of one.
  std::string hypervisor;
  // CPUs that this process may run on; nullopt for a dump.
  std::optional<int> cpus;
  std::vector<CacheSummary> caches;
  std::string kernel;  // empty for a dump
};

// A value that glibc uses.
struct ThresholdSummary {
  std::string name;  // "x86_non_temporal_threshold", as glibc spells it
  // nullopt: this release has no such value.
  std::optional<uint64_t> bytes;
  bool is_tunable = true;
  std::string source;  // "ld.so --list-tunables", "predicted"
};

struct GlibcSummary {
  std::string release;   // "2.36"
  std::string revision;  // "2.36-9+deb12u14", or empty
  std::string loader;    // path, empty for a prediction
  // What a reader must know about the build; usually empty.
  std::string note;
  // GLIBC_TUNABLES of the environment, empty when not set.
  std::string tunables_in_environment;
  std::string memmove_variant;  // "evex_unaligned_erms"
  std::string memset_variant;
  std::vector<ThresholdSummary> thresholds;
};

enum class Severity { kInformation, kWarning, kCritical };

// One fact worth knowing, with what it rests on.
struct Finding {
  std::string id;  // "non-temporal-threshold-zero": stable, for machines
  Severity severity = Severity::kInformation;
  // One sentence: what is wrong, or what was found.
  std::string title;
  // Sentences: cause, consequence, remedy other than a tunable. May be empty.
  std::string detail;
  // Where it comes from: leaves and registers, measurements, public references.
  std::vector<std::string> evidence;
};

enum class Verdict { kSet, kKeepDefaults };

struct TunableSetting {
  std::string name;  // whole: "glibc.cpu.x86_non_temporal_threshold"
  uint64_t value = 0;
  // What is in force without it.
  std::optional<uint64_t> value_before;
  std::string reason;  // one sentence
  // A value that is no number (a hwcaps mask: "-AVX512F,-AVX512VL"); then
  // `value` says nothing. Empty for numbers.
  std::string text = {};
};

// How far a recommendation reaches beyond the glibc that it was found for.
struct Validity {
  // The releases, of those that the tool knows, where every name in it exists:
  // "2.33 to 2.42". Empty where nothing is set, or a name is not known.
  std::string releases;
  // The first release that computes sound values by itself on the same CPU, and
  // so do all later ones: "2.33". Empty: none does, or it is not known, since
  // the setting was measured.
  std::string obsolete_from;
};

struct Recommendation {
  Verdict verdict = Verdict::kKeepDefaults;
  // Sorted by name; empty for kKeepDefaults.
  std::vector<TunableSetting> tunables;
  // The value for GLIBC_TUNABLES, with what the environment sets already.
  // Empty for kKeepDefaults where the environment sets nothing.
  std::string string;
  // One or two sentences: why this, or why nothing.
  std::string reason;
  Validity validity;
};

enum class CellVerdict { kFaster, kSlower, kEquivalent, kCannotTell };

struct ProofCell {
  std::string function;   // "memcpy", "memset"
  uint64_t size = 0;      // bytes a call
  std::string alignment;  // "aligned", "misaligned-destination", ...
  std::string regime;     // "hot", "rotating", "read-back"
  int copiers = 1;
  // Time with the recommendation / time without: below 1 is faster. 95 %.
  double ratio = 1;
  double low = 1;
  double high = 1;
  // Median cycles a call, without and with.
  double cycles_before = 0;
  double cycles_after = 0;
  CellVerdict verdict = CellVerdict::kCannotTell;
};

// What keeps a proof from saying anything for the recommendation; the worst
// last.
enum class ProofDoubt { kNone, kCannotTell, kHarmful };

// The real libc, in fresh processes, with the recommendation against without.
struct Proof {
  bool holds = false;
  // Of one that does not hold; kNone: the gain is not proved.
  ProofDoubt doubt = ProofDoubt::kNone;
  // Why it does not hold, or what it shows; one sentence.
  std::string summary;
  int processes = 0;
  // Ratios nearer to 1 than this are noise (0.02: 2 %).
  double noise_floor = 0;
  // Share of CPU time that the hypervisor took away meanwhile, 0 to 1.
  double steal = 0;
  // Geometric mean of the ratios over the cells that the recommendation
  // touches, and over all.
  double touched_ratio = 1;
  double all_ratio = 1;
  // By function, regime, alignment, size.
  std::vector<ProofCell> cells;
};

// The time of one dependent load in a working set of some size.
struct LatencyPoint {
  uint64_t bytes = 0;  // of the working set
  double nanoseconds = 0;
};

// A level of cache as CPUID claims it and as the latency curve shows it.
struct MeasuredCache {
  std::string level;  // "L1d", "L2", "L3"
  std::optional<uint64_t> claimed;
  // What this process gets of it, bytes; nullopt: the curve shows no edge.
  std::optional<uint64_t> measured;
  // The claim cannot be true for this process: nothing may be derived from it.
  bool contradicted = false;
};

struct CacheTruth {
  std::string pages;  // "huge pages" or "4 KiB pages"
  // Ascending by size.
  std::vector<LatencyPoint> curve;
  // The time of a load that no cache has.
  double memory_nanoseconds = 0;
  std::vector<MeasuredCache> levels;
};

// What the recommendation does for a stated mix of calls.
struct WorkloadSummary {
  std::string name;        // "compiler", or the file
  std::string provenance;  // which program, machine and date
  uint64_t calls = 0;
  // Shares of calls and of bytes whose path the recommendation changes, 0 to 1.
  double touched_calls = 0;
  double touched_bytes = 0;
  // Time of the whole mix with / without, 95 %; nullopt: not proved.
  struct Ratio {
    double ratio = 1;
    double low = 1;
    double high = 1;
  };
  std::optional<Ratio> one_copier;
  // The same with all CPUs copying at once; nullopt on one CPU.
  std::optional<Ratio> several_copiers;
  // The touched cell with the worst ratio, in words; empty where none is.
  std::string worst_cell;
};

// A mask of features that was tried, whether or not it is recommended.
struct MaskTrial {
  std::string mask;  // "-AVX512F,-AVX512VL"
  std::string memmove_variant;
  std::string memset_variant;
  // Time with / without over the workload, 95 %.
  double ratio = 1;
  double low = 1;
  double high = 1;
  CellVerdict verdict = CellVerdict::kCannotTell;
};

// Time against size of one way through memmove or memset, for plots.
struct TimeCurve {
  std::string function;  // "memcpy", "memset"
  std::string label;     // "vectors", "rep movsb", "non-temporal", a variant
  std::string regime;    // "hot", "rotating"
  struct Point {
    uint64_t size = 0;
    double cycles = 0;
  };
  std::vector<Point> points;
};

struct Report {
  absl::Time date;
  std::string tool_version;
  std::string measure;  // "off", "quick", "full"
  // What was measured: "variants of the source 2.36-9+deb12u14 side by side"
  // or "the running libc through child processes"; empty for "off".
  std::string method;
  absl::Duration measuring_time;
  MachineSummary machine;
  GlibcSummary glibc;
  // Most severe first.
  std::vector<Finding> findings;
  Recommendation recommendation;
  // nullopt when nothing was to be proved, or nothing measured.
  std::optional<Proof> proof;
  // nullopt when not measured.
  std::optional<CacheTruth> caches;
  // nullopt when no workload was named.
  std::optional<WorkloadSummary> workload;
  std::vector<MaskTrial> masks;
  // By function, regime, label; empty when not measured.
  std::vector<TimeCurve> curves;
};

}  // namespace advisor

#endif  // ADVISOR_REPORT_H_
