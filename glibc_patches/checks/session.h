// A check's side of the page that its child process shares with the runner.

#ifndef GLIBC_PATCHES_CHECKS_SESSION_H_
#define GLIBC_PATCHES_CHECKS_SESSION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {

// Plain memory: written by a child that tested code may have damaged, so the
// reader trusts no length and no text in it.
struct SharedReport {
  static constexpr size_t kTextSize = 32 << 10;
  // Set by the parent: calls that an earlier child made, and which are counted
  // but not made again.
  int64_t calls_made;
  // Counts calls; `call` is the one in progress while `in_call` is set.
  volatile int64_t calls;
  volatile bool in_call;
  // It is in progress in the base.
  volatile bool in_base;
  // Calls that gave a wrong answer in the base too.
  volatile int64_t wrong_in_base;
  PlacedCall call;
  // Set by the child's last act.
  volatile bool finished;
  // A signal that ended a call, where it struck, and what it touched.
  volatile int signal;
  volatile uint64_t instruction;
  volatile uint64_t address;
  volatile bool hung;
  // The call that `what` is about.
  bool failed_call_known;
  PlacedCall failed_call;
  // Each ends with a NUL; notes and findings in the code are separated by '\n'.
  char what[1024];
  char code_findings[kTextSize];
  char notes[kTextSize];
  // Block coverage: -1 when there is none.
  int executed;
  int total;
  int never_count;
  int64_t never[2048];
};

class CheckSession {
 public:
  CheckSession(const CheckRow& row, const CheckContext& context,
               SharedReport* report)
      : row_(row), context_(context), report_(report) {}

  // Makes the call with the row's `attempt`. False when something was wrong,
  // and was not so in the context's base: the check should then return.
  bool Try(const PlacedCall& call) { return Try(call, row_.attempt); }
  // With another function than the row's, a quicker one.
  using Attempt = std::optional<std::string> (*)(const CheckContext& context,
                                                 const PlacedCall& call);
  bool Try(const PlacedCall& call, Attempt attempt);
  // As Try(), for checks that judge several calls at once: `what` is wrong with
  // `call`.
  void Fail(const PlacedCall& call, absl::string_view what);
  // Something wrong in the code itself.
  void FailCode(absl::string_view what);
  void Note(absl::string_view text);
  void SetCoverage(const BlockCoverage& coverage);

  bool failed() const;
  int64_t wrong_in_base() const { return report_->wrong_in_base; }

 private:
  bool IsWrongInBase(const PlacedCall& call, Attempt attempt);

  const CheckRow& row_;
  const CheckContext& context_;
  SharedReport* report_;
};

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_SESSION_H_
