// Predictions for people: one in full, a table of one machine under many
// builds, or a few lines for each of many machines.

#ifndef ADVISOR_RENDER_PREDICTION_TEXT_H_
#define ADVISOR_RENDER_PREDICTION_TEXT_H_

#include <memory>
#include <string>

#include "advisor/render/prediction_renderer.h"

namespace advisor {

std::unique_ptr<PredictionRenderer> MakePredictionTextRenderer(
    PredictionScope scope, int columns);

// What a check says of one machine: "NAME: crashes under 2.34 to 2.36: ..." for
// each hazard that crashes, hangs or is a cliff, or that there is none.
std::string CheckText(const PredictionSubject& subject,
                      absl::Span<const PredictionAnswer> answers, int columns);

}  // namespace advisor

#endif  // ADVISOR_RENDER_PREDICTION_TEXT_H_
