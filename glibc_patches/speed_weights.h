// Which measured cells matter for a mix of calls, and what the patch does to
// the whole mix.

#ifndef GLIBC_PATCHES_SPEED_WEIGHTS_H_
#define GLIBC_PATCHES_SPEED_WEIGHTS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/host/file_reader.h"
#include "advisor/workload/workload.h"
#include "glibc_patches/speed.h"

namespace glibc_patches {

// A size class with less of the time than this does not matter: it would have
// to take a hundred times as long to cost the program 5 %. As in
// advisor/measurement/part.cc, and so is the next.
inline constexpr double kLeastShare = 0.0005;
// Nor does an alignment or regime of less than this share of its class.
inline constexpr double kLeastCondition = 0.01;
// A measured size stands for others up to so many octaves away: plans leave no
// larger gaps between two sizes than twice that.
inline constexpr double kClassOctaves = 1.5;

struct CallMix {
  std::string name;
  std::string provenance;  // one line
  // Each counts the same, however many calls it has.
  std::vector<advisor::Workload> workloads;
  // Nobody said whose calls count.
  bool is_default = false;
};

// `what` as LoadWorkload() takes it; nullopt: all workloads that ship with the
// program and were recorded. Errors are those of LoadWorkload().
absl::StatusOr<CallMix> LoadCallMix(const advisor::FileReader& files,
                                    const std::optional<std::string>& what);

struct CellWeight {
  // Of the time that the mix spends in the functions that are measured of the
  // cell's kind, the share of its size class, alignment and regime. A cell
  // under other thresholds than this machine's, or with several copiers, has
  // the share that it would have if all calls were such.
  double share = 0;
  bool matters = false;
};

// The change of the time of all calls of the mix, with this machine's
// thresholds and one copier.
struct WorkloadChange {
  std::string kind;   // of variants: "evex_unaligned_erms"
  std::string calls;  // "copies", "memset" or "copies and memset"
  SpeedJudgement judgement = SpeedJudgement::kCannotTell;
  // log(patched / base): the median over processes and its distribution-free
  // 95 % interval; the control's likewise.
  kernels::Interval interval = {0, 0, 0};
  kernels::Interval control = {0, 0, 0};
  // What the intervals of its cells together permit at most; they may rest on a
  // second look.
  double bound = 0;
  // The share of its time that the interval is about: in calls of sizes near a
  // measured one. nullopt: the mix has no such calls.
  std::optional<double> measured;
  // Processes that have measured all of it.
  int processes = 0;
};

struct WeighedSpeed {
  std::string workload;
  std::string provenance;
  bool is_default = false;
  std::vector<CellWeight> cells;  // as SpeedResult::cells
  std::vector<WorkloadChange> changes;
};

// What a change of the whole mix is called "same" within: many cells' noise
// averages out.
inline constexpr double kWorkloadBand = 0.01;

// The change of the mix is from the samples of the first look, which no cell
// was picked out for.
WeighedSpeed Weigh(const CallMix& mix, const SpeedResult& speed);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_WEIGHTS_H_
