#include "advisor/evidence/known_issue.h"

#include "absl/strings/str_cat.h"

namespace advisor {

std::vector<KnownIssue> ApplicableKnownIssues(const KnownIssueFacts& facts) {
  std::vector<KnownIssue> issues;
  if (facts.prediction.hangs) return issues;
  for (const KnownIssueRow& row : AllKnownIssues()) {
    if (!row.applies(facts)) continue;
    issues.push_back({std::string(row.id), row.severity, row.title(facts),
                      std::string(row.remedy), std::string(row.reference),
                      std::string(row.fixed_in)});
  }
  return issues;
}

Finding KnownIssueFinding(const KnownIssue& issue) {
  Finding finding;
  finding.id = issue.id;
  finding.severity = issue.severity;
  finding.title = absl::StrCat(issue.title, ".");
  finding.detail = issue.remedy;
  if (!issue.fixed_in.empty()) {
    absl::StrAppend(&finding.detail, " Fixed in ", issue.fixed_in, ".");
  }
  finding.evidence = {issue.reference};
  return finding;
}

}  // namespace advisor
