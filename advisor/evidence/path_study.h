// The measurement behind a recommendation: for each size, how the three ways
// through memmove and memset (copy_path.h) compare on this machine.

#ifndef ADVISOR_EVIDENCE_PATH_STUDY_H_
#define ADVISOR_EVIDENCE_PATH_STUDY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "advisor/glibc/copy_path.h"
#include "kernels/measure/study.h"
#include "kernels/variant.h"

namespace advisor {

// The sides of a path study.
enum PathSide {
  kVectorsSide = 0,
  kRepStringSide = 1,
  kNonTemporalSide = 2,
  kVectorsAgainSide = 3,  // the same as kVectorsSide: the A/A control
};
inline constexpr int kPathSides = 4;

// Non-temporal stores are asked about from here on (bytes), unless glibc uses
// them for smaller calls: below, everything is in L2.
inline constexpr uint64_t kSmallestNonTemporal = uint64_t{512} << 10;
// The lowest non_temporal_threshold that the paged copy of 2.34 and later
// survives, and that 2.37 and later accept.
inline constexpr uint64_t kLowestNonTemporal = 0x4041;

// Which questions are asked, and of what sizes.
struct PathQuestions {
  // Where may rep movsb start: the variant's lowest threshold, in bytes.
  // nullopt: the variant has no rep movsb, or the release no such tunable.
  std::optional<uint64_t> rep_movsb_from;
  std::optional<uint64_t> rep_stosb_from;
  bool non_temporal_copy = false;
  bool non_temporal_set = false;
  // The smallest copy that they are asked about, and the threshold that brings
  // it to them, bytes.
  uint64_t non_temporal_from = kSmallestNonTemporal;
  uint64_t lowest_non_temporal = kLowestNonTemporal;
  // The largest copy that is measured, bytes.
  uint64_t largest = 0;
  // Copiers of the "all cores at once" cells; 1 leaves them out.
  int copiers = 1;
  // More cells: sizes four an octave instead of two, every alignment.
  bool full = false;
  // What calls cost that no path is asked about, small ones above all: needed
  // for the time of a whole workload.
  bool all_sizes = false;
};

// What is measured for these questions, the A/A control included.
std::vector<kernels::Contrast> PathContrasts(const PathQuestions& questions);

// The four sides as settings of a tree's variables.
std::vector<kernels::KernelParameters> PathParameters(
    const PathQuestions& questions);

// The four sides as values of GLIBC_TUNABLES; `base` (may be empty) is what the
// environment sets already and comes first.
std::vector<std::string> PathTunables(const PathQuestions& questions,
                                      const GlibcBuild& build,
                                      absl::string_view base);

// How much a cell counts beside others of its size; not negative.
using CellWeight = std::function<double(const kernels::Cell&)>;

// Without a workload. Buffers in use count three times as much as others: most
// small and middle calls are of that kind.
double WeightOf(const kernels::Cell& cell);

// What a path costs against vectors for calls of one size.
struct PathCost {
  // Mean log(path / vectors) over the conditions (alignment, regime, copiers),
  // by weight.
  double log_ratio = 0;
  // 95 % interval of that mean, processes being the replicates.
  kernels::Interval interval = {0, 0, 0};
  // The condition that the path does worst in, with its own interval; one that
  // has a weight.
  kernels::Interval worst = {0, 0, 0};
  kernels::Cell worst_cell;
};

struct SizeCosts {
  uint64_t size = 0;
  std::optional<PathCost> rep_string;
  std::optional<PathCost> non_temporal;
  // Cycles a call with vectors, the mean over the conditions by weight.
  double vectors = 0;
};

// One function's costs, by size.
struct PathCurve {
  std::vector<SizeCosts> sizes;

  // The cost of `path` at `size`, on a straight line between the measured sizes
  // around it over the logarithm of the size; 0 for vectors. nullopt more than
  // half an octave away from every size that `path` was measured at.
  std::optional<double> Cost(CopyPath path, uint64_t size) const;

  // Cycles a call with vectors: between measured sizes as for Cost, below the
  // smallest as there, above the largest in proportion. nullopt where nothing
  // was measured.
  std::optional<double> VectorCycles(uint64_t size) const;
};

// Cells without weight say nothing of the paths.
PathCurve CurveOf(const kernels::Study& study, bool is_memset,
                  const CellWeight& weight = &WeightOf);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_PATH_STUDY_H_
