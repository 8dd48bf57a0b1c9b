// How far the A/B engine can be trusted on this machine, while another process
// keeps one CPU busy:
//
//   noise_benchmark [RUNS [PLACEMENTS [LOAD]]]
//
// 100 runs of 8 placements by default. LOAD says where the busy process is:
// "any" (default: where the kernel puts it), "same" (on the measuring CPU,
// which then has half of the time) or "none".

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/load.h"
#include "kernels/measure/judgement.h"
#include "kernels/measure/statistics.h"
#include "kernels/measure/worker.h"
#include "kernels/noise/noise_run.h"

namespace kernels {
namespace {

constexpr char kWorker[] = "--worker";
constexpr char kBusy[] = "--busy";

struct Options {
  int runs = 100;
  int placements = 8;
  std::string load = "any";
};

int Fail(absl::string_view what) {
  std::cerr << "noise_benchmark: " << what << "\n";
  return 2;
}

bool ReadOptions(int argc, char** argv, Options& options) {
  if (argc > 4) return false;
  if (argc > 3) options.load = argv[3];
  return (argc < 2 || absl::SimpleAtoi(argv[1], &options.runs)) &&
         (argc < 3 || absl::SimpleAtoi(argv[2], &options.placements)) &&
         options.runs > 0 && options.placements > 1 &&
         (options.load == "any" || options.load == "same" ||
          options.load == "none");
}

// Computes until it is killed.
[[noreturn]] void StayBusy() {
  std::cout << "ok" << std::endl;
  while (true) asm volatile("");
}

// What several runs found, by effect.
struct Tally {
  int cells = 0;
  int slower = 0;
  int faster = 0;
  int equivalent = 0;
  int one_placement = 0;
  int runs_with_difference = 0;
  double largest_spread = 0;
};

void Count(const std::vector<CellJudgement>& judgements, Tally& tally) {
  bool different = false;
  for (const CellJudgement& judgement : judgements) {
    ++tally.cells;
    const bool slower = judgement.comparison == Comparison::kSlower;
    const bool faster = judgement.comparison == Comparison::kFaster;
    tally.slower += slower;
    tally.faster += faster;
    different |= slower || faster;
    tally.equivalent += judgement.comparison == Comparison::kEquivalent;
    tally.one_placement += judgement.one_placement_alone;
    tally.largest_spread = std::max(tally.largest_spread, judgement.spread);
  }
  tally.runs_with_difference += different;
}

std::string Share(int part, int whole) {
  const Interval interval = ShareInterval(part, whole, 0.95);
  return absl::StrFormat("%d of %d, %.1f %% [%.1f, %.1f]", part, whole,
                         100 * interval.middle, 100 * interval.low,
                         100 * interval.high);
}

// The worst of the conditions of several runs.
struct Conditions {
  Study worst;
  int disturbed_runs = 0;
};

void Count(const Study& conditions, Conditions& all) {
  all.disturbed_runs += Disturbances(conditions).empty() ? 0 : 1;
  all.worst.steal = std::max(all.worst.steal, conditions.steal);
  all.worst.clock_drift =
      std::max(all.worst.clock_drift, conditions.clock_drift);
  all.worst.migrations = std::max(all.worst.migrations, conditions.migrations);
}

void Print(const std::vector<Tally>& tallies, const Conditions& conditions,
           const Options& options) {
  for (size_t i = 0; i < tallies.size(); ++i) {
    const Tally& tally = tallies[i];
    std::cout << absl::StrFormat(
        "%-13s called slower in %s of cells\n"
        "%13s called faster in %d, equivalent in %d, one placement alone in "
        "%d;\n%13s placements differ by up to %.0f %%\n",
        PlantedEffects()[i].name, Share(tally.slower, tally.cells), "",
        tally.faster, tally.equivalent, tally.one_placement, "",
        100 * std::expm1(tally.largest_spread));
  }
  std::cout << absl::StrFormat(
      "runs in which identical code was called slower or faster: %s\n",
      Share(tallies[0].runs_with_difference, options.runs));
  std::cout << absl::StrFormat("disturbed runs: %d of %d",
                               conditions.disturbed_runs, options.runs);
  if (conditions.disturbed_runs > 0) {
    std::cout << "; at worst "
              << absl::StrJoin(Disturbances(conditions.worst), ", ");
  }
  std::cout << "\n";
}

int Benchmark(const Options& options) {
  const advisor::RealFileReader files;
  const advisor::RealDialogueStarter dialogues;
  const advisor::RealClock clock;
  const absl::StatusOr<std::string> self = files.Resolve("/proc/self/exe");
  if (!self.ok()) return Fail(self.status().message());
  std::vector<int> cpus = advisor::AllowedCpus();
  WorkerSetup setup{&dialogues, advisor::Command(), {cpus.back()}};
  setup.command.argv = {*self, kWorker};
  setup.command.time_limit = absl::Seconds(30);

  std::unique_ptr<advisor::Dialogue> load;
  if (options.load != "none") {
    advisor::Command busy = setup.command;
    busy.argv = {*self, kBusy};
    if (options.load == "same") busy.cpu = cpus.back();
    absl::StatusOr<std::unique_ptr<advisor::Dialogue>> started =
        dialogues.Start(busy);
    if (!started.ok()) return Fail(started.status().message());
    load = *std::move(started);
    if (const auto ready = load->Ask(""); !ready.ok()) {
      return Fail(ready.status().message());
    }
  }
  const auto cells = CalibrateNoiseCells(setup, clock, /*seed=*/1);
  if (!cells.ok()) return Fail(cells.status().message());
  std::cout << absl::StrFormat(
      "%d runs of %d cells in %d placements each; a busy process: %s\n",
      options.runs, cells->size(), options.placements, options.load);
  for (const NoiseCell& cell : *cells) {
    std::cout << absl::StrFormat("  %s: %.0f core cycles a call\n",
                                 CellName(cell.cell), cell.core_cycles);
  }
  std::vector<Tally> tallies(PlantedEffects().size());
  Conditions conditions;
  for (int run = 0; run < options.runs; ++run) {
    const auto result =
        RunNoise(setup, *cells, options.placements,
                 static_cast<uint64_t>(run) * 7919 + 1, clock, files);
    if (!result.ok()) return Fail(result.status().message());
    for (size_t i = 0; i < tallies.size(); ++i) {
      Count(result->judgements[i], tallies[i]);
    }
    Count(result->conditions, conditions);
  }
  Print(tallies, conditions, options);
  return 0;
}

}  // namespace
}  // namespace kernels

int main(int argc, char** argv) {
  if (argc == 2 && absl::string_view(argv[1]) == kernels::kWorker) {
    return kernels::ServeWorker(std::cin, std::cout);
  }
  if (argc == 2 && absl::string_view(argv[1]) == kernels::kBusy) {
    kernels::StayBusy();
  }
  kernels::Options options;
  if (!kernels::ReadOptions(argc, argv, options)) {
    return kernels::Fail("expected [RUNS [PLACEMENTS [any|same|none]]]");
  }
  advisor::InstallInterruptHandler();
  return kernels::Benchmark(options);
}
