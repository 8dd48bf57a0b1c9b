// JSON of `predict`: testdata/schema/predict.schema.json. The names of values
// are those of the CSV's columns.

#ifndef ADVISOR_RENDER_PREDICTION_JSON_H_
#define ADVISOR_RENDER_PREDICTION_JSON_H_

#include <memory>

#include "advisor/render/prediction_renderer.h"

namespace advisor {

// One document.
std::unique_ptr<PredictionRenderer> MakePredictionJsonRenderer(
    PredictionScope scope);
// One object a line, as in "predictions" of the document, without the chain.
std::unique_ptr<PredictionRenderer> MakePredictionJsonLinesRenderer();

}  // namespace advisor

#endif  // ADVISOR_RENDER_PREDICTION_JSON_H_
