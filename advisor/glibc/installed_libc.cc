#include "advisor/glibc/installed_libc.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/elf_file.h"

namespace advisor {
namespace {

constexpr absl::string_view kDefaultInterpreter = "/lib64/ld-linux-x86-64.so.2";
constexpr absl::string_view kDpkgStatus = "/var/lib/dpkg/status";
constexpr absl::string_view kTunables = "GLIBC_TUNABLES";

std::string FileBeside(absl::string_view path, absl::string_view name) {
  return absl::StrCat(path.substr(0, path.rfind('/') + 1), name);
}

// The parts of "(PACKAGE) KIND release version RELEASE.", which follows `at`.
std::optional<LibcBanner> ParseBanner(absl::string_view text) {
  constexpr absl::string_view kVersion = " release version ";
  text = text.substr(0, text.find_first_of(absl::string_view("\n\0", 2)));
  const size_t version = text.find(kVersion);
  if (version == absl::string_view::npos) return std::nullopt;
  const size_t close = text.rfind(')', version);
  if (close == absl::string_view::npos) return std::nullopt;
  absl::string_view release = text.substr(version + kVersion.size());
  const auto end = std::find_if(release.begin(), release.end(), [](char c) {
    return !absl::ascii_isdigit(c) && c != '.';
  });
  release = absl::StripSuffix(
      release.substr(0, std::distance(release.begin(), end)), ".");
  if (release.empty()) return std::nullopt;
  LibcBanner banner;
  banner.release = std::string(release);
  banner.package = std::string(text.substr(0, close));
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(banner.package, absl::MaxSplits(" GLIBC ", 1));
  if (absl::StartsWith(parts.second, release)) {
    banner.distribution = std::string(parts.first);
    banner.revision = std::string(parts.second);
  }
  return banner;
}

absl::Status UsesMusl(absl::string_view path) {
  return absl::FailedPreconditionError(
      absl::StrCat(path,
                   ": is musl's; there are no glibc tunables for musl's memory "
                   "functions"));
}

// The loader that a program names.
absl::StatusOr<std::string> InterpreterOf(const FileReader& files,
                                          absl::string_view program) {
  const absl::StatusOr<std::string> content = files.Read(program);
  if (!content.ok()) return content.status();
  const absl::StatusOr<ElfFile> file = ParseElfFile(*content, program);
  if (!file.ok()) return file.status();
  if (!file->interpreter.has_value()) {
    return absl::FailedPreconditionError(absl::StrCat(
        program,
        ": names no dynamic loader: a statically linked program has "
        "memory functions of its own (or it is a loader itself)"));
  }
  return *file->interpreter;
}

// What one file tells. NotFound leaves everything unknown.
struct LibcFile {
  std::optional<LibcBanner> banner;
  std::optional<std::string> build_id;
  std::optional<int> isa_level;
};

absl::StatusOr<LibcFile> ReadLibcFile(const FileReader& files,
                                      absl::string_view path) {
  const absl::StatusOr<std::string> content = files.Read(path);
  if (!content.ok()) return content.status();
  const absl::StatusOr<ElfFile> file = ParseElfFile(*content, path);
  if (!file.ok()) return file.status();
  if (absl::StrContains(*content, "musl libc")) return UsesMusl(path);
  return LibcFile{FindLibcBanner(*content), file->build_id, file->isa_level};
}

// A start of the loader that did not even run it.
absl::Status StartError(absl::string_view path, const absl::Status& status) {
  if (absl::IsNotFound(status)) {
    return absl::NotFoundError(
        absl::StrCat(path, ": expected a dynamic loader, found no such file"));
  }
  if (absl::IsPermissionDenied(status)) {
    return absl::PermissionDeniedError(absl::StrCat(path, ": not executable"));
  }
  return status;
}

absl::StatusOr<CommandResult> RunLoader(const Subprocess& subprocess,
                                        absl::string_view path,
                                        absl::string_view option,
                                        const Environment& environment) {
  Command command;
  command.argv = {std::string(path), std::string(option)};
  if (const auto tunables = environment.Get(kTunables)) {
    command.environment = Environment().With(kTunables, *tunables);
  }
  absl::StatusOr<CommandResult> result = subprocess.Run(command);
  if (!result.ok()) return StartError(path, result.status());
  if (result->timed_out) {
    return absl::DeadlineExceededError(
        absl::StrCat(path, " ", option, ": ", result->Describe()));
  }
  if (absl::StrContains(result->standard_error, "musl libc")) {
    return UsesMusl(path);
  }
  return result;
}

absl::Status Failed(absl::string_view path, absl::string_view option,
                    const CommandResult& result) {
  const absl::string_view line = result.FirstErrorLine();
  return absl::FailedPreconditionError(
      absl::StrCat(path, " ", option, ": ", result.Describe(),
                   line.empty() ? "" : ": ", line));
}

// A loader takes an option that it does not know for a program to load (up to
// 2.32: exit status 127), or says that it does not know it (2.33 and later).
bool LacksOption(const CommandResult& result, absl::string_view option) {
  return result.exit_status.has_value() && !result.succeeded() &&
         absl::StrContains(result.standard_error, option) &&
         (absl::StrContains(result.standard_error, "unrecognized option") ||
          absl::StrContains(result.standard_error,
                            "cannot open shared object file"));
}

}  // namespace

std::optional<LibcBanner> FindLibcBanner(absl::string_view content) {
  for (const absl::string_view start : {"GNU C Library (", "ld.so ("}) {
    for (size_t at = content.find(start); at != absl::string_view::npos;
         at = content.find(start, at + 1)) {
      auto banner = ParseBanner(content.substr(at + start.size(), 256));
      if (banner.has_value()) return banner;
    }
  }
  return std::nullopt;
}

std::optional<std::string> FindDpkgLibcVersion(absl::string_view status_text) {
  for (const absl::string_view paragraph :
       absl::StrSplit(status_text, "\n\n", absl::SkipWhitespace())) {
    bool is_libc = false;
    bool is_installed = false;
    bool is_amd64 = false;
    std::optional<std::string> version;
    for (absl::string_view line : absl::StrSplit(paragraph, '\n')) {
      line = absl::StripTrailingAsciiWhitespace(line);
      is_libc |= line == "Package: libc6";
      is_amd64 |= line == "Architecture: amd64";
      is_installed |= absl::StartsWith(line, "Status: ") &&
                      absl::EndsWith(line, " ok installed");
      if (absl::ConsumePrefix(&line, "Version: ")) {
        version = std::string(line);
      }
    }
    if (is_libc && is_amd64 && is_installed) return version;
  }
  return std::nullopt;
}

absl::StatusOr<InstalledLibc> FindInstalledLibc(
    const FileReader& files, const Environment& environment,
    std::optional<absl::string_view> program) {
  InstalledLibc libc;
  libc.interpreter = std::string(kDefaultInterpreter);
  libc.glibc_tunables = environment.Get(kTunables);
  if (program.has_value()) {
    absl::StatusOr<std::string> named = InterpreterOf(files, *program);
    if (!named.ok()) return named.status();
    libc.interpreter = *std::move(named);
    if (absl::StrContains(libc.interpreter, "/ld-musl-")) {
      return UsesMusl(*program);
    }
  }
  absl::StatusOr<std::string> path = files.Resolve(libc.interpreter);
  if (!path.ok()) return path.status();
  libc.loader_path = *std::move(path);
  const absl::StatusOr<LibcFile> loader = ReadLibcFile(files, libc.loader_path);
  if (!loader.ok()) return loader.status();
  libc.loader_build_id = loader->build_id;
  libc.isa_level = loader->isa_level;
  libc.banner = loader->banner;

  const absl::StatusOr<std::string> libc_path =
      files.Resolve(FileBeside(libc.loader_path, "libc.so.6"));
  if (libc_path.ok()) {
    const absl::StatusOr<LibcFile> library = ReadLibcFile(files, *libc_path);
    if (!library.ok()) return library.status();
    libc.libc_path = *libc_path;
    libc.libc_build_id = library->build_id;
    if (library->isa_level.has_value()) libc.isa_level = library->isa_level;
    if (library->banner.has_value()) libc.banner = library->banner;
  } else if (!absl::IsNotFound(libc_path.status())) {
    return libc_path.status();
  }

  const absl::StatusOr<std::string> of_system =
      files.Resolve(kDefaultInterpreter);
  if (of_system.ok() && *of_system == libc.loader_path) {
    const absl::StatusOr<std::string> status = files.Read(kDpkgStatus);
    if (status.ok()) libc.package_version = FindDpkgLibcVersion(*status);
  }
  return libc;
}

absl::StatusOr<LoaderAnswer> AskLoader(const Subprocess& subprocess,
                                       absl::string_view loader_path,
                                       const Environment& environment) {
  constexpr absl::string_view kListTunables = "--list-tunables";
  constexpr absl::string_view kListDiagnostics = "--list-diagnostics";
  const absl::StatusOr<CommandResult> tunables =
      RunLoader(subprocess, loader_path, kListTunables, environment);
  if (!tunables.ok()) return tunables.status();
  if (LacksOption(*tunables, kListTunables)) {
    return absl::FailedPreconditionError(
        absl::StrCat(loader_path,
                     ": has no --list-tunables: a glibc before 2.33, which "
                     "cannot be asked for its thresholds"));
  }
  if (!tunables->succeeded()) {
    return Failed(loader_path, kListTunables, *tunables);
  }
  LoaderAnswer answer;
  answer.tunables_text = tunables->standard_output;
  answer.warnings = tunables->standard_error;
  absl::StatusOr<TunablesListing> listing = ParseTunablesListing(
      answer.tunables_text, absl::StrCat(loader_path, " ", kListTunables));
  if (!listing.ok()) return listing.status();
  answer.tunables = *std::move(listing);
  answer.thresholds = ThresholdsOf(answer.tunables);

  const absl::StatusOr<CommandResult> diagnostics =
      RunLoader(subprocess, loader_path, kListDiagnostics, environment);
  if (!diagnostics.ok()) return diagnostics.status();
  if (LacksOption(*diagnostics, kListDiagnostics)) return answer;
  if (!diagnostics->succeeded()) {
    return Failed(loader_path, kListDiagnostics, *diagnostics);
  }
  absl::StatusOr<DiagnosticsListing> parsed =
      ParseDiagnosticsListing(diagnostics->standard_output,
                              absl::StrCat(loader_path, " ", kListDiagnostics));
  if (!parsed.ok()) return parsed.status();
  answer.diagnostics_text = diagnostics->standard_output;
  answer.diagnostics = *std::move(parsed);
  answer.thresholds = ThresholdsOf(*answer.diagnostics, answer.tunables);
  return answer;
}

}  // namespace advisor
