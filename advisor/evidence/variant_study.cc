#include "advisor/evidence/variant_study.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/evidence/path_study.h"
#include "advisor/evidence/proof_study.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::ContrastResult;
using ::kernels::Interval;
using ::kernels::Regime;

constexpr double kMostSteal = 0.25;

struct Shape {
  uint64_t size;
  Alignment alignment;
  Regime regime;
};

// One past round sizes, so that tails are copied, too.
constexpr Shape kShapes[] = {
    {24, Alignment::kMisalignedDestination, Regime::kHot},
    {100, Alignment::kMisalignedDestination, Regime::kHot},
    {250, Alignment::kMisalignedBoth, Regime::kHot},
    {1001, Alignment::kMisalignedDestination, Regime::kHot},
    {1001, Alignment::kMisalignedBoth, Regime::kRotating},
    {4001, Alignment::kAligned, Regime::kHot},
    {4001, Alignment::kMisalignedDestination, Regime::kHot},
    {16001, Alignment::kMisalignedDestination, Regime::kHot},
    {100001, Alignment::kAligned, Regime::kHot},
    {100001, Alignment::kMisalignedBoth, Regime::kRotating},
    {(uint64_t{1} << 20) + 1, Alignment::kAligned, Regime::kRotating},
};

int ControlSide(int count) { return count + 1; }
int ControlAgainSide(int count) { return count + 2; }

using Results = std::vector<const ContrastResult*>;

Results Comparisons(const kernels::Study& study, int candidate) {
  Results results;
  for (const ContrastResult& result : study.results) {
    if (result.contrast.candidate == candidate) results.push_back(&result);
  }
  return results;
}

// Those of the control in whose cells the candidate was measured.
Results Control(const kernels::Study& study, const Results& measured,
                int count) {
  Results control = Comparisons(study, ControlAgainSide(count));
  control.erase(std::remove_if(control.begin(), control.end(),
                               [&](const ContrastResult* result) {
                                 return std::none_of(
                                     measured.begin(), measured.end(),
                                     [&](const ContrastResult* other) {
                                       return other->contrast.cell ==
                                              result->contrast.cell;
                                     });
                               }),
                control.end());
  return control;
}

// What a mean over cells of equal code differs by: the control's own, as far as
// its interval reaches, and never less than 0.5 %.
double NoiseOfMean(const Interval& control) {
  return std::max({0.005, std::abs(control.low), std::abs(control.high)});
}

// Every size takes another path, so that all cells count as touched.
ProofSubject SubjectOf(bool is_memset, const CellWeight& weight) {
  ProofSubject subject;
  subject.is_memset = is_memset;
  subject.before = [](uint64_t) { return CopyPath::kVectors; };
  subject.after = [](uint64_t) { return CopyPath::kRepString; };
  subject.weight = weight;
  return subject;
}

}  // namespace

std::vector<std::string> VariantSides(
    const std::string& base, const std::vector<VariantCandidate>& candidates) {
  std::vector<std::string> sides = {base};
  for (const VariantCandidate& candidate : candidates) {
    sides.push_back(candidate.glibc_tunables);
  }
  sides.insert(sides.end(), 2, base);
  return sides;
}

std::vector<Contrast> VariantContrasts(
    const std::vector<VariantCandidate>& candidates, uint64_t largest,
    int pairs) {
  const int count = static_cast<int>(candidates.size());
  std::vector<Contrast> contrasts;
  for (const bool is_memset : {false, true}) {
    for (const Shape& shape : kShapes) {
      if (shape.size > largest) continue;
      const Cell cell = {is_memset, shape.size, shape.alignment, shape.regime,
                         1};
      bool any = false;
      for (int i = 0; i < count; ++i) {
        if (!(is_memset ? candidates[i].changes_memset
                        : candidates[i].changes_memmove)) {
          continue;
        }
        any = true;
        contrasts.push_back({cell, 0, i + 1, pairs});
      }
      if (any) {
        contrasts.push_back(
            {cell, ControlSide(count), ControlAgainSide(count), pairs});
      }
    }
  }
  return contrasts;
}

VariantJudgement JudgeVariant(const kernels::Study& study, int index, int count,
                              double confidence, const CellWeight& weight) {
  VariantJudgement judgement;
  const Results measured = Comparisons(study, index + 1);
  double weights = 0;
  for (const ContrastResult* result : measured) {
    weights += weight(result->contrast.cell);
  }
  if (weights <= 0 || study.processes < 2) return judgement;
  const Results control = Control(study, measured, count);
  judgement.mean =
      kernels::MeanInterval(MeanByProcess(measured, weight), confidence);
  const Interval control_mean =
      kernels::MeanInterval(MeanByProcess(control, weight), confidence);
  judgement.noise_floor =
      kernels::NoiseFloor(study, ControlSide(count), ControlAgainSide(count));
  judgement.control_differs = (control_mean.low > 0 || control_mean.high < 0) &&
                              std::abs(control_mean.middle) > kBand;
  if (!judgement.control_differs && study.steal <= kMostSteal) {
    judgement.verdict = VerdictOf(judgement.mean, NoiseOfMean(control_mean));
  }
  return judgement;
}

Proof JudgeVariantProof(const kernels::Study& study,
                        const VariantCandidate& candidate, double worth,
                        const CellWeight& weight) {
  std::vector<Proof> proofs;
  std::string harm;
  // One size is proved to be slower, not only the mean by its look.
  bool is_harmful = false;
  for (const bool is_memset : {false, true}) {
    if (!(is_memset ? candidate.changes_memset : candidate.changes_memmove)) {
      continue;
    }
    uint64_t harmed = 0;
    proofs.push_back(JudgeProof(study, SubjectOf(is_memset, weight), &harmed));
    const Proof& proof = proofs.back();
    if (harmed != 0) {
      is_harmful = true;
      harm = proof.summary;
    } else if (!is_harmful && proof.touched_ratio > std::exp(kBand)) {
      harm = absl::StrCat("slower: ", is_memset ? "memset" : "memcpy", ", ",
                          proof.summary);
    }
  }
  if (proofs.empty()) return {};
  Proof joined = JoinProofs(proofs);
  const VariantJudgement judgement = JudgeVariant(study, 0, 1, 0.99, weight);
  joined.holds = false;
  joined.doubt = ProofDoubt::kNone;
  joined.touched_ratio = std::exp(judgement.mean.middle);
  joined.all_ratio = joined.touched_ratio;
  const std::string words =
      absl::StrCat("calls take ", RatioWords(judgement.mean), " of the time");
  if (study.processes < 2) {
    joined.doubt = ProofDoubt::kCannotTell;
    joined.summary = "cannot tell: there was not enough time";
  } else if (study.steal > kMostSteal) {
    joined.doubt = ProofDoubt::kCannotTell;
    joined.summary = absl::StrFormat(
        "cannot tell: the hypervisor took %.0f %% of the time away",
        100 * study.steal);
  } else if (!harm.empty()) {
    joined.doubt = is_harmful ? ProofDoubt::kHarmful : ProofDoubt::kNone;
    joined.summary = harm;
  } else if (judgement.control_differs) {
    joined.doubt = ProofDoubt::kCannotTell;
    joined.summary = "cannot tell: the base differs from itself";
  } else if (judgement.mean.high >= std::log(worth)) {
    joined.summary = absl::StrFormat(
        "not proved to take less than %.2f of the time: %s", worth, words);
  } else {
    joined.holds = true;
    joined.summary = words;
  }
  return joined;
}

std::vector<VariantCost> VariantCosts(const kernels::Study& study, int index,
                                      int count) {
  struct Range {
    uint64_t smallest, largest;
  };
  std::vector<VariantCost> costs;
  for (const bool is_memset : {false, true}) {
    for (const Range& range :
         {Range{0, 256}, Range{257, 16384}, Range{16385, UINT64_MAX}}) {
      const auto is_in = [&](const Cell& cell) {
        return cell.is_memset == is_memset && cell.size >= range.smallest &&
               cell.size <= range.largest;
      };
      Results measured;
      VariantCost cost;
      cost.function = is_memset ? "memset" : "memcpy";
      for (const ContrastResult* result : Comparisons(study, index + 1)) {
        const Cell& cell = result->contrast.cell;
        if (!is_in(cell)) continue;
        measured.push_back(result);
        cost.smallest =
            cost.smallest == 0 ? cell.size : std::min(cost.smallest, cell.size);
        cost.largest = std::max(cost.largest, cell.size);
      }
      if (measured.empty() || study.processes < 2) continue;
      const Interval mean =
          kernels::MeanInterval(MeanByProcess(measured), 0.95);
      const Interval control = kernels::MeanInterval(
          MeanByProcess(Control(study, measured, count)), 0.95);
      cost.ratio = std::exp(mean.middle);
      cost.low = std::exp(mean.low);
      cost.high = std::exp(mean.high);
      if (study.steal <= kMostSteal) {
        cost.verdict = VerdictOf(mean, NoiseOfMean(control));
      }
      costs.push_back(std::move(cost));
    }
  }
  return costs;
}

}  // namespace advisor
