#include "glibc_patches/verdict_samples.h"

#include <cmath>
#include <utility>

namespace glibc_patches {
namespace {

SpeedCellResult CellOf(uint64_t size, double change) {
  SpeedCellResult result;
  result.cell = {
      "__memset_evex_unaligned_erms",
      "of this machine",
      {true, size, kernels::Alignment::kAligned, kernels::Regime::kHot, 1},
      0};
  result.interval = {std::log1p(change - 0.01), std::log1p(change),
                     std::log1p(change + 0.01)};
  result.base_cycles = 40;
  result.patched_cycles = 40 * (1 + change);
  result.processes = 12;
  result.judgement =
      change > 0.05 ? SpeedJudgement::kSlower : SpeedJudgement::kSame;
  result.p_value = change > 0.05 ? 0.0005 : 1;
  result.excludes_regression = change < 0.03;
  result.patched_samples.assign(12, std::log1p(change));
  result.control_samples.assign(12, 0);
  return result;
}

// Three quarters of the time in the first cell.
WeighedSpeed WeighedCells(const SpeedResult& speed) {
  WeighedSpeed weighed;
  weighed.workload = "service";
  weighed.provenance = "stated by hand";
  weighed.cells = {{0.75, true}, {0.2, true}};
  WorkloadChange change;
  change.kind = "evex_unaligned_erms";
  change.calls = "memset";
  const double log_ratio =
      std::log1p((0.75 * std::expm1(speed.cells[0].interval.middle) +
                  0.2 * std::expm1(speed.cells[1].interval.middle)) /
                 0.95);
  change.interval = {log_ratio - 0.002, log_ratio, log_ratio + 0.002};
  change.control = {-0.001, 0.0005, 0.002};
  change.judgement =
      log_ratio > 0.01 ? SpeedJudgement::kSlower : SpeedJudgement::kSame;
  change.measured = 0.95;
  change.processes = 12;
  weighed.changes = {change};
  return weighed;
}

CheckResult CheckOf(const std::string& id) {
  CheckResult check;
  check.id = id;
  check.variant = "patched: __memset_evex_unaligned_erms";
  check.status = CheckStatus::kPassed;
  check.calls = 1000;
  check.seconds = 0.5;
  return check;
}

}  // namespace

Verdict SampleAccept() {
  Verdict verdict;
  verdict.patches = {"memset.patch"};
  verdict.base = "glibc-2.36";
  verdict.release = "2.36";
  verdict.files.kernel_files = {
      "sysdeps/x86_64/multiarch/memset-vec-unaligned-erms.S"};
  verdict.files.other_files = {"NEWS"};
  verdict.changed = {"__memset_avx512_unaligned_erms",
                     "__memset_evex_unaligned_erms"};
  verdict.checks = {CheckOf("content"), CheckOf("coverage")};
  verdict.checks[1].coverage = BlockCoverage{13, 24, {}};
  verdict.speed = SpeedResult{
      {CellOf(24, 0), CellOf(1536, 0.001)}, 0.008, 0.01, 0, 18, 0.001};
  verdict.regimes = {"buffers in use", "caches beyond L2"};
  verdict.regime_gaps = {
      {{"memory", "destination read back"}, {}, "not with --quick"},
      {{"all CPUs copying"}, {"__memset_evex_unaligned_erms"}, "one CPU only"}};
  verdict.weighed = WeighedCells(*verdict.speed);
  verdict.build_seconds = 4.5;
  verdict.check_seconds = 3.25;
  verdict.speed_seconds = 9;
  return verdict;
}

Verdict SampleWrong() {
  Verdict verdict = SampleAccept();
  verdict.speed = std::nullopt;
  verdict.skipped = {{"__memset_avx512_unaligned_erms", "needs AVX512VL"}};
  CheckResult& check = verdict.checks[0];
  check.status = CheckStatus::kFailed;
  ReproducingCall call = {};
  call.variant = check.variant;
  call.function = kernels::Function::kMemset;
  call.size = 32;
  call.value = 0;
  check.findings = {
      {"content", "byte 31 of the destination is 0xa7, expected 0x00", call}};
  return verdict;
}

Verdict SampleSlower() {
  Verdict verdict = SampleAccept();
  verdict.unmeasured = {{"__memset_avx512_unaligned_erms",
                         "needs AVX512VL: checked under qemu-x86_64 -cpu max"}};
  verdict.speed->cells[1] = CellOf(1536, 0.12);
  verdict.weighed = WeighedCells(*verdict.speed);
  return verdict;
}

Verdict SampleThresholdFault() {
  Verdict verdict = SampleAccept();
  verdict.files.threshold_files = {"sysdeps/x86/dl-cacheinfo.h"};
  ThresholdResult result;
  result.judged_files = verdict.files.threshold_files;
  result.code_differs = true;
  result.cpus = 67;
  result.runs = 1092;
  result.rows = {
      {{}, {{"non_temporal_threshold", "16448", "0"}}, {"gvisor_intel"}},
      {{},
       {{"memmove", "__memmove_avx_unaligned", "__memmove_ssse3"},
        {"shared_cache_size", "1048576", "25165824"}},
       {"amd_a", "amd_b", "amd_c", "amd_d", "amd_e"}},
      {{"glibc.cpu.x86_rep_stosb_threshold=1",
        "glibc.cpu.x86_rep_stosb_threshold=2"},
       {{"rep_stosb_threshold", "as set", "2048"}},
       {"amd_a"}}};
  result.faults = {{"",
                    "copies of 257 to 16447 bytes corrupt memory: "
                    "non_temporal_threshold is 0, the floor of the paged copy "
                    "16448",
                    {"gvisor_intel"}}};
  result.base_faulty_cpus = 2;
  result.repaired_cpus = 1;
  result.seconds = 2.5;
  verdict.thresholds = std::move(result);
  return verdict;
}

Verdict SampleSlowerWithoutWeight() {
  Verdict verdict = SampleSlower();
  verdict.weighed.cells[1] = {0, false};
  verdict.weighed.changes[0].interval = {-0.002, 0, 0.002};
  verdict.weighed.changes[0].judgement = SpeedJudgement::kSame;
  verdict.weighed.changes[0].measured = 0.96;
  return verdict;
}

std::map<std::string, Verdict> SampleVerdicts() {
  return {{"accept", SampleAccept()},
          {"slower", SampleSlower()},
          {"slower_without_weight", SampleSlowerWithoutWeight()},
          {"threshold_fault", SampleThresholdFault()},
          {"wrong", SampleWrong()}};
}

}  // namespace glibc_patches
