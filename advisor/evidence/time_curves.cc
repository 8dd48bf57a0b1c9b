#include "advisor/evidence/time_curves.h"

#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "advisor/evidence/path_study.h"

namespace advisor {
namespace {

using ::kernels::Cell;
using ::kernels::ContrastResult;
using ::kernels::Regime;

// Function, regime, label.
using Key = std::tuple<std::string, std::string, std::string>;

std::string LabelOf(int side, bool is_memset) {
  if (side == kRepStringSide) return is_memset ? "rep stosb" : "rep movsb";
  return side == kNonTemporalSide ? "non-temporal" : "vectors";
}

}  // namespace

std::vector<TimeCurve> TimeCurves(const kernels::Study& study) {
  std::map<Key, std::map<uint64_t, double>> lines;
  for (const ContrastResult& result : study.results) {
    const Cell& cell = result.contrast.cell;
    if (cell.copiers != 1 || cell.alignment != kernels::Alignment::kAligned ||
        (cell.regime != Regime::kHot && cell.regime != Regime::kRotating)) {
      continue;
    }
    const auto add = [&](int side, double cycles) {
      if (cycles <= 0) return;
      // Of several comparisons with the same side the first is as good.
      lines[{cell.is_memset ? "memset" : "memcpy",
             std::string(kernels::RegimeName(cell.regime)),
             LabelOf(side, cell.is_memset)}]
          .emplace(cell.size, cycles);
    };
    add(result.contrast.base, result.base_cycles);
    add(result.contrast.candidate, result.candidate_cycles);
  }
  std::vector<TimeCurve> curves;
  for (const auto& [key, points] : lines) {
    if (points.size() < 2) continue;
    TimeCurve curve;
    curve.function = std::get<0>(key);
    curve.regime = std::get<1>(key);
    curve.label = std::get<2>(key);
    for (const auto& [size, cycles] : points) {
      curve.points.push_back({size, cycles});
    }
    curves.push_back(std::move(curve));
  }
  return curves;
}

}  // namespace advisor
