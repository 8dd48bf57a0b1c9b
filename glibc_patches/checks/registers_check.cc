// registers: what a call must preserve (System V AMD64 ABI, section 3.2.1):
// rbx, rbp, r12 to r15, rsp and the caller's stack, the direction flag clear,
// the control bits of MXCSR and the x87 control word, x87 registers empty.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

constexpr uint64_t kDirectionFlag = 1 << 10;
// The low six bits of MXCSR are status, not control.
constexpr uint32_t kMxcsrControl = ~uint32_t{0x3f};

}  // namespace

void RunRegistersCheck(const CheckContext& context, CheckSession& session) {
  ForEachSize(context, context.effort == Effort::kQuick ? 4 : 16,
              [&](const PlacedCall& call) { return session.Try(call); });
}

std::optional<std::string> AttemptRegisters(const CheckContext& context,
                                            const PlacedCall& call) {
  const AfterCall after = CallVariant(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  for (int i = 0; i < 6; ++i) {
    if (after.changed[i] != 0) {
      return absl::StrCat(kPreservedNames[i], " is not preserved");
    }
  }
  if (after.stack_moved != 0) {
    return absl::StrCat("rsp is ", after.stack_moved,
                        " away from where it was");
  }
  if (after.stack_words_changed != 0) {
    return "the caller's stack above the return address has changed";
  }
  if ((after.flags & kDirectionFlag) != 0) {
    return "the direction flag is left set";
  }
  if (((after.mxcsr ^ after.mxcsr_before) & kMxcsrControl) != 0) {
    return absl::StrFormat("the control bits of MXCSR are 0x%x, were 0x%x",
                           after.mxcsr & kMxcsrControl,
                           after.mxcsr_before & kMxcsrControl);
  }
  if (after.x87_control != after.x87_control_before) {
    return absl::StrFormat("the x87 control word is 0x%x, was 0x%x",
                           after.x87_control, after.x87_control_before);
  }
  if (after.x87_tags != 0xffff) {
    return "x87 registers are left in use (MMX without emms)";
  }
  return std::nullopt;
}

}  // namespace glibc_patches
