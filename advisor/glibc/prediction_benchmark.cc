// How many predictions (a CPUID table times a build) one core makes.

#include <vector>

#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/prediction.h"
#include "benchmark/benchmark.h"

namespace advisor {
namespace {

void PredictAll(benchmark::State& state, Reasoning reasoning) {
  std::vector<CpuidTable> tables;
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    tables.push_back(ParseVector(input));
  }
  int64_t predictions = 0;
  for (auto _ : state) {
    for (const CpuidTable& cpu : tables) {
      for (const GlibcBuild& build : UpstreamBuilds()) {
        benchmark::DoNotOptimize(Predict(cpu, build, "", reasoning));
        ++predictions;
      }
    }
  }
  state.SetItemsProcessed(predictions);
}

void BM_Predict(benchmark::State& state) {
  PredictAll(state, Reasoning::kOmitted);
}
BENCHMARK(BM_Predict)->Unit(benchmark::kMillisecond);

void BM_PredictWithReasoning(benchmark::State& state) {
  PredictAll(state, Reasoning::kRecorded);
}
BENCHMARK(BM_PredictWithReasoning)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace advisor
BENCHMARK_MAIN();
