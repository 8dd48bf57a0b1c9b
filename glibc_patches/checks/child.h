// The child processes of the runner.

#ifndef GLIBC_PATCHES_CHECKS_CHILD_H_
#define GLIBC_PATCHES_CHECKS_CHILD_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {

enum class ChildEnd {
  // `body` returned.
  kFinished,
  // A signal, an exit in the middle, or a call that hung; SharedReport says
  // more where the child could.
  kDied,
  kTimeLimit,
  // It could not be started: no statement about the tested code.
  kNotStarted,
};

struct ChildOutcome {
  ChildEnd end;
  // The wait status when it died by itself.
  int wait_status = 0;
};

// Forks and runs `body` in a child of its own process group with /dev/null for
// its three descriptors and no others, no core file, limits on address space
// and time, and handlers that tell `report` of a fault. In the child an `xtest`
// that the CPU does not know is answered with "not in a transaction". A call
// during which `hang` of CPU time passes is a hang. `report` must be
// memory that parent and child share.
ChildOutcome RunInChild(SharedReport* report, const RunLimits& limits,
                        absl::Duration time, absl::Duration hang,
                        absl::FunctionRef<void()> body);

// "SIGSEGV at an address 3 bytes past the end of the source (instruction at
// offset 0x45 of ...)": why the child died in its last call.
std::string DescribeDeath(const kernels::Variant& variant,
                          const SharedReport& report,
                          const ChildOutcome& outcome);

// A zeroed SharedReport for as long as this lives; nullptr without memory.
class ReportPage {
 public:
  ReportPage();
  ~ReportPage();
  ReportPage(const ReportPage&) = delete;
  ReportPage& operator=(const ReportPage&) = delete;
  SharedReport* get() const { return report_; }
  void Clear();

 private:
  SharedReport* report_;
};

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CHILD_H_
