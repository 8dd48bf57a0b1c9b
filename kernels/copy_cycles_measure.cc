#include "kernels/copy_cycles_measure.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

#include "kernels/measure/cycle_counter.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

constexpr int kBatch = 16;

using CopyFunction = void* (*)(void*, const void*, size_t);

// What the field report's processor selects in 2.28; every x86-64 CPU runs it.
const Variant& PortOf228() {
  for (const Variant& variant : AllVariants()) {
    if (variant.name == "port_memmove_sse2_unaligned") return variant;
  }
  std::abort();
}

// One case, ready to run.
struct Runner {
  CopyFunction copy;
  const Tree* tree;
  KernelParameters parameters;
  std::unique_ptr<char[]> destination;
  std::unique_ptr<char[]> source;
  std::vector<double> samples;
};

Runner MakeRunner(const CopyCase& a_case, size_t size) {
  const Variant& port = PortOf228();
  const CopyFunction libc = std::memcpy;
  Runner runner;
  runner.copy = a_case.non_temporal_threshold.has_value()
                    ? reinterpret_cast<CopyFunction>(port.address)
                    : libc;
  runner.tree = port.tree;
  runner.parameters.non_temporal_threshold = a_case.non_temporal_threshold;
  // Zeroed, hence written: no read meets the kernel's shared zero page. The
  // destination of all cases lies alike, on a line, away from 4 KiB aliasing.
  runner.destination = std::make_unique<char[]>(size + 3 * 4096);
  runner.source = std::make_unique<char[]>(size + 3 * 4096);
  return runner;
}

char* AtPageOffset(char* memory, size_t offset) {
  const uintptr_t page = (reinterpret_cast<uintptr_t>(memory) + 4095) & ~4095;
  return reinterpret_cast<char*>(page + offset);
}

double RunBatch(Runner& runner, size_t size) {
  char* const to = AtPageOffset(runner.destination.get(), 2048);
  const char* const from = AtPageOffset(runner.source.get(), 0);
  runner.tree->SetParameters(runner.parameters);
  runner.copy(to, from, size);
  const uint64_t start = ReadCycles();
  for (int i = 0; i < kBatch; ++i) runner.copy(to, from, size);
  return static_cast<double>(ReadCycles() - start) / kBatch;
}

double Median(std::vector<double>& samples) {
  const auto middle = samples.begin() + samples.size() / 2;
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle;
}

}  // namespace

std::vector<double> MeasureCopyCycles(absl::Span<const CopyCase> cases,
                                      size_t size, uint64_t calls) {
  const Tree& tree = *PortOf228().tree;
  const KernelParameters before = tree.parameters();
  std::vector<Runner> runners;
  for (const CopyCase& a_case : cases) {
    runners.push_back(MakeRunner(a_case, size));
  }
  std::vector<size_t> order(runners.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(1);
  const uint64_t batches = std::max<uint64_t>(calls / kBatch, 1);
  for (uint64_t batch = 0; batch < batches; ++batch) {
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i : order) {
      runners[i].samples.push_back(RunBatch(runners[i], size));
    }
  }
  tree.SetParameters(before);
  std::vector<double> medians;
  for (Runner& runner : runners) medians.push_back(Median(runner.samples));
  return medians;
}

}  // namespace kernels
