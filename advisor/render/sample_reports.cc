#include "advisor/render/sample_reports.h"

#include <cmath>

#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

constexpr uint64_t kKiB = 1024;
constexpr uint64_t kMiB = 1024 * kKiB;

MachineSummary Zen5Guest() {
  MachineSummary machine;
  machine.origin = "this machine";
  machine.vendor = "AuthenticAMD";
  machine.brand = "Oxide Virtual Turin-like Processor";
  machine.microarchitecture = "Zen 5";
  machine.family = 26;
  machine.model = 2;
  machine.stepping = 1;
  machine.hypervisor = "bhyve";
  machine.cpus = 2;
  machine.caches = {
      {"L1d", 48 * kKiB, std::nullopt, "CPUID 0x80000005"},
      {"L2", kMiB, std::nullopt, "CPUID 0x80000006"},
      {"L3", 508 * kMiB, std::nullopt, "CPUID 0x80000006"},
      {"L1d", 48 * kKiB, 1, "sysfs"},
      {"L3", 32 * kMiB, 2, "sysfs"},
  };
  machine.kernel = "6.1.0-37-amd64";
  return machine;
}

GlibcSummary Glibc236() {
  const std::string source = "ld.so --list-tunables";
  GlibcSummary glibc;
  glibc.release = "2.36";
  glibc.revision = "2.36-9+deb12u14";
  glibc.loader = "/lib64/ld-linux-x86-64.so.2";
  glibc.memmove_variant = "evex_unaligned_erms";
  glibc.memset_variant = "avx512_unaligned_erms";
  glibc.thresholds = {
      {"x86_non_temporal_threshold", 127 * kMiB, true, source},
      {"x86_rep_movsb_threshold", 2112, true, source},
      {"rep_movsb_stop_threshold", 127 * kMiB + 1, false, "predicted"},
      {"x86_rep_stosb_threshold", 2048, true, source},
      {"x86_memset_non_temporal_threshold", std::nullopt, true, source},
  };
  return glibc;
}

Proof MovsbProof() {
  Proof proof;
  proof.holds = true;
  proof.summary = "Copies of 2 to 24 KiB are faster, nothing is slower.";
  proof.processes = 12;
  proof.noise_floor = 0.02;
  proof.steal = 0.001;
  proof.touched_ratio = 0.571;
  proof.all_ratio = 0.845;
  const auto add = [&proof](const std::string& function, uint64_t size,
                            const std::string& alignment, double ratio,
                            CellVerdict verdict) {
    ProofCell cell;
    cell.function = function;
    cell.size = size;
    cell.alignment = alignment;
    cell.regime = "hot";
    cell.ratio = ratio;
    cell.low = ratio - 0.012;
    cell.high = ratio + 0.013;
    cell.cycles_before = static_cast<double>(size) / 16;
    cell.cycles_after = cell.cycles_before * ratio;
    cell.verdict = verdict;
    proof.cells.push_back(cell);
  };
  add("memcpy", kKiB, "aligned", 1.004, CellVerdict::kEquivalent);
  add("memcpy", 4 * kKiB, "aligned", 0.712, CellVerdict::kFaster);
  add("memcpy", 16 * kKiB, "aligned", 0.655, CellVerdict::kFaster);
  add("memcpy", 64 * kKiB, "aligned", 0.998, CellVerdict::kCannotTell);
  add("memcpy", 4 * kKiB, "misaligned-destination", 0.4, CellVerdict::kFaster);
  add("memset", 4 * kKiB, "aligned", 1.031, CellVerdict::kSlower);
  return proof;
}

Report Zen5Set() {
  Report report;
  report.date = absl::FromUnixSeconds(1700000000);
  report.tool_version = "0.1.0";
  report.measure = "quick";
  report.method = "variants of the source 2.36-9+deb12u14 side by side";
  report.measuring_time = absl::Milliseconds(14250);
  report.machine = Zen5Guest();
  report.glibc = Glibc236();
  report.findings = {
      {"l3-size-implausible",
       Severity::kWarning,
       "CPUID claims an L3 of 508 MiB, more than this processor has.",
       "glibc computes x86_non_temporal_threshold from it.",
       {"CPUID 0x80000006:0:edx[31:18] = 1016", "sysfs: 32 MiB"}},
      {"string-instructions-measured",
       Severity::kInformation,
       "`rep movsb` loses to the vector loop from 2112 bytes to 24 KiB.",
       "",
       {}},
  };
  report.recommendation.verdict = Verdict::kSet;
  report.recommendation.tunables = {{"glibc.cpu.x86_rep_movsb_threshold",
                                     24 * kKiB, 2112,
                                     "The vector loop is faster below."}};
  report.recommendation.string = "glibc.cpu.x86_rep_movsb_threshold=24576";
  report.recommendation.validity.releases = "2.32 to 2.42";
  report.recommendation.reason =
      "Copies between 2112 bytes and 24 KiB take 0.57 of their time.";
  report.proof = MovsbProof();
  return report;
}

Report KeepDefaults() {
  Report report = Zen5Set();
  report.findings.clear();
  report.method = "the running libc through child processes";
  report.glibc.tunables_in_environment = "glibc.malloc.check=0";
  report.recommendation = {};
  report.recommendation.string = "glibc.malloc.check=0";
  report.recommendation.reason =
      "No setting is faster by more than the noise floor of 2%.";
  report.proof->holds = false;
  report.proof->summary = "The best candidate gained nothing.";
  report.proof->cells.resize(2);
  return report;
}

Report IvyBridgeDump() {
  Report report;
  report.date = absl::FromUnixSeconds(1700000000);
  report.tool_version = "0.1.0";
  report.measure = "off";
  report.machine.origin = "guest.txt";
  report.machine.vendor = "GenuineIntel";
  // What a broken dump may hold.
  report.machine.brand = "Intel(R) Xeon(R) \x1b[31mE7 v2 \xff";
  report.machine.microarchitecture = "Ivy Bridge";
  report.machine.family = 6;
  report.machine.model = 62;
  report.machine.stepping = 7;
  report.machine.hypervisor = "KVM";
  report.glibc.release = "2.28";
  report.glibc.note = "Release as tagged; replay the loader to be sure.";
  report.glibc.memmove_variant = "avx_unaligned";
  report.glibc.thresholds = {
      {"x86_non_temporal_threshold", 0, true, "predicted"}};
  report.findings = {
      {"non-temporal-threshold-zero",
       Severity::kCritical,
       "Every copy above 8 vectors bypasses the caches.",
       "HTT is clear, so glibc counts 0 threads and computes 16 MiB * 0 * 3/4 "
       "= 0. More than one core or thread a socket in the guest's topology "
       "cures it too.",
       {"CPUID 1:0:edx[28] = 0", "glibc 2.28, cacheinfo.c"}}};
  report.recommendation.verdict = Verdict::kSet;
  report.recommendation.tunables = {{"glibc.tune.x86_non_temporal_threshold",
                                     12 * kMiB, 0,
                                     "Three quarters of the L3."}};
  report.recommendation.string =
      "glibc.tune.x86_non_temporal_threshold=12582912";
  report.recommendation.validity = {"2.26 to 2.28", "2.33"};
  report.recommendation.reason =
      "With the threshold 0, copies of 1 KiB were measured to take 1503 "
      "instead of 78 cycles on such a guest.";
  return report;
}

MachineSummary EmeraldRapidsGuest() {
  MachineSummary machine;
  machine.origin = "this machine";
  machine.host = "node17";
  machine.vendor = "GenuineIntel";
  machine.brand = "Intel(R) Xeon(R) Processor";
  machine.microarchitecture = "Emerald Rapids";
  machine.family = 6;
  machine.model = 207;
  machine.stepping = 2;
  machine.hypervisor = "KVM";
  machine.cpus = 2;
  machine.caches = {{"L1d", 48 * kKiB, 2, "CPUID 0x4:0"},
                    {"L2", 2 * kMiB, 2, "CPUID 0x4:2"},
                    {"L3", 260 * kMiB, 2, "CPUID 0x4:3"}};
  machine.kernel = "6.18.44-fc-v657";
  return machine;
}

// As a 2-CPU Emerald Rapids guest with a busy neighbour shows it.
CacheTruth NeighbourTakesTheL3() {
  CacheTruth caches;
  caches.pages = "huge pages";
  struct Step {
    double bytes;
    double nanoseconds;
  };
  constexpr Step kSteps[] = {
      {48.0 * kKiB, 1.4}, {2.0 * kMiB, 4.6}, {24.0 * kMiB, 31}, {1e18, 118}};
  for (double size = 4 * kKiB; size <= 512 * kMiB; size *= std::sqrt(2)) {
    // Part of the loads still hits the level that became too small.
    double time = kSteps[0].nanoseconds;
    for (size_t i = 1; i < std::size(kSteps); ++i) {
      const double below = kSteps[i - 1].bytes;
      if (size <= below) break;
      const double missed = 1 - std::pow(below / size, 2);
      time += (kSteps[i].nanoseconds - kSteps[i - 1].nanoseconds) * missed;
    }
    caches.curve.push_back({static_cast<uint64_t>(std::llround(size)),
                            std::round(time * 100) / 100});
  }
  caches.levels = {{"L1d", 48 * kKiB, 48 * kKiB, false},
                   {"L2", 2 * kMiB, 2000000, false},
                   {"L3", 260 * kMiB, 24 * kMiB, true}};
  return caches;
}

WorkloadSummary CompilerWorkload() {
  WorkloadSummary workload;
  workload.name = "compiler";
  workload.provenance =
      "GCC 12.2 on 300 files of C++, Debian 12, Emerald Rapids, 2026-11-02";
  workload.calls = 48217733;
  workload.touched_calls = 0.0061;
  workload.touched_bytes = 0.65;
  workload.one_copier = {0.942, 0.931, 0.955};
  workload.several_copiers = {0.918, 0.897, 0.94};
  workload.worst_cell =
      "memcpy of 8 MiB, read back: 1.02 [0.99, 1.05] of the time";
  return workload;
}

// Cycles of a way that costs `start` and then moves so many bytes a cycle from
// L1, L2 and beyond.
TimeCurve Curve(const std::string& function, const std::string& label,
                const std::string& regime, double start, double l1, double l2,
                double beyond) {
  TimeCurve curve;
  curve.function = function;
  curve.label = label;
  curve.regime = regime;
  for (uint64_t size = 256; size <= 64 * kMiB; size *= 2) {
    const double rate = size <= 16 * kKiB ? l1 : size <= kMiB ? l2 : beyond;
    curve.points.push_back(
        {size, std::round(start + static_cast<double>(size) / rate)});
  }
  return curve;
}

Proof WorkloadProof() {
  Proof proof;
  proof.holds = true;
  proof.summary = "Each of the 2 settings holds for itself.";
  proof.processes = 7;
  proof.noise_floor = 0.0056;
  proof.steal = 0.00078;
  proof.touched_ratio = 0.83;
  proof.all_ratio = 0.91;
  const auto add = [&proof](const std::string& function, uint64_t size,
                            const std::string& regime, int copiers,
                            double ratio, double spread, CellVerdict verdict) {
    ProofCell cell;
    cell.function = function;
    cell.size = size;
    cell.alignment = "misaligned-destination";
    cell.regime = regime;
    cell.copiers = copiers;
    cell.ratio = ratio;
    cell.low = ratio - spread;
    cell.high = ratio + spread;
    cell.cycles_before = static_cast<double>(size) / 16;
    cell.cycles_after = cell.cycles_before * ratio;
    cell.verdict = verdict;
    proof.cells.push_back(cell);
  };
  add("memcpy", 2561, "hot", 1, 0.72, 0.01, CellVerdict::kFaster);
  add("memcpy", 3 * kKiB + 1, "hot", 1, 0.83, 0.01, CellVerdict::kFaster);
  add("memcpy", 8 * kMiB + 1, "rotating", 1, 0.81, 0.03, CellVerdict::kFaster);
  add("memcpy", 12 * kMiB + 1, "rotating", 1, 0.73, 0.04, CellVerdict::kFaster);
  add("memcpy", 8 * kMiB + 1, "read-back", 1, 1.02, 0.03,
      CellVerdict::kCannotTell);
  add("memcpy", 12 * kMiB + 1, "read-back", 1, 0.96, 0.05,
      CellVerdict::kCannotTell);
  add("memcpy", 8 * kMiB + 1, "rotating", 2, 0.67, 0.05, CellVerdict::kFaster);
  add("memset", 2 * kKiB + 1, "hot", 1, 1.031, 0.012, CellVerdict::kSlower);
  add("memset", 4 * kKiB + 1, "hot", 1, 1.001, 0.004, CellVerdict::kEquivalent);
  return proof;
}

Report EverythingMeasured() {
  Report report = Zen5Set();
  report.measure = "full";
  report.measuring_time = absl::Milliseconds(112400);
  report.machine = EmeraldRapidsGuest();
  report.glibc.tunables_in_environment = "glibc.pthread.rseq=0";
  report.glibc.memset_variant = "evex_unaligned_erms";
  report.glibc.thresholds[0].bytes = 99 * kMiB;
  report.glibc.thresholds[2].bytes = 99 * kMiB;
  report.findings = {
      {"l3-larger-than-a-share",
       Severity::kWarning,
       "L3 is claimed to be 260 MiB, this guest gets 24 MiB of it.",
       "Others use the rest. x86_non_temporal_threshold is computed from the "
       "claim.",
       {"CPUID 0x4:3", "latency of dependent loads"}}};
  Recommendation& recommendation = report.recommendation;
  recommendation.tunables = {
      {"glibc.cpu.hwcaps", 0, std::nullopt,
       "No slower in any cell, and no AVX-512 state to save.",
       "-AVX512F,-AVX512VL"},
      {"glibc.cpu.x86_non_temporal_threshold", 8 * kMiB, 99 * kMiB,
       "Copies beyond the L3 that this guest gets are faster."},
      {"glibc.cpu.x86_rep_movsb_threshold", 4 * kKiB, 2112,
       "The vector loop is faster below."}};
  recommendation.string =
      "glibc.pthread.rseq=0:glibc.cpu.hwcaps=-AVX512F,-AVX512VL:"
      "glibc.cpu.x86_non_temporal_threshold=8388608:"
      "glibc.cpu.x86_rep_movsb_threshold=4096";
  recommendation.reason =
      "Proved on the real libc: the sizes that it touches take 0.83 of the "
      "time they took, in the mean.";
  report.proof = WorkloadProof();
  report.caches = NeighbourTakesTheL3();
  report.workload = CompilerWorkload();
  report.masks = {
      {"-AVX512F,-AVX512VL", "avx_unaligned_erms_rtm",
       "avx2_unaligned_erms_rtm", 0.998, 0.991, 1.006,
       CellVerdict::kEquivalent},
      {"-AVX2,-AVX512F,-AVX512VL", "sse2_unaligned_erms", "sse2_unaligned_erms",
       1.21, 1.18, 1.25, CellVerdict::kSlower}};
  report.curves = {
      Curve("memcpy", "rep movsb", "hot", 110, 42, 24, 9.5),
      Curve("memcpy", "vectors", "hot", 12, 31, 19, 7.2),
      Curve("memcpy", "non-temporal", "rotating", 420, 6.1, 6.2, 6.3),
      Curve("memcpy", "rep movsb", "rotating", 310, 8, 7, 4.6),
      Curve("memcpy", "vectors", "rotating", 160, 7.5, 6.5, 4.1),
      Curve("memset", "rep stosb", "hot", 95, 58, 33, 14),
      Curve("memset", "vectors", "hot", 10, 50, 28, 12)};
  return report;
}

// No tunable has such a value; each character means something to some parser.
Report OddEnvironment() {
  Report report = Zen5Set();
  report.glibc.tunables_in_environment = "x.odd.item='a b'\"$HOME`\\%h#{}";
  report.recommendation.string = absl::StrCat(
      report.glibc.tunables_in_environment, ":", report.recommendation.string);
  return report;
}

}  // namespace

std::vector<SampleReport> SampleReports() {
  return {{"everything", EverythingMeasured()},
          {"ivy_bridge_dump", IvyBridgeDump()},
          {"keep_defaults", KeepDefaults()},
          {"odd_environment", OddEnvironment()},
          {"zen5_set", Zen5Set()}};
}

}  // namespace advisor
