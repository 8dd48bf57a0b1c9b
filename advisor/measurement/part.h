// One question of a measurement: a function, what the search proposes for it,
// and the settings that say so. Each is proved and judged for itself.

#ifndef ADVISOR_MEASUREMENT_PART_H_
#define ADVISOR_MEASUREMENT_PART_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/measurement/measured_libc.h"
#include "advisor/report.h"
#include "advisor/rules/threshold_search.h"
#include "advisor/workload/workload.h"
#include "kernels/measure/study.h"

namespace advisor {

struct Part {
  ThresholdProblem problem;
  ThresholdAnswer answer;
  // Not empty where a value that is wrong on the face of it is repaired.
  std::string repair_reason;
  std::vector<TunableSetting> settings;
  // What all parts of this function together set.
  EffectiveThresholds proposed;
  // nullptr: none was named. problem.mix is what it spends.
  const Workload* workload = nullptr;

  EffectiveThresholds after() const {
    return WithThresholds(problem, answer.rep_string, answer.non_temporal);
  }
  // Refers to this part, which must outlive it.
  ProofSubject Subject() const;
  // How much a cell of a proof counts: by the share of the workload's time near
  // its size and by its conditions; 0 where that is next to nothing.
  double Weight(const kernels::Cell& cell) const;
  // The sizes on which the workload spends most, of those that take another
  // path; a few, ascending.
  std::vector<uint64_t> OwnSizes() const;
};

// The questions about memmove and memset, in this order, without an answer.
// They refer to `libc` and `workload`, which may be nullptr.
std::vector<Part> WholeParts(const MeasuredLibc& libc,
                             const PathQuestions& questions,
                             const kernels::Study& study,
                             const Workload* workload);

// What the search proposes for them; empty where the values of now are good.
// `repair`: what is wrong on the face of it is repaired even where the search
// found nothing better than that.
std::vector<Part> ProposeParts(const MeasuredLibc& libc,
                               const std::vector<Part>& wholes, bool repair);

// For each function that a part in `held` (indexes of `parts`) is about, all
// that those parts set. Refers to `wholes`.
std::vector<ProofSubject> SubjectsOf(const std::vector<Part>& wholes,
                                     const std::vector<Part>& parts,
                                     const std::vector<size_t>& held);

// Why nothing is to be set for a workload: how many of its calls are large
// enough for a threshold to matter at all.
std::string WhyNothingForWorkload(const Workload& workload,
                                  const PathQuestions& questions);

// "x86_rep_movsb_threshold=24576"
std::string NamesOf(const std::vector<TunableSetting>& settings);

void SortByName(std::vector<TunableSetting>& settings);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_PART_H_
