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

// {release, prefix, from, to, suffix, branch date, added, certain, note,
//  source}
constexpr DistributionRow kRows[] = {
    // Debian 10, then RHEL 8 and its rebuilds.
    {28,
     "",
     10,
     10,
     "",
     "2019-05-01",
     {},
     true,
     "taken for Debian 10's package",
     kDebianChangelog},
    {28, "", 242, kNoEnd, ".el8", "", kEl8Paged, false,
     "RHEL 8: values of 2.28 as tagged, with the large copy by pages that "
     "builds after -241 carry; the package's other patches are not known "
     "here; measure to be sure",
     "ceph/ceph-csi#4379: SIGSEGV on Hygon with glibc > 2.28-241.el8"},
    {28,
     "10+deb10u",
     1,
     kNoEnd,
     "",
     "2019-05-01",
     {},
     false,
     "Debian 10: the stable branch of 2019-05-01; security patches since are "
     "not known here",
     kDebianChangelog},
    // Debian 11.
    {31,
     "",
     13,
     13,
     "",
     "2021-07-06",
     {},
     true,
     "taken for Debian 11's package",
     kDebianChangelog},
    {31,
     "13+deb11u",
     1,
     kNoEnd,
     "",
     "2021-07-06",
     {},
     false,
     "Debian 11: the stable branch of 2021-07-06; what the point releases "
     "took since is not known here; measure to be sure",
     kDebianChangelog},
    // Debian 12. The values of deb12u14 are those of its loader.
    {36,
     "",
     9,
     9,
     "",
     "2023-04-10",
     {},
     true,
     "taken for Debian 12's package",
     kDebianChangelog},
    {36,
     "9+deb12u",
     1,
     1,
     "",
     "2023-07-13",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36,
     "9+deb12u",
     2,
     2,
     "",
     "2023-09-28",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36, "9+deb12u", 3, 4, "", "2023-09-28", kDebianCve20234911, true,
     "Debian 12", kDebianChangelog},
    {36,
     "9+deb12u",
     5,
     7,
     "",
     "2024-03-24",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36,
     "9+deb12u",
     8,
     8,
     "",
     "2024-08-15",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36,
     "9+deb12u",
     9,
     9,
     "",
     "2024-11-01",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36,
     "9+deb12u",
     10,
     14,
     "",
     "2025-03-06",
     {},
     true,
     "Debian 12",
     kDebianChangelog},
    {36,
     "9+deb12u",
     15,
     kNoEnd,
     "",
     "2025-03-06",
     {},
     false,
     "Debian 12: taken for 9+deb12u14; later patches are not known here",
     kDebianChangelog},
    // Debian 13. Revisions between the two ends were not looked at.
    {41,
     "12+deb13u",
     5,
     5,
     "",
     "2026-01-20",
     {},
     true,
     "Debian 13",
     "its loader, replayed on 67 dumps: equal to release/2.41/master"},
};

bool SuffixMatches(absl::string_view expected, absl::string_view rest) {
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
         number >= row.from && number <= row.to &&
         SuffixMatches(row.suffix, revision.substr(digits));
}

}  // namespace

absl::Span<const DistributionRow> AllDistributionRows() { return kRows; }

const DistributionRow* FindDistributionRow(int release,
                                           absl::string_view revision) {
  for (const DistributionRow& row : kRows) {
    if (Matches(row, release, revision)) return &row;
  }
  return nullptr;
}

}  // namespace advisor
