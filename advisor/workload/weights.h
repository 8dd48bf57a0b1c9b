// How much the cells of a measurement count for a workload.

#ifndef ADVISOR_WORKLOAD_WEIGHTS_H_
#define ADVISOR_WORKLOAD_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "advisor/workload/workload.h"
#include "kernels/measure/cell.h"

namespace advisor {

// A size's share of the time that a workload spends in all its calls, 0 to 1.
struct SizeShare {
  bool is_memset = false;
  uint64_t size = 0;
  double share = 0;
};

// Cycles of one call of memmove or memset of a size; nullopt: not known.
using CyclesOf =
    std::function<std::optional<double>(bool is_memset, uint64_t size)>;

// By function, then size. Calls whose cycles are not known are left out.
std::vector<SizeShare> TimeShares(const Workload& workload,
                                  const CyclesOf& cycles);

// The share of sizes at most half an octave away, the nearer the more.
double ShareNear(const std::vector<SizeShare>& shares, bool is_memset,
                 uint64_t size);

// By function (is it memset?) and size.
using BySize = std::map<std::pair<bool, uint64_t>, double>;

struct NearestSize {
  uint64_t size;
  double value;
  double octaves;  // how far it is
};

// The entry of this function whose size is nearest in octaves, the smaller of
// two that are as near; nullopt without any. Size 0 counts as 1.
std::optional<NearestSize> FindNearestSize(const BySize& sizes, bool is_memset,
                                           uint64_t size);

struct NearestShares {
  // Of the time in all calls of the measured functions, by measured size.
  BySize shares;
  // In calls of sizes that are farther from every measured one; with `shares`
  // together 1, or all 0 where the workload has no such calls.
  double beyond = 0;
};

// Each call counts for the measured size that is nearest to it, at most
// `octaves` away, and takes that one's `cycles`; above 256 bytes, in proportion
// to its size.
NearestShares SharesOfNearest(const Workload& workload, const BySize& cycles,
                              double octaves);

// Beside other cells of its size: the product of
// - its alignment's share among the calls of that octave, where 100 were seen
//   and the size is small enough for it to matter (below 512 KiB), else 1;
// - its regime's share where the workload states it: kHot is "hot", kReadBack
//   "read_back", kRotating "cold" and "write_once". Else hot counts three times
//   as much as rotating, as without a workload, and read-back half of what is
//   not hot or more, if that was seen: what a program's own loads read back
//   cannot be seen, so that little is no evidence;
// - with several copiers the share "all_cores", with one the rest; 1 for both
//   where that is not stated.
double ConditionWeight(const Workload& workload, const kernels::Cell& cell);

}  // namespace advisor

#endif  // ADVISOR_WORKLOAD_WEIGHTS_H_
