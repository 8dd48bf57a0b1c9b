#include "advisor/glibc/replay.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/glibc/elf_file.h"
#include "advisor/glibc/replay_tracer.h"

namespace advisor {
namespace {

constexpr absl::string_view kListTunables = "--list-tunables";
constexpr absl::string_view kListDiagnostics = "--list-diagnostics";

// The last threshold or cache size that every release prints.
constexpr absl::string_view kLastWanted =
    "\nx86.cpu_features.level4_cache_size=";

// CPUID.1:ECX[27], OSXSAVE: XGETBV may be executed.
constexpr uint32_t kOsxsave = uint32_t{1} << 27;

}  // namespace

absl::StatusOr<LoaderReplay> LoaderReplay::Create(
    const FileReader& files, absl::string_view loader_path) {
  const absl::StatusOr<std::string> content = files.Read(loader_path);
  if (!content.ok()) return content.status();
  const absl::StatusOr<ElfFile> file = ParseElfFile(*content, loader_path);
  if (!file.ok()) return file.status();
  const auto wrong = [&](absl::string_view found) {
    return absl::InvalidArgumentError(
        absl::StrCat(loader_path,
                     ": expected a dynamic loader of glibc 2.33 or later, "
                     "found ",
                     found));
  };
  if (file->interpreter.has_value()) {
    return wrong(absl::StrCat("a program of the loader ", *file->interpreter));
  }
  if (absl::StrContains(*content, "musl libc")) return wrong("musl's");
  // The options' names stand in the loader as they are compared.
  if (!absl::StrContains(*content, kListTunables)) {
    return wrong("one without --list-tunables");
  }
  ReplaySites sites = FindReplaySites(*file);
  if (sites.sites.empty()) return wrong("no CPUID instruction in its code");
  return LoaderReplay(std::string(loader_path),
                      absl::StrContains(*content, kListDiagnostics),
                      file->entry, std::move(sites));
}

absl::StatusOr<ReplayResult> LoaderReplay::Run(
    const CpuidSource& cpu, const ReplayOptions& options) const {
  if ((cpu.Execute(1).ecx & kOsxsave) != 0 && !cpu.Xcr0().has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path_,
        ": cannot be replayed: the CPUID data has OSXSAVE (leaf 1, "
        "ECX[27]) but no XCR0, which XGETBV gives"));
  }
  TracedCommand command;
  if (options.glibc_tunables.has_value()) {
    command.environment.push_back(
        absl::StrCat("GLIBC_TUNABLES=", *options.glibc_tunables));
  }
  command.entry = entry_;
  command.sites = &sites_;
  command.cpu = &cpu;
  command.mode = options.mode;
  command.time_limit = options.time_limit;

  command.argv = {path_, std::string(kListTunables)};
  absl::StatusOr<TracedOutput> tunables = RunTraced(command);
  if (!tunables.ok()) return tunables.status();
  ReplayResult result;
  result.tunables = std::move(tunables->standard_output);
  result.warnings = std::move(tunables->standard_error);
  result.hits = std::move(tunables->hits);
  if (!lists_diagnostics_) return result;

  command.argv = {path_, std::string(kListDiagnostics)};
  if (!options.raw_cpuid) command.last_wanted = std::string(kLastWanted);
  absl::StatusOr<TracedOutput> diagnostics = RunTraced(command);
  if (!diagnostics.ok()) return diagnostics.status();
  result.diagnostics = std::move(diagnostics->standard_output);
  for (const auto& [site, hits] : diagnostics->hits) result.hits[site] += hits;
  return result;
}

}  // namespace advisor
