#include "advisor/lint/program.h"

#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/elf_file.h"
#include "advisor/host/environment.h"

namespace advisor {
namespace {

constexpr absl::string_view kRpmDataBases[] = {
    "/var/lib/rpm/rpmdb.sqlite", "/usr/lib/sysimage/rpm/rpmdb.sqlite",
    "/var/lib/rpm/Packages.db",  "/usr/lib/sysimage/rpm/Packages.db",
    "/var/lib/rpm/Packages",     "/usr/share/rpm/rpmdb.sqlite"};

// AT_SECURE of <elf.h>.
constexpr uint64_t kAtSecure = 23;

bool IsVersion(absl::string_view text) {
  if (text.empty() || !absl::ascii_isdigit(text[0])) return false;
  for (const char c : text) {
    if (!absl::ascii_isgraph(c)) return false;
  }
  return true;
}

// The C string at the front of `text`.
absl::string_view Front(absl::string_view text) {
  return text.substr(0, text.find('\0'));
}

std::optional<std::string> RpmVersion(const FileReader& files) {
  for (const absl::string_view path : kRpmDataBases) {
    const absl::StatusOr<std::string> content = files.Read(path);
    if (!content.ok()) continue;
    const auto version = FindRpmLibcVersion(*content);
    if (version.has_value()) return version;
  }
  return std::nullopt;
}

std::optional<bool> SecureIn(absl::string_view auxv) {
  for (size_t at = 0; at + 16 <= auxv.size(); at += 16) {
    uint64_t pair[2];
    std::memcpy(pair, auxv.data() + at, sizeof(pair));
    if (pair[0] == kAtSecure) return pair[1] != 0;
  }
  return std::nullopt;
}

ProgramFacts StaticProgram(absl::string_view path, absl::string_view content) {
  ProgramFacts facts;
  facts.path = std::string(path);
  facts.is_static = true;
  const std::optional<LibcBanner> banner = FindLibcBanner(content);
  if (!banner.has_value()) {
    facts.problem = absl::StrCat(
        path, ": is linked statically, and no glibc names its release in it");
    return facts;
  }
  absl::StatusOr<GlibcBuild> build =
      ParseGlibcBuild(banner->revision.value_or(banner->release));
  if (!build.ok()) build = ParseGlibcBuild(banner->release);
  if (build.ok()) {
    facts.build = *std::move(build);
  } else {
    facts.problem = absl::StrCat(path, ": ", build.status().message());
  }
  return facts;
}

}  // namespace

std::optional<std::string> FindRpmLibcVersion(absl::string_view data_base) {
  // A header's strings begin with those of the tags of the lowest numbers: the
  // locale table, the name, the version, the release.
  constexpr absl::string_view kName("C\0glibc\0", 8);
  for (size_t at = data_base.find(kName); at != absl::string_view::npos;
       at = data_base.find(kName, at + 1)) {
    absl::string_view rest = data_base.substr(at + kName.size(), 256);
    const absl::string_view version = Front(rest);
    if (!IsVersion(version) || version.size() + 1 >= rest.size()) continue;
    rest.remove_prefix(version.size() + 1);
    const absl::string_view release = Front(rest);
    if (IsVersion(release)) return absl::StrCat(version, "-", release);
  }
  return std::nullopt;
}

absl::StatusOr<GlibcBuild> BuildOf(const FileReader& files,
                                   const InstalledLibc& libc) {
  std::vector<std::string> names;
  if (libc.banner.has_value() && libc.banner->revision.has_value()) {
    names.push_back(*libc.banner->revision);
  }
  if (libc.package_version.has_value()) names.push_back(*libc.package_version);
  if (names.empty()) {
    const auto rpm = RpmVersion(files);
    // Of another libc than this one, else.
    if (rpm.has_value() && libc.banner.has_value() &&
        absl::StartsWith(*rpm, absl::StrCat(libc.banner->release, "-"))) {
      names.push_back(*rpm);
    }
  }
  for (const std::string& name : names) {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(name);
    if (build.ok()) return build;
  }
  if (!libc.banner.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(libc.loader_path,
                     ": expected a banner with the release, found none; use "
                     "--glibc"));
  }
  return ParseGlibcBuild(libc.banner->release);
}

ProgramFacts ExamineProgram(const FileReader& files, absl::string_view path) {
  ProgramFacts facts;
  facts.path = std::string(path);
  const absl::StatusOr<std::string> content = files.Read(path);
  if (!content.ok()) {
    facts.problem = std::string(content.status().message());
    return facts;
  }
  // A script runs with the libc of its interpreter: the system's, most likely.
  const bool is_script = absl::StartsWith(*content, "#!");
  if (!is_script) {
    const absl::StatusOr<ElfFile> file = ParseElfFile(*content, path);
    if (!file.ok()) {
      facts.problem = std::string(file.status().message());
      return facts;
    }
    if (!file->interpreter.has_value()) return StaticProgram(path, *content);
  }
  const absl::StatusOr<InstalledLibc> libc =
      is_script ? FindInstalledLibc(files, Environment())
                : FindInstalledLibc(files, Environment(), path);
  if (!libc.ok()) {
    facts.problem = std::string(libc.status().message());
    return facts;
  }
  absl::StatusOr<GlibcBuild> build = BuildOf(files, *libc);
  if (build.ok()) {
    facts.build = *std::move(build);
  } else {
    facts.problem = std::string(build.status().message());
  }
  return facts;
}

std::optional<std::string> FindTunablesInEnviron(
    absl::string_view environ_text) {
  // The last variable has a NUL behind it, too.
  absl::ConsumeSuffix(&environ_text, absl::string_view("\0", 1));
  std::optional<std::string> value;
  for (absl::string_view entry : absl::StrSplit(environ_text, '\0')) {
    if (!value.has_value()) {
      if (absl::ConsumePrefix(&entry, "GLIBC_TUNABLES=")) {
        value = std::string(entry);
      }
    } else if (entry.empty() || absl::StartsWith(entry, "glibc.")) {
      absl::StrAppend(&*value, ":", entry);
    } else {
      break;
    }
  }
  return value;
}

absl::StatusOr<ProcessFacts> ReadProcess(const FileReader& files,
                                         const ProcessDoor& door, int pid) {
  ProcessFacts facts;
  absl::StatusOr<std::string> program = door.Executable(pid);
  if (!program.ok()) return program.status();
  facts.program = *std::move(program);
  const absl::StatusOr<std::string> environ_text =
      files.Read(absl::StrCat("/proc/", pid, "/environ"));
  if (!environ_text.ok()) return environ_text.status();
  facts.glibc_tunables = FindTunablesInEnviron(*environ_text);
  const absl::StatusOr<std::string> auxv =
      files.Read(absl::StrCat("/proc/", pid, "/auxv"));
  if (auxv.ok()) facts.secure = SecureIn(*auxv);
  return facts;
}

}  // namespace advisor
