// accesses: no byte is read outside the source or written outside the
// destination, also where no page ends and nothing changes: a sample of calls
// runs instruction by instruction.

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/stepper.h"
#include "glibc_patches/checks/world.h"
#include "kernels/parameter_sets.h"

namespace glibc_patches {
namespace {

// Steps, each of a few microseconds, and more in some guests.
int64_t StepsOf(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return 30000;
    case Effort::kNormal:
      return 100000;
    case Effort::kThorough:
      return 2000000;
  }
  return 0;
}

int64_t steps_made = 0;
bool refused = false;

// Calls of one rank are made in random order. Up to 24 KiB lies what a
// threshold at its floor decides, and beyond 256 KiB the loop over four pages.
int RankOf(uint64_t size) {
  if (size < kPage) return 0;
  return size < 24 << 10 ? 1 : 2;
}

// Every setting's sizes in random order, those below a page first.
std::vector<PlacedCall> Sample(const CheckContext& context) {
  const kernels::Variant& variant = context.variant;
  std::mt19937_64 random(context.seed);
  std::vector<PlacedCall> calls;
  const std::vector<kernels::KernelParameters> parameters =
      ParametersToTry(variant);
  const uint64_t vector = kernels::VectorOf(variant);
  for (const kernels::KernelParameters& each : parameters) {
    for (uint64_t size : SizesToTry(variant, each, 8, context.seed)) {
      PlacedCall call;
      call.size = size;
      call.value = 0x5a;
      call.parameters = each;
      // On both sides of the end of a page.
      call.destination = kOther.begin + (64 << 10) - 64 + random() % 128;
      call.source = kNear.begin + (64 << 10) - 64 + random() % 128;
      calls.push_back(call);
      if (random() % 2 == 0) {
        std::swap(calls.back().destination, calls.back().source);
      }
      if (variant.function != kernels::Function::kMemmove || size == 0) {
        continue;
      }
      const uint64_t distance = 1 + random() % std::min(size, 8 * vector);
      call.source = call.destination + distance;
      if (random() % 2 == 0) std::swap(call.destination, call.source);
      calls.push_back(call);
    }
  }
  std::shuffle(calls.begin(), calls.end(), random);
  std::stable_sort(calls.begin(), calls.end(),
                   [](const PlacedCall& a, const PlacedCall& b) {
                     return RankOf(a.size) < RankOf(b.size);
                   });
  return calls;
}

}  // namespace

void RunAccessesCheck(const CheckContext& context, CheckSession& session) {
  const int64_t budget = StepsOf(context.effort);
  const std::vector<PlacedCall> calls = Sample(context);
  uint64_t largest = 0;
  size_t made = 0;
  const auto first_of = [&](int rank) {
    return std::find_if(calls.begin(), calls.end(), [=](const PlacedCall& c) {
      return RankOf(c.size) >= rank;
    });
  };
  const auto run = [&](auto begin, auto end, int64_t limit) {
    for (auto call = begin; call != end && steps_made < limit; ++call) {
      if (!session.Try(*call)) return false;
      if (refused) return false;
      largest = std::max(largest, call->size);
      ++made;
    }
    return true;
  };
  if (run(calls.begin(), first_of(1), budget * 3 / 8) &&
      run(first_of(1), first_of(2), budget * 6 / 8)) {
    run(first_of(2), calls.end(), budget);
  }
  if (session.failed()) return;
  if (refused) {
    session.Note("not done: the kernel refuses to make code writable");
    return;
  }
  session.Note(absl::StrCat(made, " calls of up to ", largest, " bytes in ",
                            steps_made, " steps"));
}

std::optional<std::string> AttemptAccesses(const CheckContext& context,
                                           const PlacedCall& call) {
  const std::optional<SteppedCall> stepped = CallStepped(context.variant, call);
  World::Get().Restore(call.destination, call.size);
  if (!stepped.has_value()) {
    refused = true;
    return std::nullopt;
  }
  steps_made += stepped->instructions;
  return stepped->wrong;
}

}  // namespace glibc_patches
