// A path study as lines to be drawn: time against size for each path.

#ifndef ADVISOR_EVIDENCE_TIME_CURVES_H_
#define ADVISOR_EVIDENCE_TIME_CURVES_H_

#include <vector>

#include "advisor/report.h"
#include "kernels/measure/study.h"

namespace advisor {

// Of aligned buffers and one copier: "vectors", "rep movsb" (or "rep stosb")
// and "non-temporal", "hot" and "rotating". By function, regime, label; those
// with two points or more.
std::vector<TimeCurve> TimeCurves(const kernels::Study& study);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_TIME_CURVES_H_
