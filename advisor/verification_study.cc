#include "advisor/verification_study.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/evidence/variant_study.h"
#include "kernels/measure/statistics.h"

namespace advisor {
namespace {

using ::kernels::Contrast;
using ::kernels::ContrastResult;
using ::kernels::Study;

constexpr uint64_t kLargestOfMasks = (uint64_t{1} << 20) + 1;
constexpr int kPairsOfMasks = 4;

const std::string& VariantOf(const VerifySide& side, bool is_memset) {
  return is_memset ? side.memset : side.memmove;
}

CopyPath PathIn(const GlibcBuild& build, const VerifySide& side, bool is_memset,
                uint64_t size) {
  return PathOfVariant(build, VariantOf(side, is_memset), is_memset,
                       side.thresholds, size);
}

ProofSubject SubjectOf(const GlibcBuild& build,
                       const StringVerification& verification, bool is_memset) {
  const auto path = [&build, is_memset](const VerifySide& side) {
    return [&build, &side, is_memset](uint64_t size) {
      return PathIn(build, side, is_memset, size);
    };
  };
  ProofSubject subject;
  subject.is_memset = is_memset;
  subject.before = path(verification.without);
  subject.after = path(verification.with);
  return subject;
}

VariantCandidate CandidateOf(const StringVerification& verification) {
  return {verification.string, ChangesVariant(verification, false),
          ChangesVariant(verification, true)};
}

// Every threshold with its neighbours, and powers of two between them.
std::vector<uint64_t> SizesToTry(const StringVerification& verification) {
  std::vector<uint64_t> sizes;
  for (uint64_t size = 16; size < (uint64_t{1} << 40); size *= 2) {
    sizes.push_back(size);
  }
  using E = EffectiveThresholds;
  for (const VerifySide* side : {&verification.without, &verification.with}) {
    for (const auto member :
         {&E::non_temporal_threshold, &E::memset_non_temporal_threshold,
          &E::rep_movsb_threshold, &E::rep_movsb_stop_threshold,
          &E::rep_stosb_threshold}) {
      const std::optional<uint64_t> value = side->thresholds.*member;
      if (!value.has_value() || *value == 0) continue;
      for (const uint64_t size : {*value - 1, *value, *value + 1}) {
        if (size > 0 && size < (uint64_t{1} << 62)) sizes.push_back(size);
      }
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

// One function's results.
Study Only(const Study& study, bool is_memset) {
  Study part = study;
  part.results.clear();
  for (const ContrastResult& result : study.results) {
    if (result.contrast.cell.is_memset == is_memset) {
      part.results.push_back(result);
    }
  }
  return part;
}

struct FunctionVerdict {
  CellVerdict verdict = CellVerdict::kCannotTell;
  Proof proof;
};

// The mean over the cells whose path changes.
CellVerdict MeanVerdict(const Study& study, const ProofSubject& subject) {
  std::vector<const ContrastResult*> touched;
  for (const ContrastResult& result : study.results) {
    const uint64_t size = result.contrast.cell.size;
    if (result.contrast.candidate == kWithSide &&
        subject.before(size) != subject.after(size)) {
      touched.push_back(&result);
    }
  }
  if (touched.empty() || study.processes < 2) return CellVerdict::kCannotTell;
  const double noise =
      kernels::NoiseFloor(study, kControlSide, kControlAgainSide);
  const CellVerdict verdict =
      VerdictOf(kernels::MeanInterval(MeanByProcess(touched), 0.95), noise);
  // Faster, but not by the stricter rule of a proof.
  return verdict == CellVerdict::kFaster ? CellVerdict::kCannotTell : verdict;
}

// Says what of the changed sizes was not measured; a verdict needs one that
// was.
void SayWhatIsOpen(const Study& study, const GlibcBuild& build,
                   const StringVerification& verification, bool is_memset,
                   FunctionVerdict& function) {
  const std::vector<uint64_t> changed =
      ChangedSizes(build, verification, is_memset);
  uint64_t largest = 0;
  bool any = changed.empty();
  for (const ContrastResult& result : study.results) {
    const uint64_t size = result.contrast.cell.size;
    largest = std::max(largest, size);
    any = any || PathIn(build, verification.without, is_memset, size) !=
                     PathIn(build, verification.with, is_memset, size);
  }
  if (!any) {
    function.proof.holds = false;
    if (function.verdict != CellVerdict::kSlower) {
      function.verdict = CellVerdict::kCannotTell;
    }
    absl::StrAppend(&function.proof.summary, "; cannot tell of calls from ",
                    changed.front(),
                    " bytes on, which change, too, and were not measured");
  } else if (!changed.empty() && changed.back() > 2 * largest) {
    absl::StrAppend(&function.proof.summary, "; measured up to ", largest,
                    " bytes");
  }
}

FunctionVerdict JudgeFunction(const Study& whole, const GlibcBuild& build,
                              const StringVerification& verification,
                              bool is_memset) {
  const Study study = Only(whole, is_memset);
  FunctionVerdict result;
  if (ChangesVariant(verification, is_memset)) {
    VariantCandidate candidate = CandidateOf(verification);
    (is_memset ? candidate.changes_memmove : candidate.changes_memset) = false;
    result.proof = JudgeVariantProof(study, candidate, 1);
    result.verdict = result.proof.holds
                         ? CellVerdict::kFaster
                         : JudgeVariant(study, 0, 1, 0.95).verdict;
    if (!result.proof.holds && result.verdict == CellVerdict::kFaster) {
      result.verdict = CellVerdict::kCannotTell;
    }
  } else {
    const ProofSubject subject = SubjectOf(build, verification, is_memset);
    uint64_t harmed = 0;
    result.proof = JudgeProof(study, subject, &harmed);
    result.verdict = result.proof.holds ? CellVerdict::kFaster
                     : harmed != 0      ? CellVerdict::kSlower
                                        : MeanVerdict(study, subject);
  }
  if (result.proof.doubt == ProofDoubt::kHarmful) {
    result.verdict = CellVerdict::kSlower;
  } else if (result.proof.doubt == ProofDoubt::kCannotTell) {
    result.verdict = CellVerdict::kCannotTell;
  }
  SayWhatIsOpen(study, build, verification, is_memset, result);
  return result;
}

}  // namespace

bool ChangesVariant(const StringVerification& verification, bool is_memset) {
  return VariantOf(verification.without, is_memset) !=
         VariantOf(verification.with, is_memset);
}

std::vector<uint64_t> ChangedSizes(const GlibcBuild& build,
                                   const StringVerification& verification,
                                   bool is_memset) {
  std::vector<uint64_t> changed;
  for (const uint64_t size : SizesToTry(verification)) {
    if (PathIn(build, verification.without, is_memset, size) !=
        PathIn(build, verification.with, is_memset, size)) {
      changed.push_back(size);
    }
  }
  return changed;
}

std::vector<Contrast> VerifyContrasts(const GlibcBuild& build,
                                      const StringVerification& verification,
                                      uint64_t largest, int copiers) {
  const VariantCandidate candidate = CandidateOf(verification);
  std::vector<Contrast> contrasts;
  if (candidate.changes_memmove || candidate.changes_memset) {
    contrasts = VariantContrasts(
        {candidate}, std::min(largest, kLargestOfMasks), kPairsOfMasks);
  }
  ProofPlan plan;
  plan.largest = largest;
  plan.copiers = copiers;
  for (const bool is_memset : {false, true}) {
    if (ChangesVariant(verification, is_memset) ||
        ChangedSizes(build, verification, is_memset).empty()) {
      continue;
    }
    plan.subjects.push_back(SubjectOf(build, verification, is_memset));
  }
  const std::vector<Contrast> of_thresholds = ProofContrasts(plan);
  contrasts.insert(contrasts.end(), of_thresholds.begin(), of_thresholds.end());
  return contrasts;
}

void JudgeStudy(const Study& study, const GlibcBuild& build,
                StringVerification& verification) {
  std::vector<Proof> proofs;
  std::vector<CellVerdict> verdicts;
  for (const bool is_memset : {false, true}) {
    if (!ChangesVariant(verification, is_memset) &&
        ChangedSizes(build, verification, is_memset).empty()) {
      continue;
    }
    FunctionVerdict function =
        JudgeFunction(study, build, verification, is_memset);
    function.proof.summary = absl::StrCat(is_memset ? "memset: " : "memcpy: ",
                                          function.proof.summary);
    proofs.push_back(std::move(function.proof));
    verdicts.push_back(function.verdict);
  }
  const auto any = [&verdicts](CellVerdict verdict) {
    return std::find(verdicts.begin(), verdicts.end(), verdict) !=
           verdicts.end();
  };
  std::vector<std::string> summaries;
  for (const Proof& proof : proofs) summaries.push_back(proof.summary);
  verification.proof = JoinProofs(proofs);
  verification.summary = absl::StrJoin(summaries, "; ");
  verification.outcome = any(CellVerdict::kSlower) ? VerifyOutcome::kHarmful
                         : verdicts.empty() || any(CellVerdict::kCannotTell)
                             ? VerifyOutcome::kCannotTell
                         : any(CellVerdict::kFaster) ? VerifyOutcome::kHolds
                                                     : VerifyOutcome::kEqual;
}

}  // namespace advisor
