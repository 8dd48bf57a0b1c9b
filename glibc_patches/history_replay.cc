#include "glibc_patches/history_replay.h"

#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "glibc_patches/scratch_folder.h"
#include "nlohmann/json.hpp"

namespace glibc_patches {
namespace {

using ::advisor::Command;
using ::advisor::CommandResult;
using ::nlohmann::json;

// As OpenBase() wants them (patched_source.h).
constexpr const char* kPaths[] = {"version.h", "sysdeps/x86", "sysdeps/x86_64",
                                  "sysdeps/generic"};

std::string Short(absl::string_view commit) {
  return std::string(commit.substr(0, 10));
}

// The ids of checks that the patched code fails and the base's does not.
std::set<std::string> NewFailures(const json& verdict) {
  std::set<std::string> known, failures;
  for (const json& key : verdict.value("base_failures", json::array())) {
    known.insert(key.get<std::string>());
  }
  for (const json& check : verdict.value("checks", json::array())) {
    const std::string id = check.value("id", "");
    const std::string key = absl::StrCat(check.value("variant", ""), " ", id);
    if (check.value("status", "") == "failed" && known.count(key) == 0) {
      failures.insert(id);
    }
  }
  return failures;
}

// Cells that were called `judgement`, of one alignment or of all ("").
int CountCells(const json& verdict, absl::string_view alignment,
               absl::string_view judgement) {
  const json speed = verdict.value("speed", json());
  if (!speed.is_object()) return 0;
  int count = 0;
  for (const json& cell : speed.value("cells", json::array())) {
    if (cell.value("judgement", "") != judgement) continue;
    if (!alignment.empty() && cell.value("alignment", "") != alignment) {
      continue;
    }
    ++count;
  }
  return count;
}

// Why the variant was not judged; nullopt when it was.
std::optional<std::string> WhySkipped(const json& verdict,
                                      absl::string_view variant) {
  const json variants = verdict.value("variants", json::object());
  for (const json& skipped : variants.value("skipped", json::array())) {
    if (skipped.value("name", "") == variant) {
      return absl::StrCat(variant, " ", skipped.value("reason", ""));
    }
  }
  return std::nullopt;
}

json ThresholdsOf(const json& verdict, const char* list) {
  const json thresholds = verdict.value("thresholds", json());
  if (!thresholds.is_object()) return json::array();
  return thresholds.value(list, json::array());
}

// What the fault does to the threshold.
std::optional<std::string> ThresholdFault(const json& verdict,
                                          absl::string_view threshold) {
  for (const json& fault : ThresholdsOf(verdict, "faults")) {
    const std::string what = fault.value("what", "");
    if (absl::StrContains(what, threshold)) return what;
  }
  return std::nullopt;
}

// "16448 -> 67108864 on 16 CPUs": the first change of the threshold that is
// told.
std::optional<std::string> ValueChange(const json& verdict,
                                       absl::string_view threshold) {
  for (const json& group : ThresholdsOf(verdict, "changes")) {
    for (const json& change : group.value("changes", json::array())) {
      // "shared_cache_size (in cpu_features)" before 2.33 and after.
      if (!absl::StartsWith(change.value("name", ""), threshold)) continue;
      const size_t cpus = group.value("cpus", json::array()).size();
      return absl::StrCat(change.value("before", ""), " -> ",
                          change.value("after", ""), " on ", cpus,
                          cpus == 1 ? " CPU" : " CPUs");
    }
  }
  return std::nullopt;
}

std::string FirstReason(const json& verdict) {
  const json reasons = verdict.value("reasons", json::array());
  return reasons.empty() ? "" : reasons[0].get<std::string>();
}

// What the decision rests on, in a few words.
std::string Why(const HistoryFix& fix, const json& verdict) {
  const std::string decision = verdict.value("verdict", "");
  if (fix.evidence == HistoryEvidence::kThresholds) {
    if (const auto fault = ThresholdFault(verdict, fix.where)) {
      return absl::StrCat(decision, ": ", *fault);
    }
  }
  if (fix.evidence == HistoryEvidence::kValues) {
    if (const auto change = ValueChange(verdict, fix.where)) {
      return absl::StrCat(decision, ", ", fix.where, " ", *change);
    }
  }
  if (decision == "accept") return decision;
  const std::set<std::string> failures = NewFailures(verdict);
  if (!failures.empty()) {
    return absl::StrCat(decision, ": ", absl::StrJoin(failures, ", "));
  }
  const int slower = CountCells(verdict, "", "slower");
  if (decision != "reject" || slower == 0) {
    return absl::StrCat(decision, ": ", FirstReason(verdict));
  }
  const bool of_speed = fix.evidence == HistoryEvidence::kSpeed;
  const int there = of_speed ? CountCells(verdict, fix.where, "slower") : 0;
  if (there > 0) {
    return absl::StrCat(decision, ": slower in ", there, " cells of ",
                        fix.where);
  }
  return absl::StrCat(decision, ": slower in ", slower, " cells",
                      of_speed ? absl::StrCat(", none of ", fix.where) : "");
}

bool ShowsFault(const HistoryFix& fix, const json& verdict) {
  switch (fix.evidence) {
    case HistoryEvidence::kCheck:
      return NewFailures(verdict).count(std::string(fix.where)) > 0;
    case HistoryEvidence::kSpeed:
      return CountCells(verdict, fix.where, "slower") > 0;
    case HistoryEvidence::kThresholds:
      return ThresholdFault(verdict, fix.where).has_value();
    case HistoryEvidence::kValues:
      return ValueChange(verdict, fix.where).has_value();
    case HistoryEvidence::kNone:
      break;
  }
  return false;
}

// The fix has not the fault. That it is slower elsewhere is told, but does not
// make it wrong: what is right may take longer.
bool IsMended(const HistoryFix& fix, const json& verdict) {
  if (!NewFailures(verdict).empty() ||
      !ThresholdsOf(verdict, "faults").empty()) {
    return false;
  }
  if (fix.evidence == HistoryEvidence::kValues) return ShowsFault(fix, verdict);
  if (fix.evidence != HistoryEvidence::kSpeed) return true;
  return CountCells(verdict, fix.where, "slower") == 0 &&
         CountCells(verdict, fix.where, "faster") > 0;
}

class Replay {
 public:
  Replay(const ReplayInput& input, const ReplayDoors& doors)
      : input_(input), doors_(doors) {}

  absl::Status CheckHistory() const {
    const auto result = Git({"rev-parse", "--git-dir"});
    if (!result.ok()) return result.status();
    if (result->succeeded()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(input_.history, ": expected a clone of glibc, found ",
                     result->FirstErrorLine()));
  }

  absl::Status Judge(const HistoryFix& fix, ReplayResult& result) const {
    const absl::Duration start = doors_.clock.Monotonic();
    result.fix = &fix;
    absl::Status status = JudgeBoth(fix, result);
    result.seconds = absl::ToDoubleSeconds(doors_.clock.Monotonic() - start);
    return status;
  }

 private:
  absl::Status JudgeBoth(const HistoryFix& fix, ReplayResult& result) const {
    if (fix.evidence == HistoryEvidence::kNone) {
      result.reason = std::string(fix.limit);
      return absl::OkStatus();
    }
    if (!fix.limit.empty() && doors_.has_feature(fix.limit)) {
      result.reason = absl::StrCat("shows only on a CPU without ", fix.limit);
      return absl::OkStatus();
    }
    const std::string commit(fix.commit), parent = absl::StrCat(commit, "^");
    for (const std::string& wanted : {commit, parent}) {
      const auto known = Git({"rev-parse", "--verify", "--quiet",
                              absl::StrCat(wanted, "^{commit}")});
      if (!known.ok()) return known.status();
      if (!known->succeeded()) {
        result.reason = absl::StrCat("the history has no ", wanted);
        return absl::OkStatus();
      }
    }
    absl::Status status =
        JudgeChange(fix, commit, parent, false, result.parent);
    if (!status.ok()) return status;
    if (result.parent.outcome == ReplayOutcome::kNotShown) {
      result.reason = result.parent.verdict;
      return absl::OkStatus();
    }
    status = JudgeChange(fix, parent, commit, true, result.fixed);
    if (!status.ok()) return status;
    const bool both = result.parent.outcome == ReplayOutcome::kAsExpected &&
                      result.fixed.outcome == ReplayOutcome::kAsExpected;
    result.outcome =
        both ? ReplayOutcome::kAsExpected : ReplayOutcome::kUnexpected;
    return absl::OkStatus();
  }

  // The patch that leads from the state `from` to the state `to`.
  absl::Status JudgeChange(const HistoryFix& fix, const std::string& from,
                           const std::string& to, bool fixed,
                           ReplaySide& side) const {
    const std::string name =
        absl::StrCat(Short(fix.commit), fixed ? ".fixed" : ".parent");
    const std::string base = absl::StrCat(input_.scratch, "/", name, ".tar");
    const std::string patch = absl::StrCat(input_.scratch, "/", name, ".diff");
    absl::Status status = Archive(from, base);
    if (!status.ok()) return status;
    status = Diff(from, to, patch);
    if (!status.ok()) return status;
    Command command;
    command.argv = {input_.validate_patch, patch, "--base=" + base,
                    "--format=json"};
    command.argv.insert(command.argv.end(), input_.flags.begin(),
                        input_.flags.end());
    // Its own scratch folder lies in ours: nothing is left when it is killed.
    command.environment =
        doors_.environment.ForChild({"CC", "CXX", "NM", "OBJCOPY"})
            .With("TMPDIR", input_.scratch)
            .Without("TEST_TMPDIR");
    command.time_limit = absl::Minutes(30);
    command.file_limit = advisor::kBuildFileLimit;
    const auto result = doors_.subprocess.Run(command);
    RemoveFile(base).IgnoreError();
    RemoveFile(patch).IgnoreError();
    if (!result.ok()) return result.status();
    side = JudgeSide(fix, result->standard_output, fixed);
    if (side.outcome == ReplayOutcome::kUnexpected &&
        !result->standard_error.empty()) {
      absl::StrAppend(&side.verdict, " (", result->FirstErrorLine(), ")");
    }
    return absl::OkStatus();
  }

  absl::Status Archive(const std::string& commit, const std::string& to) const {
    return Expect(Git(WithPaths({"archive", "--format=tar", "--prefix=glibc/",
                                 "--output=" + to, commit})),
                  "archive");
  }

  absl::Status Diff(const std::string& from, const std::string& to,
                    const std::string& path) const {
    auto result = Git(WithPaths(
        {"diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames",
         "--src-prefix=a/", "--dst-prefix=b/", from, to, "--"}));
    absl::Status status = Expect(result, "diff");
    if (!status.ok()) return status;
    return WriteFile(path, result->standard_output);
  }

  absl::Status Expect(const absl::StatusOr<CommandResult>& result,
                      absl::string_view what) const {
    if (!result.ok()) return result.status();
    if (result->succeeded()) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(input_.history, ": git ", what, ": ", result->Describe(),
                     ": ", result->FirstErrorLine()));
  }

  static std::vector<std::string> WithPaths(std::vector<std::string> words) {
    words.insert(words.end(), std::begin(kPaths), std::end(kPaths));
    return words;
  }

  absl::StatusOr<CommandResult> Git(std::vector<std::string> words) const {
    Command command;
    command.argv = {"/usr/bin/env", "git", "-C", input_.history};
    command.argv.insert(command.argv.end(), words.begin(), words.end());
    // HOME: where the user says which folders git may trust.
    command.environment = doors_.environment.ForChild({"HOME"});
    command.time_limit = absl::Minutes(2);
    command.file_limit = advisor::kBuildFileLimit;
    return doors_.subprocess.Run(command);
  }

  const ReplayInput& input_;
  const ReplayDoors& doors_;
};

}  // namespace

ReplaySide JudgeSide(const HistoryFix& fix, absl::string_view text,
                     bool fixed) {
  const json verdict = json::parse(text.begin(), text.end(), nullptr, false);
  if (!verdict.is_object() || !verdict.contains("verdict")) {
    return {ReplayOutcome::kUnexpected, "no verdict"};
  }
  ReplaySide side = {ReplayOutcome::kUnexpected, Why(fix, verdict)};
  // Of another value nobody says that it is wrong.
  const bool rejected = verdict.value("verdict", "") == "reject" ||
                        fix.evidence == HistoryEvidence::kValues;
  const bool as_expected =
      fixed ? IsMended(fix, verdict) : rejected && ShowsFault(fix, verdict);
  if (const auto skipped = WhySkipped(verdict, fix.variant);
      skipped.has_value() && (fixed || !as_expected)) {
    return {ReplayOutcome::kNotShown, *skipped};
  }
  const json thresholds = verdict.value("thresholds", json());
  if (thresholds.is_object() && thresholds.value("not_compiled", "") != "") {
    return {ReplayOutcome::kNotShown, FirstReason(verdict)};
  }
  if (as_expected) side.outcome = ReplayOutcome::kAsExpected;
  return side;
}

absl::Status ReplayHistory(absl::Span<const HistoryFix* const> fixes,
                           const ReplayInput& input, const ReplayDoors& doors) {
  const Replay replay(input, doors);
  absl::Status status = replay.CheckHistory();
  if (!status.ok()) return status;
  for (const HistoryFix* fix : fixes) {
    ReplayResult result;
    status = replay.Judge(*fix, result);
    if (!status.ok()) return status;
    if (doors.done) doors.done(result);
  }
  return absl::OkStatus();
}

std::string DescribeReplay(const ReplayResult& result) {
  const HistoryFix& fix = *result.fix;
  const std::string what =
      absl::StrCat(Short(fix.commit), " ", fix.date, " ", fix.fault);
  if (result.outcome == ReplayOutcome::kNotShown) {
    return absl::StrCat("not shown  ", what, ": ", result.reason);
  }
  return absl::StrFormat(
      "%-9s  %s: parent %s; fix %s; %.0f s",
      result.outcome == ReplayOutcome::kAsExpected ? "ok" : "UNEXPECTED", what,
      result.parent.verdict, result.fixed.verdict, result.seconds);
}

}  // namespace glibc_patches
