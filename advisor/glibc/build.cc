#include "advisor/glibc/build.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/distribution.h"

namespace advisor {
namespace {

constexpr absl::string_view kEndOfTime = "9999-12-31";

bool Carries(const ChangeRow& row, int release, absl::string_view branch_date) {
  if (row.first_release <= release) return true;
  for (const Backport& backport : row.backports) {
    if (backport.release == release) return backport.date <= branch_date;
  }
  return false;
}

std::string ReleaseName(int release) { return absl::StrCat("2.", release); }

}  // namespace

GlibcBuild::GlibcBuild(std::string name, int release,
                       absl::string_view branch_date)
    : name_(std::move(name)), release_(release), branch_date_(branch_date) {
  for (const ChangeRow& row : AllChanges()) {
    if (Carries(row, release, branch_date)) {
      changes_.set(static_cast<size_t>(row.change));
    }
  }
}

GlibcBuild GlibcBuild::Tag(int release) {
  return GlibcBuild(ReleaseName(release), release, "");
}

GlibcBuild GlibcBuild::BranchTip(int release) {
  return GlibcBuild(absl::StrCat(ReleaseName(release), "+branch"), release,
                    kEndOfTime);
}

absl::StatusOr<GlibcBuild> ParseGlibcBuild(absl::string_view text) {
  absl::string_view rest = text;
  const size_t end = rest.find_first_of("-+");
  const absl::string_view version = rest.substr(0, end);
  rest = end == absl::string_view::npos ? "" : rest.substr(end);

  int release = 0;
  absl::string_view minor = version;
  if (!absl::ConsumePrefix(&minor, "2.") || minor.empty() ||
      minor.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(minor, &release)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "glibc build: expected a release (2.36), a branch tip (2.36+branch) "
        "or a package version (2.36-9+deb12u14), found \"",
        text, "\""));
  }
  if (release < kFirstRelease || release > kLastRelease) {
    return absl::OutOfRangeError(
        absl::StrCat("glibc build: expected a release from 2.", kFirstRelease,
                     " to 2.", kLastRelease, ", found 2.", release));
  }
  if (rest.empty()) return GlibcBuild::Tag(release);
  if (rest == "+branch") return GlibcBuild::BranchTip(release);
  if (!absl::ConsumePrefix(&rest, "-") || rest.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "glibc build: expected +branch or a package revision after 2.", release,
        ", found \"", text, "\""));
  }

  const DistributionRow* row = FindDistributionRow(release, rest);
  GlibcBuild build(std::string(text), release,
                   row == nullptr ? "" : row->branch_date);
  if (row == nullptr) {
    build.certain_ = false;
    build.note_ = absl::StrCat("the patches of package revision ", rest,
                               " are not known here: values of 2.", release,
                               " as tagged; replay the loader to be sure");
    return build;
  }
  for (Change change : row->added) {
    build.changes_.set(static_cast<size_t>(change));
  }
  build.certain_ = row->certain;
  build.note_ = std::string(row->note);
  return build;
}

absl::Span<const GlibcBuild> UpstreamBuilds() {
  static const std::vector<GlibcBuild>* const builds = [] {
    auto* all = new std::vector<GlibcBuild>;
    for (int release = kFirstRelease; release <= kLastRelease; ++release) {
      all->push_back(GlibcBuild::Tag(release));
    }
    for (int release = kFirstRelease; release <= kLastRelease; ++release) {
      all->push_back(GlibcBuild::BranchTip(release));
    }
    return all;
  }();
  return *builds;
}

}  // namespace advisor
