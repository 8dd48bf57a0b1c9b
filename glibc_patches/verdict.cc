#include "glibc_patches/verdict.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "glibc_patches/thresholds/describe.h"

namespace glibc_patches {
namespace {

constexpr double kToleratedUndecided = 0.05;  // of all cells
constexpr size_t kMostExamples = 20;

bool IsRegression(const SpeedCellResult& cell, const SpeedOptions& options) {
  return cell.judgement == SpeedJudgement::kSlower &&
         cell.interval.middle > std::log1p(options.tolerated);
}

bool IsUndecided(const SpeedCellResult& cell) {
  return !cell.excludes_regression &&
         cell.judgement == SpeedJudgement::kCannotTell;
}

std::string Plural(size_t count, absl::string_view one,
                   absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

std::string DescribeResult(const SpeedCellResult& cell) {
  return absl::StrFormat(
      "%s, %s: %s [%s, %s] (%.1f -> %.1f cycles a call), thresholds %s",
      cell.cell.variant, DescribeCell(cell.cell.cell),
      FormatChange(cell.interval.middle), FormatChange(cell.interval.low),
      FormatChange(cell.interval.high), cell.base_cycles, cell.patched_cycles,
      cell.cell.thresholds);
}

// What the checks say; false: nothing against the patch.
bool AddFindings(Verdict& verdict) {
  size_t failed = 0;
  for (const CheckResult& check : verdict.checks) {
    if (check.status != CheckStatus::kFailed) continue;
    const auto& known = verdict.base_failures;
    if (std::count(known.begin(), known.end(), CheckKey(check)) > 0) continue;
    ++failed;
    for (const CheckFinding& finding : check.findings) {
      std::string line =
          absl::StrCat(check.variant, ": ", finding.id, ": ", finding.what);
      if (finding.call.has_value()) {
        absl::StrAppend(&line, "; call: ", finding.call->Describe());
      }
      verdict.evidence.push_back(std::move(line));
    }
  }
  if (failed == 0) return false;
  verdict.reasons.push_back(absl::StrCat(
      "the patched code is wrong: ",
      Plural(failed, "check of a variant fails", "checks of variants fail")));
  return true;
}

bool AddRegressions(Verdict& verdict) {
  if (!verdict.speed.has_value()) return false;
  std::vector<const SpeedCellResult*> slow;
  for (const SpeedCellResult& cell : verdict.speed->cells) {
    if (IsRegression(cell, verdict.speed_options)) slow.push_back(&cell);
  }
  if (slow.empty()) return false;
  std::sort(slow.begin(), slow.end(),
            [](const SpeedCellResult* a, const SpeedCellResult* b) {
              return a->interval.middle > b->interval.middle;
            });
  verdict.reasons.push_back(absl::StrFormat(
      "the patched code is slower: %s of %d by more than %g %%, the worst by "
      "%s",
      Plural(slow.size(), "cell", "cells"), verdict.speed->cells.size(),
      100 * verdict.speed_options.tolerated,
      FormatChange(slow[0]->interval.middle)));
  if (slow.size() > kMostExamples) slow.resize(kMostExamples);
  for (const SpeedCellResult* cell : slow) {
    verdict.evidence.push_back(DescribeResult(*cell));
  }
  return true;
}

// Threshold code; false: nothing against the patch.
bool AddThresholdFaults(Verdict& verdict) {
  if (!verdict.thresholds.has_value()) return false;
  const ThresholdResult& result = *verdict.thresholds;
  if (!result.not_built.empty()) return false;
  std::set<std::string> cpus;
  for (const ThresholdFault& fault : result.faults) {
    cpus.insert(fault.cpus.begin(), fault.cpus.end());
    verdict.evidence.push_back(
        absl::StrCat(fault.what, fault.tunables.empty() ? "" : ", with ",
                     fault.tunables, " (", DescribeCpus(fault.cpus), ")"));
  }
  if (!cpus.empty()) {
    verdict.reasons.push_back(
        absl::StrCat("the patched threshold code is wrong on ",
                     Plural(cpus.size(), "CPU", "CPUs"), " of ", result.cpus,
                     " where the base is not"));
    return true;
  }
  if (verdict.claim == Claim::kChange && result.rows.empty()) {
    verdict.reasons.push_back(absl::StrCat(
        "the patch claims to change thresholds or selection, but ",
        result.code_differs
            ? absl::StrCat("nothing changes on any of ", result.cpus, " CPUs")
            : "the compiled code is the same"));
    return true;
  }
  if (verdict.claim == Claim::kNoChange && !result.rows.empty()) {
    verdict.reasons.push_back(absl::StrCat(
        "the patch claims to change no threshold and no selection, but ",
        SummarizeThresholds(result)));
    return true;
  }
  return false;
}

void AddThresholdGaps(const Verdict& verdict,
                      std::vector<std::string>& reasons) {
  if (!verdict.thresholds.has_value()) {
    if (verdict.files.threshold_files.empty()) return;
    reasons.push_back(
        absl::StrCat("threshold code is not judged: ",
                     absl::StrJoin(verdict.files.threshold_files, ", ")));
    return;
  }
  const ThresholdResult& result = *verdict.thresholds;
  if (!result.not_built.empty()) {
    reasons.push_back(absl::StrCat(
        "the threshold code cannot be compiled here, ", result.not_built));
    return;
  }
  if (!result.unused_files.empty()) {
    reasons.push_back(absl::StrCat("no threshold or selection of glibc ",
                                   verdict.release, " is made from ",
                                   absl::StrJoin(result.unused_files, ", ")));
  }
  if (result.not_run > 0) {
    reasons.push_back(
        absl::StrCat(Plural(result.not_run, "run", "runs"),
                     " of the threshold code could not be started"));
  }
  if (result.too_many_hangs) {
    reasons.push_back(absl::StrCat("too many runs of the threshold code hang: ",
                                   "stopped after ", result.runs));
  }
  if (result.code_differs && result.rows.empty() &&
      verdict.claim == Claim::kNone) {
    reasons.push_back(absl::StrCat(
        "the compiled threshold code differs, but nothing changes on any of ",
        result.cpus, " CPUs; --claim=no-change says that it need not"));
  }
}

// What was not judged though the patch changes it.
void AddGaps(Verdict& verdict) {
  std::vector<std::string>& reasons = verdict.reasons;
  AddThresholdGaps(verdict, reasons);
  if (!verdict.unused_files.empty()) {
    reasons.push_back(absl::StrCat("no variant of glibc ", verdict.release,
                                   " is made from ",
                                   absl::StrJoin(verdict.unused_files, ", ")));
  }
  if (!verdict.unlisted.empty()) {
    reasons.push_back(absl::StrCat("new symbols have no row in variants.bzl: ",
                                   absl::StrJoin(verdict.unlisted, ", ")));
  }
  const bool none_ran = !verdict.changed.empty() &&
                        verdict.skipped.size() == verdict.changed.size();
  if (none_ran) {
    reasons.push_back(absl::StrCat(
        "this CPU can run none of the ",
        Plural(verdict.changed.size(), "changed variant", "changed variants")));
  }
  const bool none_measured =
      !verdict.unmeasured.empty() &&
      verdict.skipped.size() + verdict.unmeasured.size() ==
          verdict.changed.size();
  if (none_measured) {
    reasons.push_back(absl::StrCat(
        "this CPU cannot measure any of the ",
        Plural(verdict.changed.size(), "changed variant", "changed variants")));
  }
  if (!verdict.speed.has_value()) return;
  const auto& cells = verdict.speed->cells;
  const auto undecided = static_cast<size_t>(
      std::count_if(cells.begin(), cells.end(), IsUndecided));
  if (static_cast<double>(undecided) >
      kToleratedUndecided * static_cast<double>(cells.size())) {
    reasons.push_back(absl::StrFormat(
        "too noisy: in %d of %d cells a slowdown of %g %% cannot be excluded",
        undecided, cells.size(), 100 * verdict.speed_options.tolerated));
  }
}

std::string PraiseThresholds(const ThresholdResult& result) {
  if (!result.code_differs) {
    return "the compiled threshold code is the same";
  }
  return absl::StrCat(
      "no threshold or selection is one that the memory functions cannot work "
      "with: ",
      SummarizeThresholds(result));
}

std::string Praise(const Verdict& verdict) {
  if (verdict.changed.empty()) {
    return "the code of every variant is the same, byte for byte";
  }
  const size_t judged = verdict.changed.size() - verdict.skipped.size();
  std::string text = absl::StrCat(
      "no check of ", Plural(judged, "changed variant", "changed variants"),
      " fails");
  if (verdict.speed.has_value() && !verdict.speed->cells.empty()) {
    absl::StrAppend(
        &text,
        absl::StrFormat(", and none of %d cells is slower by more than %g %%",
                        verdict.speed->cells.size(),
                        100 * verdict.speed_options.tolerated));
  }
  return text;
}

}  // namespace

absl::string_view DecisionName(Decision decision) {
  switch (decision) {
    case Decision::kAccept:
      return "accept";
    case Decision::kReject:
      return "reject";
    case Decision::kInconclusive:
      return "inconclusive";
  }
  return "";
}

std::string CheckKey(const CheckResult& check) {
  return absl::StrCat(check.variant, " ", check.id);
}

std::string FormatChange(double log_ratio) {
  return absl::StrFormat("%+.1f %%", 100 * std::expm1(log_ratio));
}

void Decide(Verdict& verdict) {
  verdict.reasons.clear();
  verdict.evidence.clear();
  const bool wrong = AddFindings(verdict);
  const bool slower = AddRegressions(verdict);
  const bool thresholds = AddThresholdFaults(verdict);
  const size_t against = verdict.reasons.size();
  AddGaps(verdict);
  if (wrong || slower || thresholds) {
    verdict.decision = Decision::kReject;
  } else if (verdict.reasons.size() > against) {
    verdict.decision = Decision::kInconclusive;
  } else {
    verdict.decision = Decision::kAccept;
    if (!verdict.files.kernel_files.empty()) {
      verdict.reasons.push_back(Praise(verdict));
    }
    if (verdict.thresholds.has_value()) {
      verdict.reasons.push_back(PraiseThresholds(*verdict.thresholds));
    }
  }
}

}  // namespace glibc_patches
