// What an unmodified dynamic loader of glibc answers on another CPU: it is run
// under ptrace, its CPUID and XGETBV instructions answered from a CpuidSource,
// and its --list-tunables (2.33 and later) and --list-diagnostics (2.34 and
// later) are read. Exact for that very binary, with all that its distribution
// changed.
//
// No privileges are needed, only leave to trace one's own child. The loader
// runs no program and loads no library; what the kernel tells it (AT_HWCAP,
// AT_MINSIGSTKSZ, uname) is this machine's.

#ifndef ADVISOR_GLIBC_REPLAY_H_
#define ADVISOR_GLIBC_REPLAY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/replay_sites.h"
#include "advisor/host/file_reader.h"

namespace advisor {

enum class ReplayMode {
  // A breakpoint on each site: a few milliseconds a listing.
  kBreakpoints,
  // One instruction at a time, each looked at, so that no site can be missed:
  // some seconds a listing. For checking the other mode.
  kSingleStep,
};

struct ReplayOptions {
  // The value of GLIBC_TUNABLES; the environment has nothing else.
  std::optional<std::string> glibc_tunables;
  ReplayMode mode = ReplayMode::kBreakpoints;
  // From 2.40 on --list-diagnostics ends with all that CPUID answers, on each
  // CPU. That is `cpu` again, and asking takes 100 times as long as the rest;
  // unless wanted, the loader is ended there.
  bool raw_cpuid = false;
  // For each listing.
  absl::Duration time_limit = absl::Seconds(10);
};

struct ReplayResult {
  // For ParseTunablesListing and ParseDiagnosticsListing. nullopt: the loader
  // has no --list-diagnostics (2.33).
  std::string tunables;
  std::optional<std::string> diagnostics;
  // What --list-tunables wrote to standard error ("WARNING: ld.so: invalid
  // GLIBC_TUNABLES ...", 2.39 and later).
  std::string warnings;
  // Site (address before relocation) -> how often it was answered.
  std::map<uint64_t, int> hits;
};

class LoaderReplay {
 public:
  // Reads the loader and finds its sites. InvalidArgument where `loader_path`
  // is no glibc loader that can list its tunables.
  static absl::StatusOr<LoaderReplay> Create(const FileReader& files,
                                             absl::string_view loader_path);

  // Leaf and subleaf semantics are those of CpuidSource::Execute; XGETBV(0) is
  // Xcr0(). Errors, one line that starts with the loader's path:
  // InvalidArgument if `cpu` has OSXSAVE without an XCR0; PermissionDenied if
  // tracing is not allowed here; DeadlineExceeded past the time limit; Aborted
  // if a signal ended the loader; FailedPrecondition if it failed (built for a
  // later x86-64 level, say). The child is gone at the return, also when this
  // process is killed.
  // Safe to call from several threads.
  absl::StatusOr<ReplayResult> Run(
      const CpuidSource& cpu,
      const ReplayOptions& options = ReplayOptions()) const;

  const ReplaySites& sites() const { return sites_; }

 private:
  LoaderReplay(std::string path, bool lists_diagnostics, uint64_t entry,
               ReplaySites sites)
      : path_(std::move(path)),
        lists_diagnostics_(lists_diagnostics),
        entry_(entry),
        sites_(std::move(sites)) {}

  std::string path_;
  bool lists_diagnostics_;
  uint64_t entry_;
  ReplaySites sites_;
};

}  // namespace advisor

#endif  // ADVISOR_GLIBC_REPLAY_H_
