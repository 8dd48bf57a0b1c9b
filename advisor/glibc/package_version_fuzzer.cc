// Versions as packages, dpkg's data base and banners write them.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

void TestBuild(absl::string_view text) {
  const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(text);
  if (!build.ok()) {
    fuzzing::Require(absl::IsInvalidArgument(build.status()) ||
                         absl::IsOutOfRange(build.status()),
                     build.status().ToString());
    return;
  }
  fuzzing::Require(
      build->release() >= kFirstRelease && build->release() <= kLastRelease,
      "a release that is covered");
  const absl::StatusOr<GlibcBuild> again = ParseGlibcBuild(build->name());
  fuzzing::Require(again.ok() && again->name() == build->name() &&
                       again->note() == build->note() &&
                       again->certain() == build->certain(),
                   "the same build by its name");
  fuzzing::Require(build->certain() || !build->note().empty(),
                   "what is not certain is told");
  for (size_t change = 0; change < kChangeCount; ++change) {
    fuzzing::Require(build->Has(static_cast<Change>(change)) ==
                         again->Has(static_cast<Change>(change)),
                     "the same changes by its name");
  }
}

void TestBanner(absl::string_view text) {
  const std::optional<LibcBanner> banner = FindLibcBanner(text);
  if (!banner.has_value()) return;
  fuzzing::Require(!banner->release.empty(), "a banner's release");
  fuzzing::Require(
      banner->distribution.has_value() == banner->revision.has_value(),
      "both or none of distribution and revision");
  if (banner->revision.has_value()) {
    fuzzing::Require(absl::StartsWith(*banner->revision, banner->release),
                     "a revision of the release");
    TestBuild(*banner->revision);
  }
  if (absl::StrContains(banner->package, "GNU C Library (")) return;
  const std::optional<LibcBanner> again = FindLibcBanner(
      absl::StrCat("ld.so (", banner->package, ") stable release version ",
                   banner->release, ".\n"));
  fuzzing::Require(again == banner, "the same banner of its parts");
}

void TestDpkg(absl::string_view text) {
  const std::optional<std::string> version = FindDpkgLibcVersion(text);
  if (!version.has_value()) return;
  fuzzing::Require(!absl::StrContains(*version, "\n"), "a version in a line");
  TestBuild(*version);
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::Choices choices(fuzzing::Text(data, size));
  switch (choices.Below(3)) {
    case 0:
      advisor::TestBuild(choices.Rest());
      break;
    case 1:
      advisor::TestBanner(choices.Rest());
      break;
    default:
      advisor::TestDpkg(choices.Rest());
  }
  return 0;
}
