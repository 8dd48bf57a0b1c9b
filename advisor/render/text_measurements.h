// What a measurement found beside the proof, in words.

#ifndef ADVISOR_RENDER_TEXT_MEASUREMENTS_H_
#define ADVISOR_RENDER_TEXT_MEASUREMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "advisor/render/page.h"
#include "advisor/report.h"

namespace advisor {

// "measured with huge pages: L2 2 MiB as claimed, L3 12.5 MiB and not the 260
// MiB that are claimed". Empty without levels.
std::string MeasuredCachesText(const CacheTruth& caches);

// The mix of calls, how much of it the setting reaches, and what it gains.
void WorkloadPart(const std::optional<WorkloadSummary>& workload, Page& page);

// One paragraph a mask.
void MasksPart(const std::vector<MaskTrial>& masks, Page& page);

}  // namespace advisor

#endif  // ADVISOR_RENDER_TEXT_MEASUREMENTS_H_
