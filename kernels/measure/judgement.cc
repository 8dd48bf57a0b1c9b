#include "kernels/measure/judgement.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace kernels {
namespace {

constexpr double kFalseDiscoveries = 0.05;
constexpr size_t kFewestPlacements = 4;
constexpr double kFarInSpreads = 4;
// Below these a guest is as quiet as guests are.
constexpr double kNotableSteal = 0.01;
constexpr double kNotableDrift = 0.03;

}  // namespace

bool OnePlacementAlone(absl::Span<const double> log_ratios, double floor) {
  if (log_ratios.size() < kFewestPlacements) return false;
  const double all = Median(log_ratios);
  std::vector<double> others(log_ratios.begin(), log_ratios.end());
  const auto farthest =
      std::max_element(others.begin(), others.end(), [&](double a, double b) {
        return std::abs(a - all) < std::abs(b - all);
      });
  const double far = *farthest;
  others.erase(farthest);
  const double middle = Median(others);
  const auto [low, high] = std::minmax_element(others.begin(), others.end());
  return std::abs(middle) <= floor &&
         std::abs(far - middle) >
             std::max(floor, kFarInSpreads * (*high - *low));
}

std::vector<CellJudgement> JudgeCells(const Study& study, int base,
                                      int candidate, double noise_floor,
                                      double band) {
  std::vector<CellJudgement> judgements;
  std::vector<double> p_values;
  for (const ContrastResult& result : study.results) {
    if (result.contrast.base != base ||
        result.contrast.candidate != candidate || result.log_ratios.empty()) {
      continue;
    }
    CellJudgement judgement;
    judgement.cell = result.contrast.cell;
    judgement.interval = result.interval(0.95);
    judgement.comparison = Compare(judgement.interval, noise_floor, band);
    const auto [low, high] =
        std::minmax_element(result.log_ratios.begin(), result.log_ratios.end());
    judgement.spread = *high - *low;
    judgement.one_placement_alone =
        OnePlacementAlone(result.log_ratios, noise_floor);
    judgements.push_back(judgement);
    p_values.push_back(MeanPValue(result.log_ratios));
  }
  const std::vector<double> adjusted = BenjaminiHochberg(p_values);
  for (size_t i = 0; i < judgements.size(); ++i) {
    CellJudgement& judgement = judgements[i];
    const bool differs = judgement.comparison == Comparison::kFaster ||
                         judgement.comparison == Comparison::kSlower;
    if (differs &&
        (adjusted[i] > kFalseDiscoveries || judgement.one_placement_alone)) {
      judgement.comparison = Comparison::kCannotTell;
    }
  }
  return judgements;
}

std::vector<std::string> Disturbances(const Study& study) {
  std::vector<std::string> words;
  if (study.steal > kNotableSteal) {
    words.push_back(absl::StrFormat(
        "the hypervisor took %.1f %% of the time away", 100 * study.steal));
  }
  if (study.clock_drift > kNotableDrift) {
    words.push_back(absl::StrFormat("the core's clock moved by %.0f %%",
                                    100 * study.clock_drift));
  }
  if (study.migrations > 0) {
    words.push_back(absl::StrCat(study.migrations, " move",
                                 study.migrations == 1 ? "" : "s",
                                 " to another CPU"));
  }
  return words;
}

}  // namespace kernels
