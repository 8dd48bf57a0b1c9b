#include "kernels/measure/cycle_counter.h"

#include <chrono>

namespace kernels {
namespace {

double MeasureCyclesPerSecond() {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kSpan(10);
  const Clock::time_point start = Clock::now();
  const uint64_t first = ReadCycles();
  Clock::time_point now = start;
  while (now - start < kSpan) now = Clock::now();
  const uint64_t last = ReadCycles();
  return static_cast<double>(last - first) /
         std::chrono::duration<double>(now - start).count();
}

}  // namespace

double CyclesPerSecond() {
  static const double rate = MeasureCyclesPerSecond();
  return rate;
}

}  // namespace kernels
