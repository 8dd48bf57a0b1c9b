// copy_cycles SIZE CALLS [THRESHOLD]: the field report's effect on this
// machine.
//
// The report: glibc 2.28 on an Ivy Bridge EX; a memcpy of 1 KiB takes 78 cycles
// on the host and 1503 in a guest, where the threshold for non-temporal stores
// is computed as 0.

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "kernels/copy_cycles_measure.h"

namespace {

using kernels::CopyCase;

// Three quarters of 30 threads' shares of 1 MiB: what 2.28 computes on the
// report's host.
constexpr uint64_t kHostThreshold = 23592960;
// Three quarters of the 16 MiB L3 that the report's guest is told of: what 2.28
// computes there once it counts at least one thread.
constexpr uint64_t kRecommended = 12582912;
constexpr uint64_t kLargestSize = uint64_t{1} << 30;
constexpr uint64_t kMostCalls = 1000000000;

constexpr char kUsage[] =
    "usage: copy_cycles SIZE CALLS [THRESHOLD]   (SIZE in bytes, 1 to 1 GiB; "
    "CALLS per case, 1 to 10^9; THRESHOLD in bytes, recommended instead of "
    "12582912)\n";

bool ParseNumber(absl::string_view text, uint64_t least, uint64_t most,
                 uint64_t* number) {
  return absl::SimpleAtoi(text, number) && *number >= least && *number <= most;
}

void PrintRow(const CopyCase& a_case, double cycles, double host) {
  std::printf("%-34s %12s %10.1f %7.2f\n", a_case.name.c_str(),
              a_case.non_temporal_threshold.has_value()
                  ? std::to_string(*a_case.non_temporal_threshold).c_str()
                  : "its own",
              cycles, cycles / host);
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t size = 0;
  uint64_t calls = 0;
  uint64_t recommended = kRecommended;
  if (argc < 3 || argc > 4 || !ParseNumber(argv[1], 1, kLargestSize, &size) ||
      !ParseNumber(argv[2], 1, kMostCalls, &calls) ||
      (argc == 4 && !ParseNumber(argv[3], 0, UINT64_MAX, &recommended))) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const std::vector<CopyCase> cases = {
      {"libc memcpy", std::nullopt},
      {"2.28 port, as on the report's host", kHostThreshold},
      {"2.28 port, as in its guest", 0},
      {"2.28 port, as recommended", recommended},
  };
  const std::vector<double> cycles =
      kernels::MeasureCopyCycles(cases, size, calls);
  std::printf("%llu bytes, %llu calls of each, interleaved\n",
              static_cast<unsigned long long>(size),
              static_cast<unsigned long long>(calls));
  std::printf("%-34s %12s %10s %7s\n", "", "threshold", "cycles", "ratio");
  for (size_t i = 0; i < cases.size(); ++i) {
    PrintRow(cases[i], cycles[i], cycles[1]);
  }
  return 0;
}
