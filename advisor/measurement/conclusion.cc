#include "advisor/measurement/conclusion.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/rules/back_off.h"

namespace advisor {
namespace {

using ::kernels::Study;

// The sizes of a function that the proof has tested, ascending.
std::vector<uint64_t> TestedSizes(const Study& study, bool is_memset) {
  std::set<uint64_t> sizes;
  for (const kernels::ContrastResult& result : study.results) {
    const kernels::Cell& cell = result.contrast.cell;
    if (cell.is_memset == is_memset) sizes.insert(cell.size);
  }
  return {sizes.begin(), sizes.end()};
}

// Moves the only setting of `part` back so that it leaves `harmed` alone.
// False where that cannot be.
bool MoveBack(Part& part, uint64_t harmed,
              const std::vector<uint64_t>& tested) {
  if (part.settings.size() != 1) return false;
  TunableSetting& setting = part.settings[0];
  if (!setting.value_before.has_value()) return false;
  const std::optional<uint64_t> value =
      BackOff(*setting.value_before, setting.value, harmed, tested);
  if (!value.has_value()) return false;
  setting.reason = absl::StrCat("Moved back from ", setting.value,
                                ", which harmed calls of ", harmed, " bytes.");
  setting.value = *value;
  std::optional<uint64_t>& answer = part.answer.rep_string.has_value()
                                        ? part.answer.rep_string
                                        : part.answer.non_temporal;
  answer = *value;
  return true;
}

// A setting that harms the sizes next to its new place is moved back. The
// sizes that are still touched take the path that was measured, so the study
// stays good for them; each must still be proved.
Proof JudgePart(const Study& study, Part& part) {
  const std::vector<uint64_t> tested =
      TestedSizes(study, part.problem.is_memset);
  while (true) {
    uint64_t harmed = 0;
    Proof proof = JudgeProof(study, part.Subject(), &harmed);
    if (harmed == 0 || !MoveBack(part, harmed, tested)) return proof;
  }
}

void AddFindings(const Part& part, const Proof& proof,
                 std::vector<Finding>& findings) {
  for (const TunableSetting& setting : part.settings) {
    const bool lower = setting.value < setting.value_before.value_or(0);
    const absl::string_view short_name =
        absl::string_view(setting.name).substr(setting.name.rfind('.') + 1);
    Finding finding;
    finding.id =
        absl::StrCat("measured-", short_name, lower ? "-too-high" : "-too-low");
    std::replace(finding.id.begin(), finding.id.end(), '_', '-');
    finding.severity = Severity::kWarning;
    finding.title =
        absl::StrCat(short_name, " is too ", lower ? "high" : "low", " here: ",
                     setting.value_before.has_value()
                         ? absl::StrCat(*setting.value_before)
                         : std::string("the constant of this release"),
                     ", measured best about ", setting.value, ".");
    finding.evidence = {proof.summary};
    findings.push_back(std::move(finding));
  }
}

}  // namespace

Conclusion Conclude(const Study& study, std::vector<Part>& parts) {
  Conclusion conclusion;
  std::vector<Proof> held, failed;
  std::vector<std::string> failures;
  for (Part& part : parts) {
    Proof proof = JudgePart(study, part);
    if (!proof.holds) {
      failures.push_back(
          absl::StrCat(NamesOf(part.settings), ": ", proof.summary));
      failed.push_back(std::move(proof));
      continue;
    }
    conclusion.held.push_back(static_cast<size_t>(&part - parts.data()));
    AddFindings(part, proof, conclusion.findings);
    conclusion.proved.insert(conclusion.proved.end(), part.settings.begin(),
                             part.settings.end());
    held.push_back(std::move(proof));
  }
  SortByName(conclusion.proved);
  conclusion.proof = JoinProofs(held.empty() ? failed : held);
  if (study.processes < 2) {
    conclusion.reason =
        "Cannot tell: this machine was too busy to prove anything in time; "
        "try again, or --measure=full.";
    return conclusion;
  }
  if (held.empty()) {
    conclusion.reason = absl::StrCat("What looked better did not prove to be (",
                                     absl::StrJoin(failures, "; "), ").");
    return conclusion;
  }
  conclusion.reason = absl::StrFormat(
      "Proved on the real libc: the sizes that it touches take %.2f of the "
      "time they took, in the mean.",
      conclusion.proof.touched_ratio);
  if (!failures.empty()) {
    absl::StrAppend(&conclusion.reason,
                    " Left out, for it did not prove to be better: ",
                    absl::StrJoin(failures, "; "), ".");
  }
  return conclusion;
}

}  // namespace advisor
