#include "advisor/workload/weights.h"

#include <algorithm>
#include <cmath>

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Regime;

constexpr double kNearOctaves = 0.5;
// Up to this, calls of all sizes take much the same time.
constexpr uint64_t kSmallCall = 256;
constexpr uint64_t kLeastObserved = 100;
// Where the time is that of memory, alignment decides little; the cells there
// are of few alignments.
constexpr uint64_t kAlignmentMatters = uint64_t{512} << 10;
// Buffers in use, of what is not known (WeightOf in evidence/path_study.h).
constexpr double kHot = 0.75;

double AlignmentWeight(const Workload& workload, const Cell& cell) {
  const SizeDetail* detail = workload.DetailOf(cell.is_memset, cell.size);
  if (detail == nullptr || detail->observed < kLeastObserved ||
      cell.size >= kAlignmentMatters) {
    return 1;
  }
  switch (cell.alignment) {
    case Alignment::kAligned:
      return detail->aligned;
    case Alignment::kMisalignedDestination:
      return detail->destination_misaligned;
    case Alignment::kMisalignedBoth:
      return detail->both_misaligned + detail->source_misaligned;
    case Alignment::kPageAliasing:
      return detail->page_aliasing;
    case Alignment::kShortDistance:
      return detail->gap_below_4k;
    case Alignment::kOverlapForward:
      return detail->overlap_forward;
    case Alignment::kOverlapBackward:
      return detail->overlap_backward;
  }
  return 0;
}

double StatedRegimeWeight(const WorkloadConditions& conditions, Regime regime) {
  switch (regime) {
    case Regime::kHot:
      return conditions.hot;
    case Regime::kRotating:
      return conditions.cold + conditions.write_once;
    case Regime::kReadBack:
      return conditions.read_back;
  }
  return 0;
}

double RegimeWeight(const Workload& workload, const Cell& cell) {
  if (workload.conditions.has_value()) {
    return StatedRegimeWeight(*workload.conditions, cell.regime);
  }
  const SizeDetail* detail = workload.DetailOf(cell.is_memset, cell.size);
  const bool is_known = detail != nullptr && detail->observed >= kLeastObserved;
  const double read_back = std::max(0.5, is_known ? detail->read_back : 0);
  switch (cell.regime) {
    case Regime::kHot:
      return kHot;
    case Regime::kRotating:
      return (1 - kHot) * 2 * (1 - read_back);
    case Regime::kReadBack:
      return (1 - kHot) * 2 * read_back;
  }
  return 0;
}

double CopierWeight(const Workload& workload, const Cell& cell) {
  if (!workload.conditions.has_value() ||
      !workload.conditions->all_cores.has_value()) {
    return 1;
  }
  const double all_cores = *workload.conditions->all_cores;
  return cell.copiers > 1 ? all_cores : 1 - all_cores;
}

}  // namespace

std::vector<SizeShare> TimeShares(const Workload& workload,
                                  const CyclesOf& cycles) {
  std::vector<SizeShare> shares;
  double total = 0;
  for (const FunctionSizes& function : workload.functions) {
    for (const SizeCount& row : function.sizes) {
      const std::optional<double> each =
          cycles(function.is_memset(), row.mean());
      if (!each.has_value()) continue;
      const double time = static_cast<double>(row.calls) * *each;
      shares.push_back({function.is_memset(), row.mean(), time});
      total += time;
    }
  }
  for (SizeShare& share : shares) share.share /= total;
  std::stable_sort(
      shares.begin(), shares.end(), [](const SizeShare& a, const SizeShare& b) {
        return a.is_memset != b.is_memset ? b.is_memset : a.size < b.size;
      });
  return shares;
}

double ShareNear(const std::vector<SizeShare>& shares, bool is_memset,
                 uint64_t size) {
  double sum = 0;
  for (const SizeShare& share : shares) {
    if (share.is_memset != is_memset || share.size == 0) continue;
    const double distance =
        std::abs(std::log2(static_cast<double>(share.size)) -
                 std::log2(static_cast<double>(size)));
    sum += share.share * std::max(0.0, 1 - distance / kNearOctaves);
  }
  return sum;
}

std::optional<NearestSize> FindNearestSize(const BySize& sizes, bool is_memset,
                                           uint64_t size) {
  std::optional<NearestSize> best;
  for (const auto& [key, value] : sizes) {
    if (key.first != is_memset) continue;
    const double octaves =
        std::abs(std::log2(static_cast<double>(std::max<uint64_t>(1, size)) /
                           static_cast<double>(key.second)));
    if (!best.has_value() || octaves < best->octaves) {
      best = {key.second, value, octaves};
    }
  }
  return best;
}

NearestShares SharesOfNearest(const Workload& workload, const BySize& cycles,
                              double octaves) {
  NearestShares result;
  for (const SizeShare& share :
       TimeShares(workload,
                  [&](bool is_memset, uint64_t size) -> std::optional<double> {
                    const auto near = FindNearestSize(cycles, is_memset, size);
                    if (!near.has_value()) return std::nullopt;
                    const double longer = static_cast<double>(size) /
                                          static_cast<double>(near->size);
                    return near->value * (size > kSmallCall ? longer : 1);
                  })) {
    const auto near = FindNearestSize(cycles, share.is_memset, share.size);
    if (near->octaves > octaves) {
      result.beyond += share.share;
    } else {
      result.shares[{share.is_memset, near->size}] += share.share;
    }
  }
  return result;
}

double ConditionWeight(const Workload& workload, const Cell& cell) {
  return AlignmentWeight(workload, cell) * RegimeWeight(workload, cell) *
         CopierWeight(workload, cell);
}

}  // namespace advisor
