// One question of a measurement: a function, what the search proposes for it,
// and the settings that say so. Each is proved and judged for itself.

#ifndef ADVISOR_MEASUREMENT_PART_H_
#define ADVISOR_MEASUREMENT_PART_H_

#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/evidence/proof_study.h"
#include "advisor/measurement/measured_libc.h"
#include "advisor/report.h"
#include "advisor/rules/threshold_search.h"
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

  EffectiveThresholds after() const {
    return WithThresholds(problem, answer.rep_string, answer.non_temporal);
  }
  // Refers to this part, which must outlive it.
  ProofSubject Subject() const;
};

// What the study proposes for memmove and memset; empty where the values of now
// are good. `repair`: what is wrong on the face of it is repaired even where
// the search found nothing better than that. Refers to `libc`.
std::vector<Part> ProposeParts(const MeasuredLibc& libc,
                               const PathQuestions& questions,
                               const kernels::Study& study, bool repair);

// "x86_rep_movsb_threshold=24576"
std::string NamesOf(const std::vector<TunableSetting>& settings);

void SortByName(std::vector<TunableSetting>& settings);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_PART_H_
