#include "glibc_patches/verdict.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "glibc_patches/speed_opinion.h"
#include "glibc_patches/thresholds/describe.h"

namespace glibc_patches {
namespace {

std::string Plural(size_t count, absl::string_view one,
                   absl::string_view many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// What the checks say against the patch.
void AddFindings(Verdict& verdict) {
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
  if (failed == 0) return;
  verdict.reasons.push_back(absl::StrCat(
      "the patched code is wrong: ",
      Plural(failed, "check of a variant fails", "checks of variants fail")));
}

void MoveTo(std::vector<std::string>& all, std::vector<std::string> some) {
  std::move(some.begin(), some.end(), std::back_inserter(all));
}

// What its threshold code says against it.
void AddThresholdFaults(Verdict& verdict) {
  if (!verdict.thresholds.has_value()) return;
  const ThresholdResult& result = *verdict.thresholds;
  if (!result.not_built.empty()) return;
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
    return;
  }
  if (verdict.claim == Claim::kChange && result.rows.empty()) {
    verdict.reasons.push_back(absl::StrCat(
        "the patch claims to change thresholds or selection, but ",
        result.code_differs
            ? absl::StrCat("nothing changes on any of ", result.cpus, " CPUs")
            : "the compiled code is the same"));
    return;
  }
  if (verdict.claim == Claim::kNoChange && !result.rows.empty()) {
    verdict.reasons.push_back(absl::StrCat(
        "the patch claims to change no threshold and no selection, but ",
        SummarizeThresholds(result)));
  }
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
  if (!verdict.speed_failure.empty()) {
    reasons.push_back(
        absl::StrCat("speed could not be measured: ", verdict.speed_failure));
  }
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

std::string Praise(const Verdict& verdict, const std::string& of_speed) {
  if (verdict.changed.empty()) {
    return "the code of every variant is the same, byte for byte";
  }
  const size_t judged = verdict.changed.size() - verdict.skipped.size();
  return absl::StrCat("no check of ",
                      Plural(judged, "changed variant", "changed variants"),
                      " fails", of_speed.empty() ? "" : ", and ", of_speed);
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

bool KeepOwnFaults(CheckResult beside_base, CheckResult& failed) {
  if (beside_base.status == CheckStatus::kFailed) {
    failed = std::move(beside_base);
    return true;
  }
  if (beside_base.wrong_in_base == 0) return true;
  failed.notes = std::move(beside_base.notes);
  return false;
}

void Decide(Verdict& verdict) {
  verdict.reasons.clear();
  verdict.evidence.clear();
  SpeedOpinion speed;
  if (verdict.speed.has_value()) {
    speed = OpinionOf(*verdict.speed, verdict.weighed, verdict.speed_options);
  }
  AddFindings(verdict);
  MoveTo(verdict.reasons, speed.against);
  MoveTo(verdict.evidence, speed.evidence);
  AddThresholdFaults(verdict);
  const size_t against = verdict.reasons.size();
  AddGaps(verdict);
  MoveTo(verdict.reasons, speed.open);
  verdict.slower_without_weight = std::move(speed.slower_without_weight);
  if (against > 0) {
    verdict.decision = Decision::kReject;
  } else if (!verdict.reasons.empty()) {
    verdict.decision = Decision::kInconclusive;
  } else {
    verdict.decision = Decision::kAccept;
    if (!verdict.files.kernel_files.empty()) {
      verdict.reasons.push_back(Praise(verdict, speed.praise));
    }
    if (verdict.thresholds.has_value()) {
      verdict.reasons.push_back(PraiseThresholds(*verdict.thresholds));
    }
  }
}

}  // namespace glibc_patches
