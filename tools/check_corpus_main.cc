// See check_corpus.

#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "advisor/exit_status.h"
#include "advisor/flags.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/file_reader.h"
#include "advisor/program_end.h"
#include "tools/check_corpus_report.h"

namespace advisor {
namespace {

constexpr absl::string_view kProgram = "check_corpus";

constexpr char kUsage[] =
    "Usage: check_corpus DIR [LOADER] [--glibc=BUILD] "
    "[--glibc_tunables=STRING]\n\n"
    "Holds the model to a loader on every CPUID dump under DIR.\n\n"
    "Exit status: 0 all agree, 1 some differ, 2 wrong usage or nothing to\n"
    "compare, 4 internal error.\n";

constexpr FlagRow kFlags[] = {
    {"glibc", "BUILD",
     "the build that the loader is, as `advisor predict` takes it; by its "
     "banner when left out"},
    {"glibc_tunables", "STRING",
     "value of GLIBC_TUNABLES for the loader and the model"},
    {"help", "", "print this"},
};

absl::StatusOr<GlibcBuild> BuildOf(const FileReader& files,
                                   absl::string_view loader,
                                   const Flags& flags) {
  if (const auto asked = flags.Get("glibc")) return ParseGlibcBuild(*asked);
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

absl::StatusOr<ExitStatus> Check(const Flags& flags) {
  const std::vector<std::string>& arguments = flags.arguments();
  if (arguments.empty() || arguments.size() > 2) {
    return absl::InvalidArgumentError(
        "expected DIR [LOADER]; check_corpus --help tells more");
  }
  const RealFileReader files;
  const std::string loader =
      arguments.size() == 2 ? arguments[1] : "/lib64/ld-linux-x86-64.so.2";
  const absl::StatusOr<LoaderReplay> replay =
      LoaderReplay::Create(files, loader);
  if (!replay.ok()) return replay.status();
  const absl::StatusOr<GlibcBuild> build = BuildOf(files, loader, flags);
  if (!build.ok()) return build.status();
  std::cout << loader << " is taken for " << build->name();
  if (!build->note().empty()) std::cout << " (" << build->note() << ")";
  std::cout << "\n";
  const CorpusReport report =
      CheckCorpus(files, FilesUnder(files, arguments[0]), *replay, *build,
                  flags.Get("glibc_tunables").value_or(""), std::cout,
                  [](absl::string_view message) {
                    PrintError(std::cerr, kProgram, message);
                  });
  std::cout << report.differing << " of " << report.cpus << " differ";
  if (report.unusable != 0) {
    std::cout << "; " << report.unusable << " could not be compared";
  }
  std::cout << "\n";
  if (absl::Status status = Flush(std::cout); !status.ok()) return status;
  if (report.cpus == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(arguments[0], ": no dump in it could be compared"));
  }
  return report.differing == 0 ? ExitStatus::kAnswered : ExitStatus::kFinding;
}

absl::StatusOr<ExitStatus> Run(const std::vector<std::string>& words) {
  const absl::StatusOr<Flags> flags = Flags::Parse(words, kFlags);
  if (!flags.ok()) return flags.status();
  if (!flags->Has("help")) return Check(*flags);
  std::cout << kUsage;
  if (absl::Status status = Flush(std::cout); !status.ok()) return status;
  return ExitStatus::kAnswered;
}

}  // namespace
}  // namespace advisor

int main(int argc, char** argv) {
  return advisor::EndProgram(std::cerr, advisor::kProgram,
                             advisor::Run({argv + (argc > 0), argv + argc}));
}
