// Loads that depend on one another, in random order over a working set: how far
// away its memory is.

#ifndef KERNELS_MEASURE_POINTER_CHASE_H_
#define KERNELS_MEASURE_POINTER_CHASE_H_

#include <cstddef>
#include <cstdint>
#include <random>

#include "absl/status/statusor.h"

namespace kernels {

class PointerChase {
 public:
  // Memory for working sets of up to `largest` bytes (at least a page), in huge
  // pages where the kernel gives them. ResourceExhausted when there is not so
  // much.
  static absl::StatusOr<PointerChase> Create(size_t largest);
  PointerChase(PointerChase&& other) noexcept;
  PointerChase& operator=(PointerChase&& other) = delete;
  ~PointerChase();

  // Most of the memory is in huge pages: the TLB takes no part in the times.
  bool in_huge_pages() const { return in_huge_pages_; }

  // One cycle through every line of the first `bytes` (at most `largest`), in
  // an order that no prefetcher can guess, walked once.
  void Arrange(size_t bytes, std::mt19937_64& random);

  // Cycles a load (cycle_counter.h), the median of batches over about `loads`
  // of them. After Arrange().
  double Measure(size_t loads);

  // The same with each line evicted from every cache before: the time of the
  // memory itself.
  double MeasureFlushed(size_t loads);

 private:
  PointerChase(char* mapping, size_t mapped, char* data)
      : mapping_(mapping), mapped_(mapped), data_(data) {}

  char* mapping_;
  size_t mapped_;
  char* data_;  // in it, aligned to a huge page
  bool in_huge_pages_ = false;
  size_t bytes_ = 0;
  char* at_ = nullptr;
};

}  // namespace kernels

#endif  // KERNELS_MEASURE_POINTER_CHASE_H_
