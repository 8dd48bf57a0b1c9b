// The other end of worker.h: starts workers and asks them.

#ifndef KERNELS_MEASURE_WORKER_CLIENT_H_
#define KERNELS_MEASURE_WORKER_CLIENT_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/subprocess.h"

namespace kernels {

// Which program is the worker and where it may run.
struct WorkerSetup {
  const advisor::DialogueStarter* starter;
  // The worker's command line and environment; the latter without
  // GLIBC_TUNABLES.
  advisor::Command command;
  // The first is that of the measured thread, the others of further copiers.
  std::vector<int> cpus;
};

// A fresh worker on the set-up's CPUs. `command` may differ from the set-up's
// in its environment; `seed` decides the placement of buffers.
absl::StatusOr<std::unique_ptr<advisor::Dialogue>> StartWorker(
    const WorkerSetup& setup, const advisor::Command& command, uint64_t seed);

// The numbers that a worker answers. Internal: "worker: REASON".
absl::StatusOr<std::vector<double>> AskWorker(advisor::Dialogue& worker,
                                              absl::string_view request);
// Exactly one number.
absl::StatusOr<double> AskWorkerForOne(advisor::Dialogue& worker,
                                       absl::string_view request);
// Numbers do not matter.
absl::Status TellWorker(advisor::Dialogue& worker,
                        absl::Span<const std::string> requests);

}  // namespace kernels

#endif  // KERNELS_MEASURE_WORKER_CLIENT_H_
