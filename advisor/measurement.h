// Measures this machine, chooses thresholds, and proves them on the real libc:
// path study -> threshold search -> read back from the loader -> proof study.

#ifndef ADVISOR_MEASUREMENT_H_
#define ADVISOR_MEASUREMENT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "advisor/measurement/effort.h"
#include "advisor/measurement/measured_libc.h"
#include "advisor/report.h"
#include "advisor/workload/workload.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/study.h"

namespace advisor {

// The only argument of the process that measures (kernels/measure/worker.h):
// this program starts itself.
inline constexpr char kMeasurementWorker[] = "--measurement-worker";

struct MeasurementDoors {
  const FileReader& files;
  const Subprocess& subprocess;
  const DialogueStarter& dialogues;
  const Environment& environment;
  const Clock& clock;
  // "measuring", 0.42
  std::function<void(absl::string_view, double)> progress;
};

struct MeasurementOptions {
  MeasureMode mode = MeasureMode::kQuick;
  uint64_t seed = 1;
  // Measures the libc through child processes even where its source is there.
  bool through_libc = false;
  // Every side is the same code with the same settings: whatever is recommended
  // then is a false alarm. For the benchmark of this measurement.
  bool control = false;
  // What the settings are for; nullptr: nothing in particular, every octave of
  // sizes counts alike.
  const Workload* workload = nullptr;
};

// How to start workers: this program, on the CPUs that it may use.
absl::StatusOr<kernels::WorkerSetup> MeasurementWorkers(
    const MeasurementDoors& doors);

// RunStudy with the doors' clock and progress (`what` is being done), and with
// the time that the hypervisor took away meanwhile.
absl::StatusOr<kernels::Study> RunMeasuredStudy(
    const kernels::PairSourceFactory& factory, std::vector<std::string> sides,
    const kernels::StudyPlan& plan, absl::string_view what,
    const MeasurementDoors& doors);

struct MeasuredAdvice {
  std::string method;  // Report::method
  absl::Duration time;
  kernels::Study path_study;
  // What the search proposed, before it was proved.
  std::vector<TunableSetting> proposed;
  // What was proved; GLIBC_TUNABLES with it (empty when nothing was).
  std::vector<TunableSetting> proved;
  std::string string;
  // nullopt when nothing was proposed.
  std::optional<Proof> proof;
  std::vector<Finding> findings;
  // nullopt without a workload.
  std::optional<WorkloadSummary> workload;
  std::vector<TimeCurve> curves;
  // Why this, or why nothing.
  std::string reason;
};

// Errors: Cancelled after a signal; ResourceExhausted, Unavailable and
// DeadlineExceeded when workers cannot do their work here.
absl::StatusOr<MeasuredAdvice> MeasureAndAdvise(
    const MeasuredLibc& libc, const MeasurementDoors& doors,
    const MeasurementOptions& options);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_H_
