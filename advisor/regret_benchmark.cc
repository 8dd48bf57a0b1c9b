// How good the recommendation is: for each workload, its time and that of the
// defaults against the best setting that an exhaustive sweep finds here.
//
//   bazel run -c opt //advisor:regret_benchmark
//   bazel run -c opt //advisor:regret_benchmark -- --control_runs=100
//
// The second form counts false alarms: every side of the measurement is the
// same code with the same settings, so that no recommendation is right.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/load.h"
#include "advisor/host/subprocess.h"
#include "advisor/mask_measurement.h"
#include "advisor/measured_libc.h"
#include "advisor/measurement.h"
#include "advisor/system.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/pair_source.h"
#include "kernels/measure/statistics.h"
#include "kernels/measure/worker.h"
#include "kernels/variant.h"

namespace advisor {
namespace {

using ::kernels::Alignment;
using ::kernels::Cell;
using ::kernels::Interval;
using ::kernels::KernelParameters;
using ::kernels::Regime;

struct Workload {
  const char* name;
  uint64_t smallest;
  uint64_t largest;
  int cells;
  int pairs;
};

// Sizes are spread evenly over the logarithm, alignments drawn, and regimes,
// hot or rotating, too. What large calls wrote is read back afterwards, as
// programs do that copy in order to use: else a store that bypasses the caches
// has all of the gain and none of the cost.
constexpr Workload kWorkloads[] = {
    {"uniform small, 1 to 256 B", 1, 256, 24, 9},
    {"2 to 16 KiB", 2 << 10, 16 << 10, 24, 9},
    {"16 to 512 KiB", 16 << 10, 512 << 10, 24, 7},
    {"1 to 8 MiB", 1 << 20, 8 << 20, 10, 3},
    {"16 to 64 MiB", 16 << 20, 64 << 20, 5, 2},
    {"mixed, 1 B to 8 MiB", 1, 8 << 20, 40, 5},
};

// Fresh processes for choosing the best setting, and others for judging it.
constexpr int kChoosingProcesses = 2;
constexpr int kJudgingProcesses = 6;

Regime RegimeOf(uint64_t size, std::mt19937_64& random) {
  const bool hot = random() % 2 == 0;
  if (size >= uint64_t{1} << 20) return Regime::kReadBack;
  return hot ? Regime::kHot : Regime::kRotating;
}

std::vector<Cell> CellsOf(const Workload& workload, bool is_memset,
                          uint64_t seed) {
  std::mt19937_64 random(seed);
  const double low = std::log(static_cast<double>(workload.smallest));
  const double high = std::log(static_cast<double>(workload.largest));
  std::vector<Cell> cells;
  for (int i = 0; i < workload.cells; ++i) {
    std::uniform_real_distribution<double> share(i, i + 1);
    const double x = low + (high - low) * share(random) / workload.cells;
    const uint64_t size =
        workload.largest <= 256
            ? std::uniform_int_distribution<uint64_t>(1, 256)(random)
            : static_cast<uint64_t>(std::exp(x));
    cells.push_back({is_memset, std::max<uint64_t>(size, 1),
                     static_cast<Alignment>(random() % (is_memset ? 2 : 3)),
                     RegimeOf(size, random), 1});
  }
  return cells;
}

struct Setting {
  uint64_t rep_string;
  uint64_t non_temporal;
};

// Every half octave of the workload's range for rep strings, every octave for
// non-temporal stores, both of them off, and both as early as may be.
std::vector<Setting> SweepOf(const Workload& workload, const MeasuredLibc& libc,
                             const Setting& now) {
  constexpr uint64_t kNever = uint64_t{1} << 31;
  const uint64_t lowest = libc.lowest_rep_movsb.value_or(513);
  std::vector<uint64_t> rep_strings = {lowest, kNever};
  std::vector<uint64_t> non_temporals = {now.non_temporal, kNever};
  for (uint64_t octave = 256; octave <= workload.largest; octave *= 2) {
    if (octave < workload.smallest) continue;
    rep_strings.push_back(std::max(octave, lowest));
    rep_strings.push_back(std::max(octave + octave / 2, lowest));
    if (octave > 0x4040) non_temporals.push_back(octave);
  }
  std::vector<Setting> sweep;
  for (const uint64_t rep_string : rep_strings) {
    for (const uint64_t non_temporal : non_temporals) {
      sweep.push_back({rep_string, non_temporal});
    }
  }
  return sweep;
}

class RegretBenchmark {
 public:
  RegretBenchmark(const MeasuredLibc& libc, kernels::WorkerSetup setup)
      : libc_(libc), setup_(std::move(setup)) {}

  // One line for each workload.
  absl::Status Run(const MeasuredAdvice& advice, bool is_memset) {
    const Setting now = Now(is_memset);
    const Setting recommended = WithAdvice(now, advice, is_memset);
    for (const Workload& workload : kWorkloads) {
      const std::vector<Cell> cells = CellsOf(workload, is_memset, 1);
      std::vector<Setting> sides = {now, recommended};
      const std::vector<Setting> sweep = SweepOf(workload, libc_, now);
      sides.insert(sides.end(), sweep.begin(), sweep.end());
      const absl::StatusOr<size_t> best = Best(workload, cells, sides);
      if (!best.ok()) return best.status();
      const std::vector<Setting> judged = {sides[*best], now, recommended};
      const absl::StatusOr<Interval> of_default =
          Regret(workload, cells, judged, 1);
      if (!of_default.ok()) return of_default.status();
      const absl::StatusOr<Interval> of_advice =
          Regret(workload, cells, judged, 2);
      if (!of_advice.ok()) return of_advice.status();
      absl::PrintF("%-6s  %-26s  %-22s  %-22s  %10d %10d\n",
                   is_memset ? "memset" : "memcpy", workload.name,
                   Words(*of_default), Words(*of_advice),
                   sides[*best].rep_string, sides[*best].non_temporal);
      std::fflush(stdout);
    }
    return absl::OkStatus();
  }

 private:
  Setting Now(bool is_memset) const {
    constexpr uint64_t kNever = uint64_t{1} << 31;
    const EffectiveThresholds& now = libc_.now;
    return is_memset
               ? Setting{now.rep_stosb_threshold.value_or(2048),
                         now.memset_non_temporal_threshold.value_or(kNever)}
               : Setting{now.rep_movsb_threshold.value_or(2048),
                         now.non_temporal_threshold.value_or(kNever)};
  }

  static Setting WithAdvice(Setting setting, const MeasuredAdvice& advice,
                            bool is_memset) {
    for (const TunableSetting& tunable : advice.proved) {
      absl::string_view name = tunable.name;
      if (absl::ConsumeSuffix(&name, is_memset ? "x86_rep_stosb_threshold"
                                               : "x86_rep_movsb_threshold")) {
        setting.rep_string = tunable.value;
      } else if (absl::ConsumeSuffix(
                     &name, is_memset ? "x86_memset_non_temporal_threshold"
                                      : ".x86_non_temporal_threshold")) {
        setting.non_temporal = tunable.value;
      }
    }
    return setting;
  }

  KernelParameters Parameters(const Setting& setting) const {
    KernelParameters parameters;
    parameters.rep_movsb_threshold = setting.rep_string;
    parameters.rep_stosb_threshold = setting.rep_string;
    parameters.non_temporal_threshold = setting.non_temporal;
    parameters.memset_non_temporal_threshold = setting.non_temporal;
    // As this release derives it; on AMD up to 2.39 it stays that of L2.
    const bool follows =
        !libc_.is_amd || libc_.build.Has(Change::kAmdMovsbIsNonTemporal);
    parameters.rep_movsb_stop_threshold =
        follows
            ? setting.non_temporal
            : libc_.now.rep_movsb_stop_threshold.value_or(setting.non_temporal);
    parameters.string_control = libc_.string_control;
    return parameters;
  }

  absl::StatusOr<std::unique_ptr<kernels::PairSource>> Start(
      const std::vector<Setting>& sides, uint64_t seed) const {
    std::vector<KernelParameters> parameters;
    for (const Setting& side : sides) parameters.push_back(Parameters(side));
    return kernels::VariantPairSourceFactory(
               setup_, "glibc",
               absl::StrCat("__memmove_", libc_.memmove_variant),
               absl::StrCat("__memset_", libc_.memset_variant),
               std::move(parameters))
        .Start(seed);
  }

  // The side with the least mean log ratio to side 0.
  absl::StatusOr<size_t> Best(const Workload& workload,
                              const std::vector<Cell>& cells,
                              const std::vector<Setting>& sides) {
    std::vector<double> costs(sides.size());
    for (int process = 0; process < kChoosingProcesses; ++process) {
      absl::StatusOr<std::unique_ptr<kernels::PairSource>> source =
          Start(sides, ++seed_);
      if (!source.ok()) return source.status();
      for (const Cell& cell : cells) {
        for (size_t side = 1; side < sides.size(); ++side) {
          const absl::StatusOr<kernels::Pairs> pairs = (*source)->Measure(
              cell, 0, static_cast<int>(side), workload.pairs);
          if (!pairs.ok()) return pairs.status();
          costs[side] += kernels::Median(pairs->log_ratios);
        }
      }
    }
    return std::min_element(costs.begin(), costs.end()) - costs.begin();
  }

  // Time of `side` / time of side 0: the geometric mean over all cells, so that
  // calls of 4 KiB do not vanish beside calls of 4 MiB.
  absl::StatusOr<Interval> Regret(const Workload& workload,
                                  const std::vector<Cell>& cells,
                                  const std::vector<Setting>& sides, int side) {
    std::vector<double> log_regrets;
    for (int process = 0; process < kJudgingProcesses; ++process) {
      absl::StatusOr<std::unique_ptr<kernels::PairSource>> source =
          Start(sides, ++seed_);
      if (!source.ok()) return source.status();
      double sum = 0;
      for (const Cell& cell : cells) {
        const absl::StatusOr<kernels::Pairs> pairs =
            (*source)->Measure(cell, 0, side, 2 * workload.pairs);
        if (!pairs.ok()) return pairs.status();
        sum += kernels::Median(pairs->log_ratios);
      }
      log_regrets.push_back(sum / static_cast<double>(cells.size()));
    }
    const Interval interval = kernels::MeanInterval(log_regrets, 0.95);
    return Interval{std::exp(interval.low), std::exp(interval.middle),
                    std::exp(interval.high)};
  }

  static std::string Words(const Interval& regret) {
    return absl::StrFormat("%.3f [%.3f, %.3f]", regret.middle, regret.low,
                           regret.high);
  }

  const MeasuredLibc& libc_;
  const kernels::WorkerSetup setup_;
  uint64_t seed_ = 0;
};

struct Arguments {
  int control_runs = 0;
  MeasureMode mode = MeasureMode::kQuick;
  uint64_t seed = 1;
  bool good = true;
};

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    absl::string_view word = argv[i];
    if (absl::ConsumePrefix(&word, "--control_runs=")) {
      arguments.good &= absl::SimpleAtoi(word, &arguments.control_runs);
    } else if (absl::ConsumePrefix(&word, "--seed=")) {
      arguments.good &= absl::SimpleAtoi(word, &arguments.seed);
    } else if (word == "--measure=full") {
      arguments.mode = MeasureMode::kFull;
    } else if (word != "--measure=quick") {
      arguments.good = false;
    }
  }
  return arguments;
}

int CountFalseAlarms(const System& system, const MeasuredLibc& libc,
                     const MeasurementDoors& doors,
                     const Arguments& arguments) {
  int proposed = 0, recommended = 0;
  int proposed_masks = 0, recommended_masks = 0;
  const MaskWeighing weighing = {system.cpuid, system.build,
                                 system.libc->isa_level,
                                 system.libc->loader_path, ""};
  for (int run = 0; run < arguments.control_runs; ++run) {
    MeasurementOptions options;
    options.mode = arguments.mode;
    options.seed = arguments.seed + static_cast<uint64_t>(run) * 4;
    options.control = true;
    const absl::StatusOr<MeasuredAdvice> advice =
        MeasureAndAdvise(libc, doors, options);
    const absl::StatusOr<MaskAdvice> masks =
        WeighMasks(weighing, doors, options);
    for (const absl::Status& status : {advice.status(), masks.status()}) {
      if (status.ok()) continue;
      std::cerr << status.message() << "\n";
      return 3;
    }
    proposed += !advice->proposed.empty();
    recommended += !advice->proved.empty();
    proposed_masks += masks->proof.has_value();
    recommended_masks += !masks->settings.empty();
    absl::PrintF(
        "false recommendations in %d runs: thresholds %d (%d proposed, before "
        "the proof), masks %d (%d proposed)\n",
        run + 1, recommended, proposed, recommended_masks, proposed_masks);
    std::fflush(stdout);
  }
  return 0;
}

int Main(int argc, char** argv) {
  const Arguments arguments = ParseArguments(argc, argv);
  if (!arguments.good) {
    std::cerr << "usage: regret_benchmark [--measure=quick|full] [--seed=N] "
                 "[--control_runs=N]\n";
    return 2;
  }
  const RealFileReader files;
  const RealSubprocess subprocess;
  const RealDialogueStarter dialogues;
  const RealClock clock;
  const Environment environment =
      Environment::OfThisProcess().Without("GLIBC_TUNABLES");
  const absl::StatusOr<System> system =
      InspectThisMachine(files, subprocess, environment);
  if (!system.ok()) {
    std::cerr << system.status().message() << "\n";
    return 2;
  }
  const MeasuredLibc libc = LibcToMeasure(*system);
  const MeasurementDoors doors = {files,     subprocess,
                                  dialogues, environment,
                                  clock,     [](absl::string_view, double) {}};
  if (arguments.control_runs > 0) {
    return CountFalseAlarms(*system, libc, doors, arguments);
  }
  MeasurementOptions options;
  options.mode = arguments.mode;
  options.seed = arguments.seed;
  const absl::StatusOr<MeasuredAdvice> advice =
      MeasureAndAdvise(libc, doors, options);
  if (!advice.ok()) {
    std::cerr << advice.status().message() << "\n";
    return 3;
  }
  const absl::StatusOr<kernels::WorkerSetup> setup = MeasurementWorkers(doors);
  if (!setup.ok()) {
    std::cerr << setup.status().message() << "\n";
    return 3;
  }
  absl::PrintF("%s\n%s\nrecommended: %s (%s)\n\n",
               DescribeCpuModel(system->cpu), advice->method,
               advice->string.empty() ? "keep the defaults" : advice->string,
               advice->reason);
  absl::PrintF("%-6s  %-26s  %-22s  %-22s  %s\n", "", "workload",
               "regret of defaults", "regret of the advice",
               "best: rep string, non-temporal from");
  RegretBenchmark benchmark(libc, *setup);
  for (const bool is_memset : {false, true}) {
    if (absl::Status status = benchmark.Run(*advice, is_memset); !status.ok()) {
      std::cerr << status.message() << "\n";
      return 3;
    }
  }
  return 0;
}

}  // namespace
}  // namespace advisor

int main(int argc, char** argv) {
  if (argc == 2 && absl::string_view(argv[1]) == advisor::kMeasurementWorker) {
    return kernels::ServeWorker(std::cin, std::cout);
  }
  return advisor::Main(argc, argv);
}
