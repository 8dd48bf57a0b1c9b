// Predictions for people: one in full, or a table of many.

#ifndef ADVISOR_RENDER_PREDICTION_TEXT_H_
#define ADVISOR_RENDER_PREDICTION_TEXT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/prediction_answer.h"

namespace advisor {

// `machine`: what the CPU or guest is, in one line.
std::string PredictionText(absl::string_view machine,
                           const PredictionAnswer& answer, int columns);

}  // namespace advisor

#endif  // ADVISOR_RENDER_PREDICTION_TEXT_H_
