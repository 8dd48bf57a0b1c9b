#include "advisor/measurement/effort.h"

#include <algorithm>
#include <optional>

#include "advisor/host/load.h"

namespace advisor {
namespace {

constexpr uint64_t kSmallestLargest = uint64_t{1} << 20;
// More copiers than this add nothing but memory.
constexpr size_t kMostCopiers = 8;

}  // namespace

Effort EffortOf(MeasureMode mode) {
  Effort effort;
  if (mode == MeasureMode::kFull) {
    effort.path_budget = absl::Seconds(50);
    effort.path_limit = absl::Seconds(57);
    effort.path_max_processes = 24;
    effort.proof_budget = absl::Seconds(35);
    effort.proof_limit = absl::Seconds(38);
    effort.proof_max_processes = 24;
    effort.largest = uint64_t{64} << 20;
  } else {
    effort.path_budget = absl::Seconds(6);
    effort.path_limit = absl::Seconds(6.5);
    effort.path_max_processes = 8;
    effort.proof_budget = absl::Seconds(6.5);
    effort.proof_limit = absl::Seconds(7);
    effort.proof_max_processes = 12;
    effort.largest = uint64_t{16} << 20;
  }
  return effort;
}

// The last CPU first: the first of a machine handles more interrupts than the
// others.
std::vector<int> MeasurementCpus() {
  std::vector<int> cpus = AllowedCpus();
  std::reverse(cpus.begin(), cpus.end());
  if (cpus.size() > kMostCopiers) cpus.resize(kMostCopiers);
  return cpus;
}

uint64_t LargestCall(uint64_t wanted, size_t copiers, int processes,
                     const FileReader& files) {
  const std::optional<uint64_t> memory = AvailableMemory(files);
  uint64_t largest = wanted;
  while (memory.has_value() && largest > kSmallestLargest &&
         4 * largest * copiers * processes > *memory / 4) {
    largest /= 2;
  }
  return largest;
}

}  // namespace advisor
