// `predict`: predictions in memory, a whole process, and the batch.

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/scratch_folder.h"
#include "advisor/host/subprocess.h"
#include "benchmark/benchmark.h"

namespace advisor {
namespace {

constexpr char kDump[] = "testdata/cpuid/field/seed_guest_htt0.txt";
constexpr char kDumps[] = "testdata/cpuid";

std::vector<std::string> DumpTexts() {
  const RealFileReader files;
  std::vector<std::string> texts;
  const absl::StatusOr<std::vector<std::string>> names = files.List(kDumps);
  if (!names.ok()) return texts;
  for (const std::string& name : *names) {
    const absl::StatusOr<std::string> text =
        files.Read(absl::StrCat(kDumps, "/", name));
    if (text.ok()) texts.push_back(*text);
  }
  return texts;
}

void BM_PredictInMemory(benchmark::State& state) {
  std::vector<CpuidTable> tables;
  for (const std::string& text : DumpTexts()) {
    tables.push_back(ParseCpuidDump(text, "dump")->cpus[0]);
  }
  int64_t predictions = 0;
  for (auto _ : state) {
    for (const CpuidTable& table : tables) {
      for (const GlibcBuild& build : UpstreamBuilds()) {
        benchmark::DoNotOptimize(
            Predict(table, build, "", Reasoning::kOmitted));
        ++predictions;
      }
    }
  }
  state.SetItemsProcessed(predictions);
}
BENCHMARK(BM_PredictInMemory)->Unit(benchmark::kMillisecond);

void BM_PredictProcess(benchmark::State& state) {
  Command command;
  command.argv = {"advisor/advisor", "predict", kDump, "--glibc=2.28"};
  command.environment = Environment::OfThisProcess();
  for (auto _ : state) {
    const absl::StatusOr<CommandResult> result = RealSubprocess().Run(command);
    if (!result.ok() || result->exit_status != 0) {
      state.SkipWithError("advisor failed");
      break;
    }
  }
}
BENCHMARK(BM_PredictProcess)->Unit(benchmark::kMillisecond)->UseRealTime();

// So many dumps in a folder, each one of testdata with another APIC id; the
// answers are thrown away.
void BM_PredictBatch(benchmark::State& state) {
  const std::vector<std::string> texts = DumpTexts();
  const absl::StatusOr<ScratchFolder> folder =
      ScratchFolder::Create("/tmp", "predict_benchmark");
  if (!folder.ok()) {
    state.SkipWithError("no folder for the dumps");
    return;
  }
  const int64_t dumps = state.range(0);
  for (int64_t i = 0; i < dumps; ++i) {
    std::ofstream(absl::StrCat(folder->path(), "/", i, ".txt"))
        << texts[i % texts.size()];
  }
  Command command;
  command.argv = {"/bin/sh", "-c",
                  "advisor/advisor predict \"$1\" --glibc=2.36 --format=jsonl "
                  ">/dev/null",
                  "sh", folder->path()};
  command.environment = Environment::OfThisProcess();
  command.time_limit = absl::Minutes(10);
  for (auto _ : state) {
    const absl::StatusOr<CommandResult> result = RealSubprocess().Run(command);
    if (!result.ok() || result->exit_status != 0) {
      state.SkipWithError("advisor failed");
      break;
    }
  }
  state.SetItemsProcessed(state.iterations() * dumps);
}
BENCHMARK(BM_PredictBatch)
    ->Arg(1000)
    ->Arg(100000)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace advisor

BENCHMARK_MAIN();
