#include "advisor/measurement/workload_result.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

using ::kernels::Cell;
using ::kernels::ContrastResult;
using ::kernels::Interval;
using ::kernels::Study;

// Sizes with less of the time than this may go without a proof.
constexpr double kMayBeUnproved = 0.0005;
constexpr double kNearOctaves = 1.01;

const ProofSubject* SubjectOf(const std::vector<ProofSubject>& subjects,
                              bool is_memset) {
  for (const ProofSubject& subject : subjects) {
    if (subject.is_memset == is_memset) return &subject;
  }
  return nullptr;
}

bool IsTouched(const std::vector<ProofSubject>& subjects, bool is_memset,
               uint64_t size) {
  const ProofSubject* subject = SubjectOf(subjects, is_memset);
  return subject != nullptr && subject->before(size) != subject->after(size);
}

// The proof's results of sizes that are touched and took the path that is
// recommended when they were measured.
std::vector<const ContrastResult*> TouchedResults(
    const std::vector<ProofSubject>& subjects, const Study& proof) {
  std::vector<const ContrastResult*> results;
  for (const ContrastResult& result : proof.results) {
    const Cell& cell = result.contrast.cell;
    if (result.contrast.candidate != kWithSide ||
        !IsTouched(subjects, cell.is_memset, cell.size)) {
      continue;
    }
    const ProofSubject& subject = *SubjectOf(subjects, cell.is_memset);
    if (subject.measured != nullptr &&
        subject.measured(cell.size) != subject.after(cell.size)) {
      continue;
    }
    if (subject.weight != nullptr && subject.weight(cell) <= 0) continue;
    results.push_back(&result);
  }
  return results;
}

double WeightIn(const std::vector<ProofSubject>& subjects, const Cell& cell) {
  const ProofSubject& subject = *SubjectOf(subjects, cell.is_memset);
  return subject.weight != nullptr ? subject.weight(cell) : WeightOf(cell);
}

// log ratio of each process, by function and size.
using Gains = std::map<std::pair<bool, uint64_t>, std::vector<double>>;

Gains GainsOf(const std::vector<ProofSubject>& subjects, const Study& proof,
              bool several) {
  Gains sums;
  std::map<std::pair<bool, uint64_t>, double> weights;
  for (const ContrastResult* result : TouchedResults(subjects, proof)) {
    const Cell& cell = result->contrast.cell;
    if ((cell.copiers > 1) != several || result->log_ratios.empty()) continue;
    const std::pair<bool, uint64_t> key = {cell.is_memset, cell.size};
    const double weight = WeightIn(subjects, cell);
    std::vector<double>& sum = sums[key];
    if (sum.empty()) sum.resize(result->log_ratios.size());
    sum.resize(std::min(sum.size(), result->log_ratios.size()));
    for (size_t i = 0; i < sum.size(); ++i) {
      sum[i] += weight * result->log_ratios[i];
    }
    weights[key] += weight;
  }
  for (auto& [key, sum] : sums) {
    for (double& value : sum) value /= weights[key];
  }
  return sums;
}

const std::vector<double>* Nearest(const Gains& gains, bool is_memset,
                                   uint64_t size) {
  const std::vector<double>* nearest = nullptr;
  double least = kNearOctaves;
  for (const auto& [key, values] : gains) {
    if (key.first != is_memset) continue;
    const double distance =
        std::abs(std::log2(static_cast<double>(size)) -
                 std::log2(static_cast<double>(key.second)));
    if (distance >= least) continue;
    least = distance;
    nearest = &values;
  }
  return nearest;
}

std::optional<WorkloadSummary::Ratio> RatioOf(
    const std::vector<SizeShare>& mix,
    const std::vector<ProofSubject>& subjects, const Gains& gains) {
  if (gains.empty()) return std::nullopt;
  size_t processes = SIZE_MAX;
  for (const auto& [key, values] : gains) {
    processes = std::min(processes, values.size());
  }
  std::vector<double> times(processes, 1);
  for (const SizeShare& share : mix) {
    if (!IsTouched(subjects, share.is_memset, share.size)) continue;
    const std::vector<double>* near =
        Nearest(gains, share.is_memset, share.size);
    if (near == nullptr) {
      if (ShareNear(mix, share.is_memset, share.size) < kMayBeUnproved) {
        continue;
      }
      return std::nullopt;
    }
    for (size_t i = 0; i < processes; ++i) {
      times[i] += share.share * std::expm1((*near)[i]);
    }
  }
  for (double& time : times) time = std::log(time);
  const Interval interval = kernels::MeanInterval(times, 0.95);
  return WorkloadSummary::Ratio{std::exp(interval.middle),
                                std::exp(interval.low),
                                std::exp(interval.high)};
}

std::string WorstCell(const std::vector<const ContrastResult*>& results) {
  const ContrastResult* worst = nullptr;
  double most = 0;
  for (const ContrastResult* result : results) {
    const double middle = result->interval(0.95).middle;
    if (worst != nullptr && middle <= most) continue;
    worst = result;
    most = middle;
  }
  if (worst == nullptr) return "";
  const Cell& cell = worst->contrast.cell;
  const Interval interval = worst->interval(0.95);
  return absl::StrFormat(
      "%s %d bytes, %s, %s%s: %.2f [%.2f, %.2f]",
      cell.is_memset ? "memset" : "memcpy", cell.size,
      kernels::RegimeName(cell.regime), kernels::AlignmentName(cell.alignment),
      cell.copiers > 1 ? absl::StrCat(", ", cell.copiers, " copiers") : "",
      std::exp(interval.middle), std::exp(interval.low),
      std::exp(interval.high));
}

}  // namespace

WorkloadSummary SummariseWorkload(const Workload& workload,
                                  const std::vector<SizeShare>& mix,
                                  const std::vector<ProofSubject>& subjects,
                                  const Study* proof) {
  WorkloadSummary summary;
  summary.name = workload.name;
  summary.provenance = workload.Describe();
  summary.calls = workload.calls();
  double calls = 0, bytes = 0;
  for (const FunctionSizes& function : workload.functions) {
    for (const SizeCount& row : function.sizes) {
      if (!IsTouched(subjects, function.is_memset(), row.mean())) continue;
      calls += static_cast<double>(row.calls);
      bytes += static_cast<double>(row.bytes);
    }
  }
  const auto share = [](double part, uint64_t whole) {
    return whole == 0 ? 0 : part / static_cast<double>(whole);
  };
  summary.touched_calls = share(calls, workload.calls());
  summary.touched_bytes = share(bytes, workload.bytes());
  if (proof == nullptr || subjects.empty() || proof->processes < 2) {
    return summary;
  }
  summary.one_copier =
      RatioOf(mix, subjects, GainsOf(subjects, *proof, /*several=*/false));
  summary.several_copiers =
      RatioOf(mix, subjects, GainsOf(subjects, *proof, /*several=*/true));
  summary.worst_cell = WorstCell(TouchedResults(subjects, *proof));
  return summary;
}

}  // namespace advisor
