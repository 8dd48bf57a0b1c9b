#include "advisor/evidence/proof_study.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/evidence/path_study.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Contrast;
using ::kernels::ContrastResult;
using ::kernels::Interval;
using ::kernels::Regime;

// Four an octave, one past a round number, from 257 on.
std::vector<uint64_t> AllSizes(uint64_t largest) {
  std::vector<uint64_t> sizes;
  for (uint64_t octave = 256; octave <= largest; octave *= 2) {
    for (uint64_t quarter = 0; quarter < 4; ++quarter) {
      const uint64_t size = octave + octave * quarter / 4 + 1;
      if (size <= largest + 1) sizes.push_back(size);
    }
  }
  return sizes;
}

constexpr size_t kMostTouchedSizes = 9;
// Beside those of a workload.
constexpr size_t kMostOtherSizes = 6;
// Neighbours on each side of the touched sizes.
constexpr size_t kNeighbours = 1;
constexpr double kFalseDiscoveries = 0.05;
constexpr double kLowestNoise = 0.005;
// With more time stolen than this, nothing is proved.
constexpr double kMostSteal = 0.25;

// At most `most` of `values` (at least 6): the three at each end, next to the
// old and the new threshold, and others evenly spread between them.
std::vector<uint64_t> Spread(const std::vector<uint64_t>& values, size_t most) {
  constexpr size_t kAtEachEnd = 3;
  if (values.size() <= most) return values;
  std::vector<uint64_t> chosen(values.begin(), values.begin() + kAtEachEnd);
  const size_t middle = values.size() - 2 * kAtEachEnd;
  const size_t wanted = most - 2 * kAtEachEnd;
  for (size_t i = 0; i < wanted; ++i) {
    chosen.push_back(values[kAtEachEnd + (2 * i + 1) * middle / (2 * wanted)]);
  }
  chosen.insert(chosen.end(), values.end() - kAtEachEnd, values.end());
  return chosen;
}

std::vector<Cell> AllCellsOf(const ProofSubject& subject, uint64_t size,
                             int copiers) {
  const bool m = subject.is_memset;
  const bool non_temporal = subject.before(size) == CopyPath::kNonTemporal ||
                            subject.after(size) == CopyPath::kNonTemporal;
  if (!non_temporal) {
    std::vector<Cell> cells = {
        {m, size, Alignment::kAligned, Regime::kHot, 1},
        {m, size, Alignment::kMisalignedDestination, Regime::kHot, 1},
        {m, size, Alignment::kMisalignedBoth, Regime::kRotating, 1}};
    if (copiers > 1 && std::find(subject.sizes.begin(), subject.sizes.end(),
                                 size) != subject.sizes.end()) {
      cells.push_back({m, size, Alignment::kAligned, Regime::kHot, copiers});
    }
    return cells;
  }
  std::vector<Cell> cells = {
      {m, size, Alignment::kAligned, Regime::kRotating, 1},
      {m, size, Alignment::kMisalignedDestination, Regime::kReadBack, 1}};
  if (copiers > 1) {
    cells.push_back({m, size, Alignment::kAligned, Regime::kRotating, copiers});
  }
  return cells;
}

CellWeight WeightFor(const ProofSubject& subject) {
  return subject.weight != nullptr ? subject.weight : &WeightOf;
}

// Those that count, where some do. A workload's time is better spent on what it
// does.
std::vector<Cell> CellsOf(const ProofSubject& subject, uint64_t size,
                          int copiers) {
  const CellWeight weight = WeightFor(subject);
  const std::vector<Cell> all = AllCellsOf(subject, size, copiers);
  std::vector<Cell> counting;
  std::copy_if(all.begin(), all.end(), std::back_inserter(counting),
               [&](const Cell& cell) { return weight(cell) > 0; });
  return counting.empty() ? all : counting;
}

bool Counts(const ProofSubject& subject, uint64_t size, int copiers) {
  const CellWeight weight = WeightFor(subject);
  return weight(CellsOf(subject, size, copiers)[0]) > 0;
}

// The touched sizes and their neighbours.
std::vector<uint64_t> SizesOf(const ProofSubject& subject, uint64_t largest,
                              int copiers) {
  std::vector<uint64_t> below, touched, above;
  for (const uint64_t size : AllSizes(largest)) {
    if (subject.before(size) != subject.after(size)) {
      if (Counts(subject, size, copiers)) touched.push_back(size);
    } else {
      (touched.empty() ? below : above).push_back(size);
    }
  }
  std::vector<uint64_t> sizes = Spread(
      touched, subject.sizes.empty() ? kMostTouchedSizes : kMostOtherSizes);
  for (const uint64_t size : subject.sizes) {
    if (size <= largest &&
        std::find(sizes.begin(), sizes.end(), size) == sizes.end()) {
      sizes.push_back(size);
    }
  }
  for (size_t i = 0; i < kNeighbours; ++i) {
    if (i < below.size()) sizes.push_back(below[below.size() - 1 - i]);
    if (i < above.size()) sizes.push_back(above[i]);
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

int PairsFor(uint64_t size) {
  if (size > uint64_t{4} << 20) return 4;
  if (size > uint64_t{1} << 20) return 4;
  return 6;
}

using Results = std::vector<const ContrastResult*>;

// This function's comparisons in which `side` is the candidate.
Results Comparisons(const kernels::Study& study, bool is_memset,
                    ProofSide side) {
  Results results;
  for (const ContrastResult& result : study.results) {
    if (result.contrast.cell.is_memset == is_memset &&
        result.contrast.candidate == side) {
      results.push_back(&result);
    }
  }
  return results;
}

Results Touched(const Results& results, const ProofSubject& subject) {
  Results touched;
  for (const ContrastResult* result : results) {
    const uint64_t size = result->contrast.cell.size;
    if (subject.before(size) != subject.after(size)) touched.push_back(result);
  }
  return touched;
}

// Without the cells that took another path than the one that is judged.
Results Judged(const Results& results, const ProofSubject& subject) {
  if (subject.measured == nullptr) return results;
  Results judged;
  for (const ContrastResult* result : results) {
    const uint64_t size = result->contrast.cell.size;
    if (subject.measured(size) == subject.after(size)) judged.push_back(result);
  }
  return judged;
}

// One thing that must not get slower.
struct Claim {
  uint64_t size;
  std::string what;
  std::vector<double> log_ratios;
};

std::vector<Claim> Claims(const Results& touched, const ProofSubject& subject) {
  const CellWeight weight = WeightFor(subject);
  std::vector<Claim> claims;
  std::map<uint64_t, Results> by_size;
  // By regime, alignment and copiers.
  std::map<std::tuple<Regime, Alignment, int>, Results> by_condition;
  for (const ContrastResult* result : touched) {
    const Cell& cell = result->contrast.cell;
    if (weight(cell) <= 0) continue;
    by_size[cell.size].push_back(result);
    by_condition[{cell.regime, cell.alignment, cell.copiers}].push_back(result);
    const bool non_temporal =
        subject.before(cell.size) == CopyPath::kNonTemporal ||
        subject.after(cell.size) == CopyPath::kNonTemporal;
    if (non_temporal || cell.regime == Regime::kHot) {
      claims.push_back(
          {cell.size, kernels::CellName(cell), result->log_ratios});
    }
  }
  for (const auto& [size, results] : by_size) {
    claims.push_back({size, absl::StrCat(size, " bytes in the mean"),
                      MeanByProcess(results, weight)});
  }
  // What no size shows for itself, all of them may.
  for (const auto& [condition, results] : by_condition) {
    if (results.size() < 2) continue;
    const Cell& worst = (*std::max_element(results.begin(), results.end(),
                                           [](const auto* a, const auto* b) {
                                             return a->interval(0.95).middle <
                                                    b->interval(0.95).middle;
                                           }))
                            ->contrast.cell;
    claims.push_back(
        {worst.size,
         absl::StrCat(kernels::RegimeName(worst.regime), ", ",
                      kernels::AlignmentName(worst.alignment),
                      worst.copiers > 1
                          ? absl::StrCat(", ", worst.copiers, " copiers")
                          : "",
                      ", in the mean of its sizes"),
         MeanByProcess(results, weight)});
  }
  return claims;
}

// The claim that is refuted by most; nullopt where none is.
std::optional<Claim> ProvedSlower(const Results& touched,
                                  const ProofSubject& subject) {
  const std::vector<Claim> claims = Claims(touched, subject);
  std::vector<double> p_values;
  for (const Claim& claim : claims) {
    // One side of it: only what takes longer refutes the claim.
    const double both = kernels::MeanPValue(claim.log_ratios, kBand);
    const bool is_longer =
        kernels::MeanInterval(claim.log_ratios, 0.95).middle > kBand;
    p_values.push_back(is_longer ? both / 2 : 1 - both / 2);
  }
  const std::vector<double> adjusted = kernels::BenjaminiHochberg(p_values);
  std::optional<Claim> worst;
  double worst_mean = kBand;
  for (size_t i = 0; i < claims.size(); ++i) {
    const double mean =
        kernels::MeanInterval(claims[i].log_ratios, 0.95).middle;
    if (mean <= worst_mean || adjusted[i] > kFalseDiscoveries) continue;
    worst_mean = mean;
    worst = claims[i];
  }
  return worst;
}

// Subjects may have sizes in common.
void AddOnce(std::vector<Contrast>& contrasts, const Contrast& contrast) {
  if (std::find(contrasts.begin(), contrasts.end(), contrast) ==
      contrasts.end()) {
    contrasts.push_back(contrast);
  }
}

bool IsSameCell(const ProofCell& a, const ProofCell& b) {
  return a.function == b.function && a.size == b.size &&
         a.alignment == b.alignment && a.regime == b.regime &&
         a.copiers == b.copiers;
}

}  // namespace

CellVerdict VerdictOf(const Interval& interval, double noise_floor) {
  switch (kernels::Compare(interval, noise_floor, kBand)) {
    case kernels::Comparison::kFaster:
      return CellVerdict::kFaster;
    case kernels::Comparison::kSlower:
      return CellVerdict::kSlower;
    case kernels::Comparison::kEquivalent:
      return CellVerdict::kEquivalent;
    case kernels::Comparison::kCannotTell:
      break;
  }
  return CellVerdict::kCannotTell;
}

std::string RatioWords(const Interval& interval) {
  return absl::StrFormat("%.3f [%.3f, %.3f]", std::exp(interval.middle),
                         std::exp(interval.low), std::exp(interval.high));
}

std::vector<Contrast> ProofContrasts(const ProofPlan& plan) {
  std::vector<Contrast> contrasts;
  for (const ProofSubject& subject : plan.subjects) {
    for (const uint64_t size : SizesOf(subject, plan.largest, plan.copiers)) {
      const std::vector<Cell> cells = CellsOf(subject, size, plan.copiers);
      for (const Cell& cell : cells) {
        AddOnce(contrasts, {cell, kWithoutSide, kWithSide, PairsFor(size)});
      }
      AddOnce(contrasts,
              {cells[0], kControlSide, kControlAgainSide, PairsFor(size)});
    }
  }
  return contrasts;
}

Proof JudgeProof(const kernels::Study& study, const ProofSubject& subject,
                 uint64_t* harmed_size) {
  if (harmed_size != nullptr) *harmed_size = 0;
  Proof proof;
  proof.processes = study.processes;
  proof.steal = study.steal;
  const Results all =
      Judged(Comparisons(study, subject.is_memset, kWithSide), subject);
  const Results touched = Touched(all, subject);
  const Results control = Touched(
      Comparisons(study, subject.is_memset, kControlAgainSide), subject);
  const double cell_noise = kernels::NoiseFloor(
      study, kControlSide, kControlAgainSide, [&](const Cell& cell) {
        return cell.is_memset == subject.is_memset &&
               subject.before(cell.size) != subject.after(cell.size);
      });
  for (const ContrastResult* result : all) {
    const Cell& cell = result->contrast.cell;
    const Interval interval = result->interval(0.95);
    proof.cells.push_back({cell.is_memset ? "memset" : "memcpy", cell.size,
                           std::string(kernels::AlignmentName(cell.alignment)),
                           std::string(kernels::RegimeName(cell.regime)),
                           cell.copiers, std::exp(interval.middle),
                           std::exp(interval.low), std::exp(interval.high),
                           result->base_cycles, result->candidate_cycles,
                           VerdictOf(interval, cell_noise)});
  }
  if (touched.empty() || study.processes < 2) {
    if (touched.empty()) {
      proof.summary = "no measured size takes another path";
    } else {
      proof.doubt = ProofDoubt::kCannotTell;
      proof.summary = "cannot tell: there was not enough time";
    }
    return proof;
  }
  const CellWeight weight = WeightFor(subject);
  const Interval mean =
      kernels::MeanInterval(MeanByProcess(touched, weight), 0.99);
  const Interval control_mean =
      kernels::MeanInterval(MeanByProcess(control, weight), 0.99);
  const bool control_differs =
      (control_mean.low > 0 || control_mean.high < 0) &&
      std::abs(control_mean.middle) > kBand;
  proof.noise_floor = std::expm1(cell_noise);
  proof.touched_ratio = std::exp(mean.middle);
  proof.all_ratio =
      std::exp(kernels::MeanInterval(MeanByProcess(all, weight), 0.99).middle);
  const std::optional<Claim> slower = ProvedSlower(touched, subject);
  const std::string words =
      absl::StrCat("touched sizes take ", RatioWords(mean), " of the time");
  if (study.steal > kMostSteal) {
    proof.doubt = ProofDoubt::kCannotTell;
    proof.summary = absl::StrFormat(
        "cannot tell: the hypervisor took %.0f %% of the time away",
        100 * study.steal);
  } else if (slower.has_value()) {
    if (harmed_size != nullptr) *harmed_size = slower->size;
    proof.doubt = ProofDoubt::kHarmful;
    proof.summary = absl::StrCat(
        "harmful: ", slower->what, " takes ",
        RatioWords(kernels::MeanInterval(slower->log_ratios, 0.95)),
        " of the time");
  } else if (control_differs) {
    proof.doubt = ProofDoubt::kCannotTell;
    proof.summary =
        absl::StrCat("cannot tell: the defaults against themselves take ",
                     RatioWords(control_mean), " of the time");
  } else if (mean.high >= -kLowestNoise) {
    proof.summary = absl::StrCat("not proved: ", words);
  } else {
    proof.holds = true;
    proof.summary = words;
  }
  return proof;
}

std::vector<double> MeanByProcess(
    const std::vector<const ContrastResult*>& results,
    const CellWeight& weight) {
  std::vector<double> means;
  double weights = 0;
  for (const ContrastResult* result : results) {
    const double cell_weight = weight(result->contrast.cell);
    if (cell_weight <= 0) continue;
    weights += cell_weight;
    means.resize(std::max(means.size(), result->log_ratios.size()));
    for (size_t i = 0; i < result->log_ratios.size(); ++i) {
      means[i] += cell_weight * result->log_ratios[i];
    }
  }
  for (double& mean : means) mean /= weights;
  return means;
}

Proof JoinProofs(const std::vector<Proof>& proofs) {
  if (proofs.empty()) return {};
  Proof joined = proofs[0];
  double touched = std::log(joined.touched_ratio);
  double all = std::log(joined.all_ratio);
  for (size_t i = 1; i < proofs.size(); ++i) {
    const Proof& proof = proofs[i];
    joined.holds &= proof.holds;
    joined.doubt = std::max(joined.doubt, proof.doubt);
    if (proof.summary != proofs[i - 1].summary) {
      absl::StrAppend(&joined.summary, "; ", proof.summary);
    }
    touched += std::log(proof.touched_ratio);
    all += std::log(proof.all_ratio);
    for (const ProofCell& cell : proof.cells) {
      const bool is_there = std::any_of(
          joined.cells.begin(), joined.cells.end(),
          [&](const ProofCell& other) { return IsSameCell(cell, other); });
      if (!is_there) joined.cells.push_back(cell);
    }
  }
  if (joined.holds && proofs.size() > 1) {
    joined.summary = absl::StrCat("each of the ", proofs.size(),
                                  " settings holds for itself");
  }
  joined.touched_ratio = std::exp(touched / static_cast<double>(proofs.size()));
  joined.all_ratio = std::exp(all / static_cast<double>(proofs.size()));
  return joined;
}

}  // namespace advisor
