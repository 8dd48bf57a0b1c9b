#include "advisor/render/sample_reports.h"

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
  report.recommendation.reason =
      "With the threshold 0, copies of 1 KiB were measured to take 1503 "
      "instead of 78 cycles on such a guest.";
  return report;
}

}  // namespace

std::vector<SampleReport> SampleReports() {
  return {{"ivy_bridge_dump", IvyBridgeDump()},
          {"keep_defaults", KeepDefaults()},
          {"zen5_set", Zen5Set()}};
}

}  // namespace advisor
