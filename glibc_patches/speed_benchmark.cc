// How often does MeasureSpeed() call identical code slower or faster, and how
// often does it find a slowdown that is there?
//
//   speed_benchmark BASE PATCHED SCRATCH VARIANT RUNS
//
// BASE and PATCHED are folders of build_tree.sh, VARIANT one of their variants:
// the same folder twice gives false alarms, another tree finds. A line a run:
//
//   run 3: 1 slower, 0 faster, 2 undecided of 43 cells; worst +9.1 %; 4.2 s

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/load.h"
#include "glibc_patches/loaded_trees.h"
#include "glibc_patches/placed_pair_source.h"
#include "glibc_patches/speed.h"
#include "glibc_patches/validation.h"
#include "glibc_patches/verdict.h"
#include "kernels/measure/worker.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

int Fail(absl::string_view what) {
  std::cerr << "speed_benchmark: " << what << "\n";
  return 2;
}

int Serve(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::pair<std::string, std::string> word =
        absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    if (const auto status = LoadTree(word.second, word.first); !status.ok()) {
      return Fail(status.message());
    }
  }
  return kernels::ServeWorker(std::cin, std::cout);
}

// Thresholds of a large server: rep movsb from 2112 bytes.
kernels::KernelParameters Thresholds() {
  kernels::KernelParameters parameters;
  parameters.non_temporal_threshold = 24 << 20;
  parameters.rep_movsb_threshold = 2112;
  parameters.rep_movsb_stop_threshold = 24 << 20;
  parameters.rep_stosb_threshold = 2048;
  parameters.data_cache_size = 48 << 10;
  parameters.shared_cache_size = 32 << 20;
  return parameters;
}

void PrintRun(int run, const SpeedResult& result, double seconds) {
  int slower = 0, faster = 0, undecided = 0;
  double worst = 0;
  for (const SpeedCellResult& cell : result.cells) {
    const bool is_slower = cell.judgement == SpeedJudgement::kSlower;
    const bool is_faster = cell.judgement == SpeedJudgement::kFaster;
    slower += is_slower ? 1 : 0;
    faster += is_faster ? 1 : 0;
    undecided += !is_slower && !cell.excludes_regression ? 1 : 0;
    if ((is_slower || is_faster) &&
        std::abs(cell.interval.middle) > std::abs(worst)) {
      worst = cell.interval.middle;
    }
  }
  std::cout << absl::StrFormat(
                   "run %d: %d slower, %d faster, %d undecided of %d cells; "
                   "worst %s; %.1f s",
                   run, slower, faster, undecided, result.cells.size(),
                   FormatChange(worst), seconds)
            << std::endl;
}

int Main(int argc, char** argv) {
  if (argc > 1 && absl::string_view(argv[1]) == kMeasurementWorker) {
    return Serve(argc, argv);
  }
  int runs = 0;
  if (argc != 6 || !absl::SimpleAtoi(argv[5], &runs)) {
    return Fail("expected BASE PATCHED SCRATCH VARIANT RUNS");
  }
  const PlacedTrees trees{argv[1], absl::StrCat(argv[3], "/control"), argv[2]};
  absl::Status status = CopyControl(trees.base, trees.control);
  if (status.ok()) status = LoadTree(PlacedTree(trees.base, 0), kBaseTree);
  if (!status.ok()) return Fail(status.message());
  std::vector<const kernels::Variant*> variants;
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.name == argv[4]) variants.push_back(&variant);
  }
  if (variants.empty()) return Fail("no such variant");
  SpeedMachine machine;
  machine.thresholds = Thresholds();
  const SpeedPlan plan = PlanSpeed(variants, machine, SpeedEffort::kQuick);

  const advisor::RealFileReader files;
  const advisor::RealDialogueStarter dialogues;
  const advisor::RealClock clock;
  const auto self = files.Resolve("/proc/self/exe");
  if (!self.ok()) return Fail(self.status().message());
  std::vector<std::unique_ptr<PlacedPairSourceFactory>> factories;
  SpeedFactories lanes;
  for (const int cpu : advisor::AllowedCpus()) {
    kernels::WorkerSetup setup{&dialogues, advisor::Command(), {cpu}};
    setup.command.argv = {*self, kMeasurementWorker};
    setup.command.time_limit = absl::Seconds(30);
    factories.push_back(std::make_unique<PlacedPairSourceFactory>(
        std::move(setup), trees, plan.sides));
    lanes.side_by_side.push_back(factories.back().get());
  }
  for (int run = 1; run <= runs; ++run) {
    SpeedOptions options;
    options.seed = static_cast<uint64_t>(run) * 7919;
    const absl::Duration start = clock.Monotonic();
    const auto result =
        MeasureSpeed(lanes, plan, options, clock, [](double) {});
    if (!result.ok()) return Fail(result.status().message());
    PrintRun(run, *result, absl::ToDoubleSeconds(clock.Monotonic() - start));
  }
  return 0;
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) { return glibc_patches::Main(argc, argv); }
