// zero_length: with size 0 no pointer is followed, however invalid, and the
// destination is returned.

#include "absl/strings/str_format.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {

void RunZeroLengthCheck(const CheckContext& context, CheckSession& session) {
  // Null, the first page, not canonical, the kernel's, the last byte, and a
  // page that may be neither read nor written.
  const uint64_t inaccessible =
      reinterpret_cast<uintptr_t>(World::Get().At(kNear.end()));
  const uint64_t pointers[] = {0,
                               1,
                               uint64_t{1} << 63,
                               uint64_t{0x8000} << 32,
                               ~uint64_t{0} << 32,
                               ~uint64_t{0},
                               inaccessible,
                               inaccessible + 63};
  for (const kernels::KernelParameters& parameters :
       ParametersToTry(context.variant)) {
    for (uint64_t destination : pointers) {
      for (uint64_t source : pointers) {
        PlacedCall call;
        call.placement = Placement::kInvalid;
        call.destination = destination;
        call.source = source;
        call.value = 0x5a;
        call.parameters = parameters;
        if (!session.Try(call)) return;
      }
    }
  }
}

std::optional<std::string> AttemptZeroLength(const CheckContext& context,
                                             const PlacedCall& call) {
  const AfterCall after = CallVariant(context.variant, call);
  if (after.result == DestinationOf(call)) return std::nullopt;
  return absl::StrFormat("returned %p for size 0, expected the destination %p",
                         after.result, DestinationOf(call));
}

}  // namespace glibc_patches
