#include "glibc_patches/speed_opinion.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace glibc_patches {
namespace {

constexpr double kToleratedUndecided = 0.05;   // of the cells that matter
constexpr double kToleratedUnmeasured = 0.05;  // of the mix's time
constexpr size_t kMostExamples = 20;

bool IsSlow(const SpeedCellResult& cell, const SpeedOptions& options) {
  return cell.judgement == SpeedJudgement::kSlower &&
         cell.interval.middle > std::log1p(options.tolerated);
}

std::string Describe(const SpeedCellResult& cell, const CellWeight& weight) {
  return absl::StrFormat(
      "%s, %s: %s [%s, %s] (%.1f -> %.1f cycles a call), thresholds %s, %s of "
      "the workload's time",
      cell.cell.variant, DescribeCell(cell.cell.cell),
      FormatChange(cell.interval.middle), FormatChange(cell.interval.low),
      FormatChange(cell.interval.high), cell.base_cycles, cell.patched_cycles,
      cell.cell.thresholds, FormatShare(weight.share));
}

std::vector<std::string> DescribeWorst(const SpeedResult& speed,
                                       const WeighedSpeed& weighed,
                                       std::vector<size_t> indexes) {
  std::sort(indexes.begin(), indexes.end(), [&](size_t a, size_t b) {
    return speed.cells[a].interval.middle > speed.cells[b].interval.middle;
  });
  if (indexes.size() > kMostExamples) indexes.resize(kMostExamples);
  std::vector<std::string> lines;
  for (const size_t i : indexes) {
    lines.push_back(Describe(speed.cells[i], weighed.cells[i]));
  }
  return lines;
}

double Worst(const SpeedResult& speed, const std::vector<size_t>& indexes) {
  double worst = 0;
  for (const size_t i : indexes) {
    worst = std::max(worst, speed.cells[i].interval.middle);
  }
  return worst;
}

void AddChanges(const WeighedSpeed& weighed, const SpeedOptions& options,
                SpeedOpinion& opinion) {
  for (const WorkloadChange& change : weighed.changes) {
    const std::string what =
        absl::StrCat(change.calls, " of the workload ", weighed.workload, " (",
                     change.kind, ")");
    if (!change.measured.has_value()) {
      opinion.open.push_back(absl::StrCat("there are no ", what));
      continue;
    }
    if (*change.measured < 1 - kToleratedUnmeasured) {
      opinion.open.push_back(absl::StrFormat(
          "%s of the time in %s is in calls of sizes that were not measured",
          FormatShare(1 - *change.measured), what));
      continue;
    }
    if (change.processes < 2) continue;
    if (IsRegression(change, options)) {
      opinion.against.push_back(
          absl::StrFormat("all %s together are slower: %s [%s, %s]", what,
                          FormatChange(change.interval.middle),
                          FormatChange(change.interval.low),
                          FormatChange(change.interval.high)));
    } else if (std::min(change.interval.high, change.bound) >
               std::log1p(options.tolerated)) {
      opinion.open.push_back(
          absl::StrFormat("too noisy: for all %s together a slowdown of %g %% "
                          "cannot be excluded",
                          what, 100 * options.tolerated));
    }
  }
}

}  // namespace

bool IsRegression(const SpeedCellResult& cell, const CellWeight& weight,
                  bool is_default, const SpeedOptions& options) {
  if (!IsSlow(cell, options)) return false;
  return weight.matters ||
         (is_default && cell.interval.middle > std::log1p(kCliff));
}

bool IsRegression(const WorkloadChange& change, const SpeedOptions& options) {
  return change.judgement == SpeedJudgement::kSlower &&
         change.interval.middle > std::log1p(options.tolerated);
}

SpeedOpinion OpinionOf(const SpeedResult& speed, const WeighedSpeed& weighed,
                       const SpeedOptions& options) {
  SpeedOpinion opinion;
  std::vector<size_t> regressions, weightless;
  size_t mattering = 0, undecided = 0;
  for (size_t i = 0; i < speed.cells.size(); ++i) {
    const SpeedCellResult& cell = speed.cells[i];
    const CellWeight& weight = weighed.cells[i];
    if (IsRegression(cell, weight, weighed.is_default, options)) {
      regressions.push_back(i);
    } else if (IsSlow(cell, options)) {
      weightless.push_back(i);
    }
    if (!weight.matters) continue;
    ++mattering;
    if (!cell.excludes_regression &&
        cell.judgement == SpeedJudgement::kCannotTell) {
      ++undecided;
    }
  }
  if (!regressions.empty()) {
    opinion.against.push_back(absl::StrFormat(
        "the patched code is slower: %d %s of %d by more than %g %%, the worst "
        "by %s",
        regressions.size(), regressions.size() == 1 ? "cell" : "cells",
        speed.cells.size(), 100 * options.tolerated,
        FormatChange(Worst(speed, regressions))));
    opinion.evidence = DescribeWorst(speed, weighed, regressions);
  }
  opinion.slower_without_weight = DescribeWorst(speed, weighed, weightless);
  AddChanges(weighed, options, opinion);
  if (static_cast<double>(undecided) >
      kToleratedUndecided * static_cast<double>(mattering)) {
    opinion.open.push_back(absl::StrFormat(
        "too noisy: in %d of %d cells that matter a slowdown of %g %% cannot "
        "be excluded",
        undecided, mattering, 100 * options.tolerated));
  }
  if (mattering > 0) {
    opinion.praise = absl::StrFormat(
        "none of %d %s for the workload %s is slower by more than %g %%",
        mattering, mattering == 1 ? "cell that matters" : "cells that matter",
        weighed.workload, 100 * options.tolerated);
  }
  return opinion;
}

}  // namespace glibc_patches
