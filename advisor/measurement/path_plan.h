// The path study of one libc: what is asked, and which sides answer.

#ifndef ADVISOR_MEASUREMENT_PATH_PLAN_H_
#define ADVISOR_MEASUREMENT_PATH_PLAN_H_

#include <memory>
#include <string>
#include <vector>

#include "advisor/evidence/path_study.h"
#include "advisor/host/file_reader.h"
#include "advisor/measurement/effort.h"
#include "advisor/measurement/measured_libc.h"
#include "kernels/measure/pair_source.h"

namespace advisor {

struct PathPlanOptions {
  MeasureMode mode = MeasureMode::kQuick;
  // Through child processes of the libc even where its source is built in.
  bool through_libc = false;
  // Every side is the same code with the same settings.
  bool control = false;
  // PathQuestions::all_sizes.
  bool all_sizes = false;
};

struct PathPlan {
  std::string method;  // Report::method
  PathQuestions questions;
  // What to call the sides of `factory`.
  std::vector<std::string> sides;
  std::unique_ptr<kernels::PairSourceFactory> factory;
};

// Side by side in one process where the very source of `libc` is built in;
// else through child processes of the installed libc.
PathPlan MakePathPlan(const MeasuredLibc& libc,
                      const kernels::WorkerSetup& setup,
                      const PathPlanOptions& options, const FileReader& files);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_PATH_PLAN_H_
