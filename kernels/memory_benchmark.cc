#include "kernels/memory_benchmark.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_source.h"
#include "benchmark/benchmark.h"
#include "kernels/benchmark_context.h"
#include "kernels/benchmark_regime.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/parameters_text.h"

ABSL_FLAG(std::string, thresholds, "",
          "Thresholds for the variants, in bytes, over the running libc's: "
          "non_temporal_threshold=65536,rep_movsb_threshold=2112");
ABSL_FLAG(uint64_t, l1, 0, "Bytes of L1d that the regimes go by; 0: detected");
ABSL_FLAG(uint64_t, l2, 0, "Bytes of L2 that the regimes go by; 0: detected");
ABSL_FLAG(uint64_t, l3, 0, "Bytes of L3 that the regimes go by; 0: detected");

namespace kernels {
namespace {

using CopyFunction = void* (*)(void*, const void*, size_t);
using SetFunction = void* (*)(void*, int, size_t);

// What one row calls.
struct Subject {
  std::string name;
  void* address;
  // The libc's memcpy must not be called on operands that overlap.
  bool may_overlap = true;
};

ArenaPool& SharedPool() {
  static ArenaPool& pool = *new ArenaPool;
  return pool;
}

// The row's loop, with the call in `call(destination, source, size)`.
template <typename Call>
void Loop(benchmark::State& state, const BenchmarkRegime& regime, size_t size,
          Call call) {
  const std::vector<BufferPair> pairs =
      MakeOperands(regime, size, SharedPool());
  size_t next = 0;
  const uint64_t start = ReadCycles();
  for (auto unused : state) {
    const BufferPair& pair = pairs[next];
    if (++next == pairs.size()) next = 0;
    benchmark::DoNotOptimize(call(pair.destination, pair.source, size));
  }
  const double cycles = static_cast<double>(ReadCycles() - start);
  state.SetBytesProcessed(state.iterations() * size);
  state.counters["cycles_per_call"] = cycles / state.iterations();
}

void RegisterRow(Function function, const Subject& subject,
                 const BenchmarkRegime& regime, size_t size) {
  const std::string name = absl::StrCat(
      FunctionName(function), "/", subject.name, "/", regime.name, "/", size);
  void* const address = subject.address;
  if (function == Function::kMemset) {
    benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
      const auto set = reinterpret_cast<SetFunction>(address);
      Loop(state, regime, size, [=](void* to, const void*, size_t bytes) {
        return set(to, 0x5a, bytes);
      });
    });
    return;
  }
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    Loop(state, regime, size, reinterpret_cast<CopyFunction>(address));
  });
}

std::vector<Subject> LibcSubjects(Function function) {
  if (function == Function::kMemset) {
    const SetFunction set = std::memset;
    return {{"libc_memset", reinterpret_cast<void*>(set)}};
  }
  const CopyFunction copy = std::memcpy;
  const CopyFunction move = std::memmove;
  return {{"libc_memcpy", reinterpret_cast<void*>(copy), false},
          {"libc_memmove", reinterpret_cast<void*>(move)}};
}

// The libc's first, then each tree's. Names are glibc's own; a tree that is
// neither the machine's nor our ports stands before them ("base:...").
std::vector<Subject> Subjects(Function function) {
  std::vector<Subject> subjects = LibcSubjects(function);
  const advisor::CpuidTable cpu = advisor::ReadNativeCpuid();
  for (const Variant& variant : AllVariants()) {
    if (variant.function != function || MissingFeature(variant, cpu)) continue;
    const absl::string_view tree = variant.tree->name();
    const bool plain = tree == "glibc" || tree == "ports";
    subjects.push_back({plain ? std::string(variant.name)
                              : absl::StrCat(tree, ":", variant.name),
                        variant.address});
  }
  return subjects;
}

CacheSizes CacheSizesFromFlags() {
  CacheSizes caches = CacheSizesOfThisMachine();
  if (const uint64_t l1 = absl::GetFlag(FLAGS_l1)) caches.l1 = l1;
  if (const uint64_t l2 = absl::GetFlag(FLAGS_l2)) caches.l2 = l2;
  if (const uint64_t l3 = absl::GetFlag(FLAGS_l3)) caches.l3 = l3;
  return caches;
}

// False, with a line on stderr, when the flag makes no sense.
bool SetThresholds() {
  const std::string flag = absl::GetFlag(FLAGS_thresholds);
  const absl::StatusOr<KernelParameters> given =
      ParseParameters(flag.empty() ? "-" : flag);
  if (!given.ok()) {
    std::fprintf(stderr, "--thresholds: %s\n",
                 std::string(given.status().message()).c_str());
    return false;
  }
  const KernelParameters running = ParametersOfRunningLibc();
  for (const Tree* tree : AllTrees()) {
    tree->SetParameters(running);
    tree->SetParameters(*given);
  }
  return true;
}

}  // namespace

int RunMemoryBenchmark(Function function, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  absl::ParseCommandLine(argc, argv);
  if (!SetThresholds()) return 2;
  const CacheSizes caches = CacheSizesFromFlags();
  for (const auto& [name, value] : BenchmarkContext(caches)) {
    benchmark::AddCustomContext(name, value);
  }
  for (const BenchmarkRegime& regime : BenchmarkRegimes(caches)) {
    if (function == Function::kMemset && !regime.for_memset) continue;
    for (size_t size : regime.sizes) {
      for (const Subject& subject : Subjects(function)) {
        if (regime.overlap && !subject.may_overlap) continue;
        RegisterRow(function, subject, regime, size);
      }
    }
  }
  const size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return ran > 0 ? 0 : 1;
}

}  // namespace kernels
