// Answers of one machine under several builds, one row each, with what changes
// from row to row marked.

#ifndef ADVISOR_RENDER_PREDICTION_TABLE_H_
#define ADVISOR_RENDER_PREDICTION_TABLE_H_

#include <cstddef>
#include <string>

#include "absl/types/span.h"
#include "advisor/prediction_answer.h"

namespace advisor {

// Thresholds in bytes as columns, "*" after a value that differs from the row
// above; changes of the variants and cache sizes on a line of their own below.
// A list where `columns` are too few.
std::string PredictionTable(absl::Span<const PredictionAnswer> answers,
                            size_t columns);

// One paragraph a build, indented by `indent`: all values in the first, then
// only those that change.
std::string PredictionList(absl::Span<const PredictionAnswer> answers,
                           size_t columns, size_t indent);

}  // namespace advisor

#endif  // ADVISOR_RENDER_PREDICTION_TABLE_H_
