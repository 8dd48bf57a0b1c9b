// Known problems of a machine with a glibc that are no hazard of a threshold
// (hazard.h): faults of a release that this CPU meets, settings that others
// copied from one another, limits that no tunable changes. One row of
// known_issue_table.cc for each.

#ifndef ADVISOR_EVIDENCE_KNOWN_ISSUE_H_
#define ADVISOR_EVIDENCE_KNOWN_ISSUE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/evidence/hazard.h"
#include "advisor/report.h"

namespace advisor {

// As in hazard.h: nothing may be concluded of a CPUID that lacks leaves.
using KnownIssueFacts = HazardFacts;

struct KnownIssueRow {
  absl::string_view id;
  Severity severity;
  bool (*applies)(const KnownIssueFacts& facts);
  // What happens here: a sentence without its full stop.
  std::string (*title)(const KnownIssueFacts& facts);
  // What to do about it; whole sentences.
  absl::string_view remedy;
  // Public: a bug, a commit, a report.
  absl::string_view reference;
  // "2.42; branches 2.38 to 2.41 from 2025-03"; "": by no release.
  absl::string_view fixed_in;
  // {fixture, build, GLIBC_TUNABLES} that trigger it, and that must not.
  // Fixtures as in HazardRow.
  struct Sample {
    absl::string_view fixture;
    absl::string_view build;
    absl::string_view glibc_tunables = "";
  };
  Sample fixture;
  Sample neighbour;
};

// Most severe first.
absl::Span<const KnownIssueRow> AllKnownIssues();

struct KnownIssue {
  std::string id;
  Severity severity = Severity::kInformation;
  std::string title;  // without its full stop
  std::string remedy;
  std::string reference;
  std::string fixed_in;
};

// Those that apply, most severe first; none where start-up hangs.
std::vector<KnownIssue> ApplicableKnownIssues(const KnownIssueFacts& facts);

Finding KnownIssueFinding(const KnownIssue& issue);

// What became of each public report that this project was built on.
enum class CoveredBy {
  kHazard,      // a row of AllHazards
  kKnownIssue,  // a row of AllKnownIssues
  kLint,        // a rule of `advisor lint`
  kElsewhere,   // another part of the program, named in `by`
  kOutOfScope,  // no state of a machine; `by` says why
};
struct CoverageRow {
  absl::string_view report;
  CoveredBy how;
  absl::string_view by;
};
absl::Span<const CoverageRow> AllCoverage();

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_KNOWN_ISSUE_H_
