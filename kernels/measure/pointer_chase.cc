#include "kernels/measure/pointer_chase.h"

#include <emmintrin.h>
#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/host/file_reader.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/statistics.h"

namespace kernels {
namespace {

constexpr size_t kLine = 64;
constexpr size_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;
// Long enough that reading the counter does not show, short enough that few
// batches meet an interrupt.
constexpr size_t kBatch = 2000;
// Steps of the walk before measuring; in a larger set, arranging it has touched
// every line in random order already.
constexpr size_t kWalk = 100000;

char* Follow(char* at, size_t steps) {
  for (size_t i = 0; i < steps; ++i) at = *reinterpret_cast<char**>(at);
  return at;
}

// Bytes of the mapping at `address` that are in huge pages, as the kernel tells
// (proc(5), /proc/pid/smaps, AnonHugePages); 0 where it does not.
uint64_t HugeBytes(const char* address) {
  const absl::StatusOr<std::string> smaps =
      advisor::RealFileReader().Read("/proc/self/smaps");
  if (!smaps.ok()) return 0;
  const uint64_t wanted = reinterpret_cast<uintptr_t>(address);
  bool inside = false;
  for (absl::string_view line : absl::StrSplit(*smaps, '\n')) {
    uint64_t low, high;
    if (std::sscanf(std::string(line).c_str(), "%lx-%lx ", &low, &high) == 2) {
      inside = low <= wanted && wanted < high;
    } else if (inside && absl::ConsumePrefix(&line, "AnonHugePages:") &&
               absl::ConsumeSuffix(&line, "kB")) {
      uint64_t kib;
      return absl::SimpleAtoi(line, &kib) ? kib * 1024 : 0;
    }
  }
  return 0;
}

}  // namespace

absl::StatusOr<PointerChase> PointerChase::Create(size_t largest) {
  const size_t size =
      (std::max(largest, kPage) + kHugePage - 1) / kHugePage * kHugePage;
  const size_t mapped = size + kHugePage;
  void* const mapping = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) {
    return absl::ErrnoToStatus(errno,
                               absl::StrCat("cannot map ", mapped, " bytes"));
  }
  char* const start = static_cast<char*>(mapping);
  const size_t past = reinterpret_cast<uintptr_t>(start) % kHugePage;
  PointerChase chase(start, mapped,
                     past == 0 ? start : start + kHugePage - past);
  madvise(chase.data_, size, MADV_HUGEPAGE);  // a wish
  for (size_t i = 0; i < size; i += kPage) chase.data_[i] = 1;
  chase.in_huge_pages_ = HugeBytes(chase.data_) >= size / 2;
  return chase;
}

PointerChase::PointerChase(PointerChase&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapped_(other.mapped_),
      data_(other.data_),
      in_huge_pages_(other.in_huge_pages_),
      bytes_(other.bytes_),
      at_(other.at_) {}

PointerChase::~PointerChase() {
  if (mapping_ != nullptr) munmap(mapping_, mapped_);
}

void PointerChase::Arrange(size_t bytes, std::mt19937_64& random) {
  bytes_ = bytes;
  const size_t lines = std::max<size_t>(bytes / kLine, 2);
  std::vector<uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0);
  // Sattolo: a permutation that is one cycle.
  for (size_t i = lines - 1; i > 0; --i) {
    std::swap(next[i], next[random() % i]);
  }
  for (size_t i = 0; i < lines; ++i) {
    *reinterpret_cast<char**>(data_ + kLine * i) = data_ + kLine * next[i];
  }
  at_ = Follow(data_, std::min(lines, kWalk));
}

double PointerChase::Measure(size_t loads) {
  std::vector<double> batches;
  for (size_t done = 0; done < std::max(loads, kBatch); done += kBatch) {
    const uint64_t start = ReadCycles();
    at_ = Follow(at_, kBatch);
    // The loads must be done, and done for somebody, before the clock is read.
    asm volatile("" : "+r"(at_));
    batches.push_back(static_cast<double>(ReadCycles() - start) / kBatch);
  }
  return Median(batches);
}

double PointerChase::MeasureFlushed(size_t loads) {
  for (size_t i = 0; i < bytes_; i += kLine) _mm_clflush(data_ + i);
  _mm_mfence();
  // A second round would find the lines in a cache again.
  return Measure(std::min(loads, bytes_ / kLine / kBatch * kBatch));
}

}  // namespace kernels
