// The part of an inspection that holds thresholds as the loader lists them
// against those that are predicted.

#ifndef ADVISOR_RENDER_INSPECTION_THRESHOLDS_H_
#define ADVISOR_RENDER_INSPECTION_THRESHOLDS_H_

#include <vector>

#include "advisor/render/inspection_report.h"
#include "advisor/render/page.h"

namespace advisor {

// A table where it fits, else two lines for each; nothing where there is no
// value at all.
void ThresholdsPart(const std::vector<ThresholdFact>& thresholds, Page& page);

}  // namespace advisor

#endif  // ADVISOR_RENDER_INSPECTION_THRESHOLDS_H_
