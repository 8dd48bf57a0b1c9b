// The plots of a report's page, each a <figure> with its legend and its
// numbers.

#ifndef ADVISOR_RENDER_HTML_CHARTS_H_
#define ADVISOR_RENDER_HTML_CHARTS_H_

#include <string>

#include "advisor/report.h"

namespace advisor {

// Time of a call against its size, a figure for each function and regime, with
// the thresholds of that function before and after. "" without curves.
std::string CurveFigures(const Report& report);

// Time with the recommendation over time without, a figure for each function
// and condition. "" without cells.
std::string ProofFigures(const Proof& proof);

// Time of a load against the working set, with the caches as claimed and as
// measured. "" without a curve.
std::string LatencyFigure(const CacheTruth& caches);

// The whole mix of calls; "" where it was not proved.
std::string WorkloadFigure(const WorkloadSummary& workload);

// "" without masks.
std::string MasksFigure(const std::vector<MaskTrial>& masks);

}  // namespace advisor

#endif  // ADVISOR_RENDER_HTML_CHARTS_H_
