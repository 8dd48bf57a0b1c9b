// See check_corpus.

#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/strings/str_cat.h"
#include "advisor/glibc/installed_libc.h"
#include "tools/check_corpus_report.h"

ABSL_FLAG(std::string, glibc, "",
          "the build that the loader is, as `advisor predict` takes it; empty: "
          "by its banner");
ABSL_FLAG(std::string, glibc_tunables, "",
          "value of GLIBC_TUNABLES for the loader and the model");

namespace advisor {
namespace {

constexpr int kAgrees = 0;
constexpr int kDiffers = 1;
constexpr int kUsage = 2;

int Refuse(absl::string_view message) {
  std::cerr << "check_corpus: " << message << "\n";
  return kUsage;
}

absl::StatusOr<GlibcBuild> BuildOf(const FileReader& files,
                                   absl::string_view loader) {
  const std::string asked = absl::GetFlag(FLAGS_glibc);
  if (!asked.empty()) return ParseGlibcBuild(asked);
  const absl::StatusOr<std::string> content = files.Read(loader);
  if (!content.ok()) return content.status();
  const std::optional<LibcBanner> banner = FindLibcBanner(*content);
  if (!banner.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(loader,
                     ": expected a banner with the release, found none; use "
                     "--glibc=BUILD"));
  }
  return ParseGlibcBuild(banner->revision.value_or(banner->release));
}

int Main(const std::vector<char*>& arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    return Refuse("expected DIR [LOADER]");
  }
  const RealFileReader files;
  const std::string loader =
      arguments.size() == 3 ? arguments[2] : "/lib64/ld-linux-x86-64.so.2";
  const absl::StatusOr<LoaderReplay> replay =
      LoaderReplay::Create(files, loader);
  if (!replay.ok()) return Refuse(replay.status().message());
  const absl::StatusOr<GlibcBuild> build = BuildOf(files, loader);
  if (!build.ok()) return Refuse(build.status().message());
  std::cout << loader << " is taken for " << build->name();
  if (!build->note().empty()) std::cout << " (" << build->note() << ")";
  std::cout << "\n";
  const CorpusReport report =
      CheckCorpus(files, FilesUnder(files, arguments[1]), *replay, *build,
                  absl::GetFlag(FLAGS_glibc_tunables), std::cout, std::cerr);
  std::cout << report.differing << " of " << report.cpus << " differ";
  if (report.unusable != 0) {
    std::cout << "; " << report.unusable << " could not be compared";
  }
  std::cout << "\n";
  if (report.cpus == 0) return kUsage;
  return report.differing == 0 ? kAgrees : kDiffers;
}

}  // namespace
}  // namespace advisor

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage("DIR [LOADER]");
  return advisor::Main(absl::ParseCommandLine(argc, argv));
}
