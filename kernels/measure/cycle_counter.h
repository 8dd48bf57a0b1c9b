// The time stamp counter. On every CPU of the last fifteen years it ticks at a
// constant rate; a "cycle" in this project is one tick.

#ifndef KERNELS_MEASURE_CYCLE_COUNTER_H_
#define KERNELS_MEASURE_CYCLE_COUNTER_H_

#include <x86intrin.h>

#include <cstdint>

namespace kernels {

// The counter, after every earlier load and before every later instruction
// (Intel SDM volume 2B, RDTSC: LFENCE on both sides).
inline uint64_t ReadCycles() {
  _mm_lfence();
  const uint64_t cycles = __rdtsc();
  _mm_lfence();
  return cycles;
}

// Ticks a second, measured once against CLOCK_MONOTONIC over 10 ms.
double CyclesPerSecond();

}  // namespace kernels

#endif  // KERNELS_MEASURE_CYCLE_COUNTER_H_
