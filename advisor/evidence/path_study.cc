#include "advisor/evidence/path_study.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::Interval;
using ::kernels::KernelParameters;
using ::kernels::Regime;

// Out of reach of every size that is measured, and within what every release
// accepts: 2.33 to 2.40 keep rep_movsb_threshold in 32 bits (bug 32470).
constexpr uint64_t kNever = uint64_t{1} << 31;

// `rep` strings are asked about up to here; past it they and vectors both run
// at the speed of memory.
constexpr uint64_t kLargestRepString = uint64_t{4} << 20;
constexpr double kLittle = 1e-9;

// `per_octave` sizes an octave, each one past a round number: thresholds are
// compared strictly. From the first at or above `from`, up to `to`.
std::vector<uint64_t> Sizes(uint64_t from, uint64_t to, int per_octave) {
  std::vector<uint64_t> sizes;
  for (uint64_t octave = 64; octave <= to; octave *= 2) {
    for (int i = 0; i < per_octave; ++i) {
      const uint64_t size = octave + octave * i / per_octave + 1;
      if (size > from && size <= to + 1) sizes.push_back(size);
    }
  }
  return sizes;
}

// Long calls need fewer pairs, and time for more does not exist.
int PairsFor(uint64_t size) {
  if (size > uint64_t{4} << 20) return 3;
  if (size > uint64_t{1} << 20) return 5;
  if (size > uint64_t{128} << 10) return 9;
  return 15;
}

void Add(std::vector<Contrast>& contrasts, const Cell& cell, int candidate) {
  contrasts.push_back({cell, kVectorsSide, candidate, PairsFor(cell.size)});
}

void AddRepString(std::vector<Contrast>& contrasts, bool is_memset,
                  uint64_t from, const PathQuestions& questions) {
  const uint64_t to = std::min(kLargestRepString, questions.largest);
  std::vector<Alignment> alignments = {Alignment::kAligned,
                                       Alignment::kMisalignedDestination};
  if (!is_memset) {
    alignments.push_back(Alignment::kMisalignedBoth);
    if (questions.full) alignments.push_back(Alignment::kPageAliasing);
  }
  for (const uint64_t size : Sizes(from, to, questions.full ? 4 : 2)) {
    for (const Alignment alignment : alignments) {
      for (const Regime regime : {Regime::kHot, Regime::kRotating}) {
        Add(contrasts, {is_memset, size, alignment, regime, 1}, kRepStringSide);
      }
    }
    Add(contrasts, {is_memset, size, Alignment::kAligned, Regime::kHot, 1},
        kVectorsAgainSide);
  }
}

void AddNonTemporal(std::vector<Contrast>& contrasts, bool is_memset,
                    const PathQuestions& questions) {
  const uint64_t from =
      is_memset ? kSmallestNonTemporal : questions.non_temporal_from;
  for (const uint64_t size :
       Sizes(from - 1, questions.largest, questions.full ? 2 : 1)) {
    std::vector<Cell> cells = {
        {is_memset, size, Alignment::kAligned, Regime::kRotating, 1},
        {is_memset, size, Alignment::kMisalignedDestination, Regime::kReadBack,
         1}};
    // Smaller buffers are in use when they are copied.
    if (questions.full || size < kSmallestNonTemporal) {
      cells.push_back({is_memset, size, Alignment::kAligned, Regime::kHot, 1});
    }
    if (questions.copiers > 1) {
      for (const Regime regime : {Regime::kRotating, Regime::kReadBack}) {
        cells.push_back(
            {is_memset, size, Alignment::kAligned, regime, questions.copiers});
      }
    }
    for (const Cell& cell : cells) Add(contrasts, cell, kNonTemporalSide);
    const bool has_rep_string = is_memset
                                    ? questions.rep_stosb_from.has_value()
                                    : questions.rep_movsb_from.has_value();
    if (has_rep_string && size > kLargestRepString + 1) {
      Add(contrasts, cells[0], kRepStringSide);
    }
    Add(contrasts, cells[0], kVectorsAgainSide);
  }
}

// Vectors against themselves, for what they cost.
void AddAllSizes(std::vector<Contrast>& contrasts, bool is_memset,
                 uint64_t largest) {
  for (const uint64_t size :
       {8, 32, 96, 256, 1025, 4097, 16385, 65537, 262145, 1048577, 4194305}) {
    const Contrast contrast = {
        {is_memset, size, Alignment::kAligned, Regime::kHot, 1},
        kVectorsSide,
        kVectorsAgainSide,
        PairsFor(size)};
    if (size <= largest + 1 && std::find(contrasts.begin(), contrasts.end(),
                                         contrast) == contrasts.end()) {
      contrasts.push_back(contrast);
    }
  }
}

// What the cells of one size and path say together.
class Pool {
 public:
  void Add(const kernels::ContrastResult& result, double weight) {
    sums_.resize(std::max(sums_.size(), result.log_ratios.size()));
    for (size_t i = 0; i < result.log_ratios.size(); ++i) {
      sums_[i] += weight * result.log_ratios[i];
    }
    const Interval interval = result.interval(0.95);
    if (weights_ == 0 || interval.middle > worst_.middle) {
      worst_ = interval;
      worst_cell_ = result.contrast.cell;
    }
    weights_ += weight;
  }

  PathCost Cost() const {
    // One value a process: cells of one process share its placement.
    std::vector<double> means = sums_;
    for (double& mean : means) mean /= weights_;
    const Interval interval = kernels::MeanInterval(means, 0.95);
    return {interval.middle, interval, worst_, worst_cell_};
  }

 private:
  std::vector<double> sums_;
  double weights_ = 0;
  Interval worst_ = {0, 0, 0};
  Cell worst_cell_;
};

// A value at log2 of the size `x` on the straight line between two points.
struct Line {
  double below, below_value, above, above_value;

  double at(double x) const {
    if (above <= below) return below_value;
    const double share = (x - below) / (above - below);
    return below_value * (1 - share) + above_value * share;
  }
};

}  // namespace

double WeightOf(const Cell& cell) {
  return cell.regime == Regime::kHot ? 3 : 1;
}

std::vector<Contrast> PathContrasts(const PathQuestions& questions) {
  std::vector<Contrast> contrasts;
  if (questions.rep_movsb_from.has_value()) {
    AddRepString(contrasts, false, *questions.rep_movsb_from, questions);
  }
  if (questions.rep_stosb_from.has_value()) {
    AddRepString(contrasts, true, *questions.rep_stosb_from, questions);
  }
  if (questions.non_temporal_copy) AddNonTemporal(contrasts, false, questions);
  if (questions.non_temporal_set) AddNonTemporal(contrasts, true, questions);
  if (questions.all_sizes) {
    AddAllSizes(contrasts, false, questions.largest);
    AddAllSizes(contrasts, true, questions.largest);
  }
  return contrasts;
}

std::vector<KernelParameters> PathParameters(const PathQuestions& questions) {
  KernelParameters vectors;
  vectors.non_temporal_threshold = kNever;
  vectors.rep_movsb_threshold = kNever;
  vectors.rep_movsb_stop_threshold = kNever;
  vectors.rep_stosb_threshold = kNever;
  vectors.memset_non_temporal_threshold = kNever;
  KernelParameters rep_string = vectors;
  rep_string.rep_movsb_threshold = questions.rep_movsb_from.value_or(kNever);
  rep_string.rep_stosb_threshold = questions.rep_stosb_from.value_or(kNever);
  KernelParameters non_temporal = vectors;
  non_temporal.non_temporal_threshold = questions.lowest_non_temporal;
  // memset looks at its non-temporal threshold past that of rep stosb only.
  non_temporal.rep_stosb_threshold = kLowestNonTemporal;
  non_temporal.memset_non_temporal_threshold = kLowestNonTemporal;
  return {vectors, rep_string, non_temporal, vectors};
}

std::vector<std::string> PathTunables(const PathQuestions& questions,
                                      const GlibcBuild& build,
                                      absl::string_view base) {
  std::vector<std::string> sides;
  for (const KernelParameters& side : PathParameters(questions)) {
    std::string text(base);
    const auto add = [&](absl::string_view name,
                         const std::optional<uint64_t>& value) {
      absl::StrAppend(&text, text.empty() ? "" : ":", build.tunable_namespace(),
                      name, "=", *value);
    };
    add("x86_non_temporal_threshold", side.non_temporal_threshold);
    if (build.Has(Change::kRepThresholdTunables)) {
      add("x86_rep_movsb_threshold", side.rep_movsb_threshold);
      add("x86_rep_stosb_threshold", side.rep_stosb_threshold);
    }
    if (build.Has(Change::kMemsetNonTemporalThreshold)) {
      add("x86_memset_non_temporal_threshold",
          side.memset_non_temporal_threshold);
    }
    sides.push_back(std::move(text));
  }
  return sides;
}

std::optional<double> PathCurve::Cost(CopyPath path, uint64_t size) const {
  if (path == CopyPath::kVectors) return 0;
  const auto octave = [](uint64_t bytes) {
    return std::log2(static_cast<double>(bytes));
  };
  const double x = octave(size);
  // The measured points next to `size` on both sides.
  std::optional<double> below, below_cost, above, above_cost;
  for (const SizeCosts& costs : sizes) {
    const std::optional<PathCost>& cost =
        path == CopyPath::kRepString ? costs.rep_string : costs.non_temporal;
    if (!cost.has_value()) continue;
    if (costs.size <= size) {
      below = octave(costs.size);
      below_cost = cost->log_ratio;
    } else if (!above.has_value()) {
      above = octave(costs.size);
      above_cost = cost->log_ratio;
    }
  }
  if (below.has_value() && above.has_value() && *above - *below <= 1.01) {
    return Line{*below, *below_cost, *above, *above_cost}.at(x);
  }
  if (below.has_value() && x - *below <= 0.5) return below_cost;
  if (above.has_value() && *above - x <= 0.5) return above_cost;
  return std::nullopt;
}

std::optional<double> PathCurve::VectorCycles(uint64_t size) const {
  const SizeCosts* below = nullptr;
  const SizeCosts* above = nullptr;
  for (const SizeCosts& costs : sizes) {
    if (costs.vectors <= 0) continue;
    if (costs.size <= size) below = &costs;
    if (costs.size > size && above == nullptr) above = &costs;
  }
  if (below == nullptr && above == nullptr) return std::nullopt;
  if (below == nullptr) return above->vectors;
  if (above == nullptr) {
    return below->vectors * static_cast<double>(size) /
           static_cast<double>(std::max<uint64_t>(below->size, 1));
  }
  const auto log = [](uint64_t bytes) {
    return std::log2(static_cast<double>(bytes));
  };
  return std::exp(Line{log(below->size), std::log(below->vectors),
                       log(above->size), std::log(above->vectors)}
                      .at(log(size)));
}

PathCurve CurveOf(const kernels::Study& study, bool is_memset,
                  const CellWeight& weight) {
  std::map<uint64_t, std::map<int, Pool>> pools;
  // By size: cycles by weight, and the weights.
  std::map<uint64_t, std::pair<double, double>> vectors;
  for (const kernels::ContrastResult& result : study.results) {
    const Cell& cell = result.contrast.cell;
    if (cell.is_memset != is_memset) continue;
    const double cell_weight = weight(cell);
    // What a call costs is known also where no cell is of the right kind.
    if (cell.copiers == 1) {
      vectors[cell.size].first += (cell_weight + kLittle) * result.base_cycles;
      vectors[cell.size].second += cell_weight + kLittle;
    }
    std::map<int, Pool>& by_side = pools[cell.size];
    if (cell_weight <= 0) continue;
    by_side[result.contrast.candidate].Add(result, cell_weight);
  }
  PathCurve curve;
  for (const auto& [size, by_side] : pools) {
    SizeCosts costs;
    costs.size = size;
    if (const auto& [cycles, weights] = vectors[size]; weights > 0) {
      costs.vectors = cycles / weights;
    }
    for (const auto& [side, pool] : by_side) {
      if (side == kRepStringSide) costs.rep_string = pool.Cost();
      if (side == kNonTemporalSide) costs.non_temporal = pool.Cost();
    }
    curve.sizes.push_back(std::move(costs));
  }
  return curve;
}

}  // namespace advisor
