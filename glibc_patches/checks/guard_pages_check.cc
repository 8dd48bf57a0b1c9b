// guard_pages: no byte outside the operands is touched where that shows as a
// fault: with an inaccessible page right before or right after an operand.

#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

// Between guards, away from both.
constexpr uint64_t kInside = 256 << 10;

class Guards {
 public:
  Guards(const CheckContext& context, CheckSession& session)
      : variant_(context.variant),
        effort_(context.effort),
        one_in_(context.one_in),
        session_(session) {}

  bool Size(const kernels::KernelParameters& parameters, uint64_t size) {
    call_ = {};
    call_.size = size;
    call_.value = 0x5a;
    call_.parameters = parameters;
    const uint64_t edges[] = {kOther.begin, kOther.end() - size};
    for (uint64_t edge : edges) {
      if (variant_.function == kernels::Function::kMemset) {
        if (!Try(edge, 0)) return false;
      } else if (!Copy(edge, size)) {
        return false;
      }
    }
    return true;
  }

 private:
  // One operand at the edge and the other at every alignment, both at an edge,
  // and (memmove) overlapping at the edge.
  bool Copy(uint64_t edge, uint64_t size) {
    const uint64_t step = size > 2048 ? 31 : effort_ == Effort::kQuick ? 5 : 1;
    // Another rest of 64 for each size, so that all occur.
    for (uint64_t i = size % step; i < 64; i += step) {
      if (!Try(edge, kNear.begin + kInside + i) ||
          !Try(kNear.begin + kInside + i, edge)) {
        return false;
      }
    }
    for (uint64_t other : {kNear.begin, kNear.end() - size}) {
      if (!Try(edge, other) || !Try(other, edge)) return false;
    }
    if (variant_.function != kernels::Function::kMemmove) return true;
    for (uint64_t distance : {uint64_t{1}, uint64_t{17}, uint64_t{64}, size / 2,
                              size > 0 ? size - 1 : 0}) {
      const uint64_t beside =
          edge == kOther.begin ? edge + distance : edge - distance;
      if (!Try(edge, beside) || !Try(beside, edge)) return false;
    }
    return true;
  }

  bool Try(uint64_t destination, uint64_t source) {
    if (!IsChosen(calls_++, one_in_)) return true;
    call_.destination = destination;
    call_.source = source;
    return session_.Try(call_);
  }

  const kernels::Variant& variant_;
  const Effort effort_;
  const int one_in_;
  int64_t calls_ = 0;
  CheckSession& session_;
  PlacedCall call_;
};

}  // namespace

void RunGuardPagesCheck(const CheckContext& context, CheckSession& session) {
  Guards guards(context, session);
  const int random = context.effort == Effort::kQuick ? 8 : 64;
  for (const kernels::KernelParameters& parameters :
       ParametersToTry(context.variant)) {
    for (uint64_t size :
         SizesToTry(context.variant, parameters, random, context.seed)) {
      if (!guards.Size(parameters, size)) return;
    }
  }
}

std::optional<std::string> AttemptGuardPages(const CheckContext& context,
                                             const PlacedCall& call) {
  CallVariant(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  return std::nullopt;
}

}  // namespace glibc_patches
