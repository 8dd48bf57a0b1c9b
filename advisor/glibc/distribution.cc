#include "advisor/glibc/distribution.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {
namespace {

constexpr absl::string_view kDebianChangelog =
    "Debian glibc changelog (git-updates.diff of that date)";

constexpr Change kDebianCve20234911[] = {Change::kParserEnds};
constexpr Change kEl8Paged[] = {Change::kPagedLargeCopy};

// {release, prefix, from, suffix, branch date, added, certain, note, source}
constexpr DistributionRow kRows[] = {
    // Debian 10, then RHEL 8 and its rebuilds.
    {28, "", 10, "", "2019-05-01", {}, true, "Debian 10.", kDebianChangelog},
    {28, "", 241, ".el8", "", kEl8Paged, false,
     "RHEL 8: release as tagged, with the large copy by pages that builds "
     "from about -241 carry; other patches of this package are not known "
     "here. Replay or measure to be sure.",
     "ceph/ceph-csi#4379: SIGSEGV of Hygon CPUs with glibc > 2.28-241.el8"},
    {28,
     "10+deb10u",
     1,
     "",
     "2019-05-01",
     {},
     false,
     "Debian 10: the branch of 2019-05-01; later security patches are not "
     "known here.",
     kDebianChangelog},
    // Debian 11.
    {31,
     "",
     9,
     "",
     "2021-01-05",
     {},
     true,
     "Debian 11, testing.",
     kDebianChangelog},
    {31,
     "",
     10,
     "",
     "2021-03-21",
     {},
     true,
     "Debian 11, testing.",
     kDebianChangelog},
    {31,
     "",
     12,
     "",
     "2021-05-01",
     {},
     true,
     "Debian 11, testing.",
     kDebianChangelog},
    {31, "", 13, "", "2021-07-06", {}, true, "Debian 11.", kDebianChangelog},
    {31,
     "13+deb11u",
     1,
     "",
     "2021-07-06",
     {},
     false,
     "Debian 11: the branch of 2021-07-06; what the point releases took since "
     "is not known here. Replay or measure to be sure.",
     kDebianChangelog},
    // Debian 12. The numbers of deb12u14 are confirmed by its loader.
    {36,
     "",
     1,
     "",
     "2022-08-12",
     {},
     true,
     "Debian 12, testing.",
     kDebianChangelog},
    {36, "", 9, "", "2023-04-10", {}, true, "Debian 12.", kDebianChangelog},
    {36,
     "9+deb12u",
     1,
     "",
     "2023-07-13",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
    {36,
     "9+deb12u",
     2,
     "",
     "2023-09-28",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
    {36, "9+deb12u", 3, "", "2023-09-28", kDebianCve20234911, true,
     "Debian 12.", kDebianChangelog},
    {36,
     "9+deb12u",
     5,
     "",
     "2024-03-24",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
    {36,
     "9+deb12u",
     8,
     "",
     "2024-08-15",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
    {36,
     "9+deb12u",
     9,
     "",
     "2024-11-01",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
    {36,
     "9+deb12u",
     10,
     "",
     "2025-03-06",
     {},
     true,
     "Debian 12.",
     kDebianChangelog},
};

bool SuffixMatches(absl::string_view expected, absl::string_view rest) {
  if (expected == "-") return true;
  // "+b1" is a rebuild of the same source.
  if (expected.empty()) return rest.empty() || absl::StartsWith(rest, "+b");
  return absl::StartsWith(rest, expected);
}

bool Matches(const DistributionRow& row, int release,
             absl::string_view revision) {
  if (row.release != release || !absl::StartsWith(revision, row.prefix)) {
    return false;
  }
  revision.remove_prefix(row.prefix.size());
  size_t digits = 0;
  while (digits < revision.size() && absl::ascii_isdigit(revision[digits])) {
    ++digits;
  }
  int number = 0;
  return absl::SimpleAtoi(revision.substr(0, digits), &number) &&
         number >= row.from &&
         SuffixMatches(row.suffix, revision.substr(digits));
}

}  // namespace

absl::Span<const DistributionRow> AllDistributionRows() { return kRows; }

const DistributionRow* FindDistributionRow(int release,
                                           absl::string_view revision) {
  const DistributionRow* found = nullptr;
  for (const DistributionRow& row : kRows) {
    if (Matches(row, release, revision) &&
        (found == nullptr || row.from >= found->from)) {
      found = &row;
    }
  }
  return found;
}

}  // namespace advisor
