#include "glibc_patches/checks/shrink.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "glibc_patches/checks/child.h"
#include "glibc_patches/checks/single_call.h"

namespace glibc_patches {
namespace {

class Shrinker {
 public:
  Shrinker(const CheckRow& row, const CheckContext& context,
           const RunLimits& limits)
      : row_(row),
        context_(context),
        limits_(limits),
        deadline_(absl::Now() + limits.shrinking) {}

  bool has_time() const { return absl::Now() < deadline_; }
  // An attempt gave no answer.
  bool cut_short() const { return cut_short_; }

  // What is wrong with the call; nullopt: nothing.
  std::optional<std::string> Attempt(const PlacedCall& call) {
    if (!IsPossible(context_.variant, call)) return std::nullopt;
    const absl::Duration time =
        std::max(absl::Seconds(1), deadline_ - absl::Now());
    SingleCallAnswer answer =
        MakeSingleCall(row_, context_, limits_, time, call, page_);
    if (!answer.answered) cut_short_ = true;
    return std::move(answer.wrong);
  }

  // Takes `candidate` over when it fails too.
  bool Take(const PlacedCall& candidate, SmallestCall& smallest) {
    if (!has_time()) return false;
    std::optional<std::string> what = Attempt(candidate);
    if (!what.has_value()) return false;
    smallest = {candidate, *std::move(what)};
    return true;
  }

 private:
  const CheckRow& row_;
  const CheckContext& context_;
  const RunLimits& limits_;
  const absl::Time deadline_;
  ReportPage page_;
  bool cut_short_ = false;
};

// The size, with the beginnings, and then with the ends, of the operands kept.
bool ShrinkSize(Shrinker& shrinker, SmallestCall& smallest) {
  bool any = false;
  for (uint64_t step = smallest.call.size; step > 0;) {
    bool taken = false;
    for (bool keep_ends : {false, true}) {
      if (step > smallest.call.size) break;
      PlacedCall candidate = smallest.call;
      candidate.size -= step;
      if (keep_ends) {
        candidate.destination += step;
        candidate.source += step;
      }
      taken = shrinker.Take(candidate, smallest);
      if (taken) break;
    }
    any = any || taken;
    if (!taken) step /= 2;
    if (!shrinker.has_time()) break;
  }
  return any;
}

// Offsets moved down to multiples of 4096, 2048, ..., with the distance kept
// where both move.
bool ShrinkOffsets(Shrinker& shrinker, SmallestCall& smallest) {
  const auto move = [&](bool destination, bool source) {
    for (uint64_t unit = kPage; unit > 1; unit /= 2) {
      PlacedCall candidate = smallest.call;
      const uint64_t by =
          (destination ? candidate.destination : candidate.source) % unit;
      if (by == 0) return false;
      if (destination) candidate.destination -= by;
      if (source) candidate.source -= by;
      if (shrinker.Take(candidate, smallest)) return true;
    }
    return false;
  };
  bool any = move(true, true);
  any = move(true, false) || any;
  return move(false, true) || any;
}

// Thresholds that do not matter are set to "never", so that what is left does.
bool ShrinkParameters(Shrinker& shrinker, SmallestCall& smallest) {
  using kernels::KernelParameters;
  bool any = false;
  for (const auto field : {&KernelParameters::rep_movsb_threshold,
                           &KernelParameters::rep_movsb_stop_threshold,
                           &KernelParameters::rep_stosb_threshold,
                           &KernelParameters::non_temporal_threshold,
                           &KernelParameters::memset_non_temporal_threshold,
                           &KernelParameters::data_cache_size,
                           &KernelParameters::shared_cache_size,
                           &KernelParameters::string_control}) {
    const uint64_t plain =
        field == &KernelParameters::string_control ? 0 : kernels::kNever;
    const std::optional<uint64_t> now = smallest.call.parameters.*field;
    if (!now.has_value() || *now >= kernels::kNever || *now == plain) continue;
    PlacedCall candidate = smallest.call;
    candidate.parameters.*field = plain;
    any = shrinker.Take(candidate, smallest) || any;
  }
  return any;
}

}  // namespace

SmallestCall Shrink(const CheckRow& row, const CheckContext& context,
                    const RunLimits& limits, const PlacedCall& call,
                    std::string what) {
  SmallestCall smallest = {call, std::move(what)};
  if (limits.shrinking <= absl::ZeroDuration()) return smallest;
  Shrinker shrinker(row, context, limits);
  if (!shrinker.Take(call, smallest)) {
    if (!shrinker.cut_short()) {
      absl::StrAppend(&smallest.what,
                      " (not again when this call is made alone)");
    }
    return smallest;
  }
  bool smaller = true;
  while (smaller && shrinker.has_time()) {
    smaller = ShrinkSize(shrinker, smallest);
    smaller = ShrinkParameters(shrinker, smallest) || smaller;
    smaller = ShrinkOffsets(shrinker, smallest) || smaller;
  }
  return smallest;
}

}  // namespace glibc_patches
