// Which libc a program on this machine uses, and what its own loader says.

#ifndef ADVISOR_GLIBC_INSTALLED_LIBC_H_
#define ADVISOR_GLIBC_INSTALLED_LIBC_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"

namespace advisor {

// "GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version 2.36."
// stands in libc.so.6, "ld.so (...) ..." in the loader (2.33 and later).
struct LibcBanner {
  // "2.36". A development version is "2.38.9000".
  std::string release;
  // "Debian GLIBC 2.36-9+deb12u14", "GNU libc": what the builder called it.
  std::string package;
  // "Debian" and "2.36-9+deb12u14"; nullopt where the builder left its name
  // out (Fedora, RHEL and SUSE do, and so does a build of one's own).
  std::optional<std::string> distribution;
  std::optional<std::string> revision;

  bool operator==(const LibcBanner& other) const {
    return release == other.release && package == other.package &&
           distribution == other.distribution && revision == other.revision;
  }
};

// In the bytes of a libc.so.6 or a loader, or in what `--version` prints.
std::optional<LibcBanner> FindLibcBanner(absl::string_view content);

struct InstalledLibc {
  // As the program names it, and with all links resolved.
  std::string interpreter;
  std::string loader_path;
  std::optional<std::string> loader_build_id;
  // libc.so.6 beside the loader, links resolved; nullopt: there is none. (A
  // program may load another one: LD_LIBRARY_PATH, RUNPATH.)
  std::optional<std::string> libc_path;
  std::optional<std::string> libc_build_id;
  // The x86-64 level that libc.so.6, or else the loader, needs: 1 to 4;
  // nullopt: it does not say (ElfFile::isa_level).
  std::optional<int> isa_level;
  // libc.so.6's, else the loader's.
  std::optional<LibcBanner> banner;
  // Version of the package libc6 (or its like) in dpkg's data base; nullopt
  // where there is no such package or the loader is not the system's. A banner
  // with another revision means that one of the two is not what it seems.
  std::optional<std::string> package_version;
  // GLIBC_TUNABLES of the environment.
  std::optional<std::string> glibc_tunables;
};

// Reads files only; nothing is run. Without `program` it is the loader that
// x86-64 programs of the GNU system name. Errors: NotFound,
// InvalidArgument "PATH: expected ..., found ...", and FailedPrecondition for
// a program without a loader (static) or with musl's.
absl::StatusOr<InstalledLibc> FindInstalledLibc(
    const FileReader& files, const Environment& environment,
    std::optional<absl::string_view> program = std::nullopt);

// "Package: libc6" of architecture amd64, installed, in the text of dpkg's
// status file.
std::optional<std::string> FindDpkgLibcVersion(absl::string_view status_text);

struct LoaderAnswer {
  std::string tunables_text;
  TunablesListing tunables;
  // nullopt: the loader has no --list-diagnostics (2.33).
  std::optional<std::string> diagnostics_text;
  std::optional<DiagnosticsListing> diagnostics;
  // Standard error of --list-tunables ("WARNING: ld.so: invalid ...").
  std::string warnings;
  EffectiveThresholds thresholds;
};

// Runs `loader_path` with --list-tunables and --list-diagnostics. Of
// `environment` the loader gets GLIBC_TUNABLES alone. Errors, one line that
// starts with the path: NotFound, PermissionDenied (not executable),
// FailedPrecondition (musl's, or glibc before 2.33, which cannot list),
// DeadlineExceeded, Internal (crashed or failed), InvalidArgument (its output
// is not as expected).
absl::StatusOr<LoaderAnswer> AskLoader(const Subprocess& subprocess,
                                       absl::string_view loader_path,
                                       const Environment& environment);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_INSTALLED_LIBC_H_
