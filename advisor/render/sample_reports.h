// Reports to render in tests.

#ifndef ADVISOR_RENDER_SAMPLE_REPORTS_H_
#define ADVISOR_RENDER_SAMPLE_REPORTS_H_

#include <string>
#include <vector>

#include "advisor/report.h"

namespace advisor {

struct SampleReport {
  // Of its golden files.
  std::string name;
  Report report;
};

// A guest where measuring found better thresholds; one where the defaults stay,
// with a string in the environment; a prediction for a dump with the threshold
// 0; a guest with everything that can be measured, for a workload, and a mask;
// an environment that needs quoting.
std::vector<SampleReport> SampleReports();

}  // namespace advisor

#endif  // ADVISOR_RENDER_SAMPLE_REPORTS_H_
