// return_value: the destination, and of mempcpy the byte after it.

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {

void RunReturnValueCheck(const CheckContext& context, CheckSession& session) {
  ForEachSize(context, context.effort == Effort::kQuick ? 4 : 16,
              [&](const PlacedCall& call) { return session.Try(call); });
}

std::optional<std::string> AttemptReturnValue(const CheckContext& context,
                                              const PlacedCall& call) {
  const AfterCall after = CallVariant(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  const bool ahead = context.variant.function == kernels::Function::kMempcpy;
  const int64_t expected = ahead ? call.size : 0;
  const int64_t found = after.result - DestinationOf(call);
  if (found == expected) return std::nullopt;
  return absl::StrCat("returned the destination plus ", found,
                      ", expected plus ", expected);
}

}  // namespace glibc_patches
