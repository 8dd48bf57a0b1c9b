// The whole way from measurements to a proved setting, on simulated machines:
// workers answer what such a machine would, with noise.

#include "advisor/measurement.h"

#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/tunables.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/measure/cell.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMiB = 1 << 20;

// What one path costs against vectors, for a size (a log ratio).
using Cost = std::function<double(const kernels::Cell&, CopyPath)>;

struct SimulatedMachine {
  MeasuredLibc libc;
  Cost cost;
  double noise = 0.02;
  // Times as long as elsewhere.
  double slowness = 1;
};

// A process of that machine, started with a GLIBC_TUNABLES.
class SimulatedWorker : public Dialogue {
 public:
  SimulatedWorker(const SimulatedMachine& machine, FakeClock& clock,
                  absl::string_view tunables, uint64_t seed)
      : machine_(machine), clock_(clock), random_(seed) {
    thresholds_ = machine.libc.now;
    const ParsedTunables parsed = ParseTunables(tunables, machine.libc.build);
    const auto take = [&](Tunable tunable, std::optional<uint64_t>& value) {
      if (parsed.IsSet(tunable)) value = parsed.Number(tunable);
    };
    take(Tunable::kX86RepMovsbThreshold, thresholds_.rep_movsb_threshold);
    take(Tunable::kX86RepStosbThreshold, thresholds_.rep_stosb_threshold);
    take(Tunable::kX86NonTemporalThreshold, thresholds_.non_temporal_threshold);
    take(Tunable::kX86MemsetNonTemporalThreshold,
         thresholds_.memset_non_temporal_threshold);
    if (machine.libc.build.Has(Change::kStopAfterTunables) &&
        (!machine.libc.is_amd ||
         machine.libc.build.Has(Change::kAmdMovsbIsNonTemporal))) {
      thresholds_.rep_movsb_stop_threshold = thresholds_.non_temporal_threshold;
    }
  }

  absl::StatusOr<std::string> Ask(absl::string_view line) override {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "cell ")) {
      cell_ = *kernels::ParseCell(rest);
      clock_.Advance(machine_.slowness * absl::Microseconds(50));
      return "ok";
    }
    if (absl::StartsWith(line, "calls")) return "ok 10";
    if (!absl::StartsWith(line, "run")) return "ok";
    const double cycles = static_cast<double>(cell_.size) / 32 + 20;
    clock_.Advance(absl::Nanoseconds(10 * cycles / 3));
    std::normal_distribution<double> noise(0, machine_.noise);
    return absl::StrCat("ok ", cycles * std::exp(machine_.cost(cell_, Path()) +
                                                 noise(random_)));
  }

 private:
  CopyPath Path() const {
    const CopyCode code = {machine_.libc.build, true, 64};
    return cell_.is_memset ? PathOfMemset(code, thresholds_, cell_.size)
                           : PathOfMemmove(code, thresholds_, cell_.size);
  }

  const SimulatedMachine& machine_;
  FakeClock& clock_;
  std::mt19937_64 random_;
  EffectiveThresholds thresholds_;
  kernels::Cell cell_;
};

class SimulatedStarter : public DialogueStarter {
 public:
  SimulatedStarter(const SimulatedMachine& machine, FakeClock& clock)
      : machine_(machine), clock_(clock) {}

  absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command& command) const override {
    clock_.Advance(absl::Milliseconds(3));
    return std::make_unique<SimulatedWorker>(
        machine_, clock_,
        command.environment.Get("GLIBC_TUNABLES").value_or(""), ++started_);
  }

 private:
  const SimulatedMachine& machine_;
  FakeClock& clock_;
  mutable uint64_t started_ = 0;
};

// A loader that takes every value it is given.
absl::StatusOr<CommandResult> ListTunables(const Command& command) {
  std::string text;
  const std::string tunables =
      command.environment.Get("GLIBC_TUNABLES").value_or("");
  for (const absl::string_view item :
       absl::StrSplit(tunables, ':', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(item, absl::MaxSplits('=', 1));
    uint64_t value = 0;
    EXPECT_TRUE(absl::SimpleAtoi(parts.second, &value)) << item;
    absl::StrAppendFormat(&text,
                          "%s: 0x%x (min: 0x0, max: 0xffffffffffffffff)\n",
                          parts.first, value);
  }
  if (command.argv[1] == "--list-diagnostics") text = "version.release=\"x\"\n";
  return Exited(0, text);
}

absl::StatusOr<MeasuredAdvice> Advise(const SimulatedMachine& machine,
                                      bool control = false,
                                      const Workload* workload = nullptr) {
  FakeClock clock;
  FakeFileReader files;
  files.Add("/proc/self/exe", "");
  const FakeSubprocess subprocess(&ListTunables);
  const SimulatedStarter starter(machine, clock);
  const Environment environment;
  const MeasurementDoors doors = {files,   subprocess,
                                  starter, environment,
                                  clock,   [](absl::string_view, double) {}};
  MeasurementOptions options;
  options.through_libc = true;
  options.control = control;
  options.workload = workload;
  return MeasureAndAdvise(machine.libc, doors, options);
}

MeasuredLibc Libc(const GlibcBuild& build, bool is_amd, uint64_t movsb,
                  uint64_t stop, uint64_t non_temporal) {
  MeasuredLibc libc = {
      build, "2.36", "", "/lib/ld.so",          is_amd,
      {},    513,    1u, "evex_unaligned_erms", "evex_unaligned_erms",
      "",    {}};
  libc.now.rep_movsb_threshold = movsb;
  libc.now.rep_movsb_stop_threshold = stop;
  libc.now.non_temporal_threshold = non_temporal;
  libc.now.rep_stosb_threshold = 2048;
  return libc;
}

// The measured Zen 5 guest: rep movsb costs 1.6 times from 2 to 16 KiB, gains
// from 32 to 512 KiB, costs from 1 MiB on; non-temporal stores never pay.
double Zen5Cost(const kernels::Cell& cell, CopyPath path) {
  if (cell.is_memset || path == CopyPath::kVectors) return 0;
  if (path == CopyPath::kNonTemporal) return 0.3;
  if (cell.size < 22000) return 0.47;
  if (cell.size < 700000) return -0.45;
  return 0.1;
}

TEST(MeasurementTest, FindsTwoThirdsOfL1OnZen5) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_EQ(advice->proved[0].name, "glibc.cpu.x86_rep_movsb_threshold");
  EXPECT_GE(advice->proved[0].value, 16384u);
  EXPECT_LE(advice->proved[0].value, 32768u);
  EXPECT_EQ(advice->string, absl::StrCat("glibc.cpu.x86_rep_movsb_threshold=",
                                         advice->proved[0].value));
  ASSERT_TRUE(advice->proof.has_value());
  EXPECT_TRUE(advice->proof->holds);
  EXPECT_LT(advice->proof->touched_ratio, 0.75);
}

// The rule of 2.40 never uses rep movsb on AMD: wrong from 32 to 512 KiB.
TEST(MeasurementTest, FindsItFromTheLaterDefaultAsWell) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::Tag(40), true, 24 * kMiB, 24 * kMiB, 24 * kMiB),
      [](const kernels::Cell& cell, CopyPath path) {
        // rep movsb is as good as vectors for large copies.
        if (cell.size >= 700000 && path == CopyPath::kRepString) return 0.0;
        return Zen5Cost(cell, path);
      }};
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_EQ(advice->proved[0].name, "glibc.cpu.x86_rep_movsb_threshold");
  EXPECT_GE(advice->proved[0].value, 16384u);
  EXPECT_LE(advice->proved[0].value, 32768u);
}

TEST(MeasurementTest, KeepsDefaultsThatAreBest) {
  SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 22000, 600000, 127 * kMiB),
      &Zen5Cost};
  machine.libc.tunables_in_environment = "glibc.malloc.check=1";
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(advice->proved, IsEmpty());
  EXPECT_EQ(advice->string, "");
  EXPECT_FALSE(advice->proof.has_value());
}

TEST(MeasurementTest, MergesWithTheEnvironment) {
  SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  machine.libc.tunables_in_environment = "glibc.malloc.check=1";
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(advice->string, HasSubstr("glibc.malloc.check=1:glibc.cpu.x86"));
}

// Sides that are all the same code must not lead to a recommendation.
TEST(MeasurementTest, RaisesNoFalseAlarm) {
  SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB),
      [](const kernels::Cell&, CopyPath) { return 0.0; }};
  machine.noise = 0.1;
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(advice->proved, IsEmpty()) << advice->reason;
}

// Ivy Bridge under 2.28 in the reported guest: the threshold is 0, and every
// copy above 128 bytes goes past the caches.
TEST(MeasurementTest, RepairsAThresholdOfZero) {
  SimulatedMachine machine = {
      Libc(GlibcBuild::Tag(28), false, 0, 0, 0),
      [](const kernels::Cell& cell, CopyPath path) {
        if (cell.is_memset || path != CopyPath::kNonTemporal) return 0.0;
        return cell.size > 8 * kMiB ? -0.2 : 2.0;
      }};
  machine.libc.now.rep_movsb_threshold = std::nullopt;
  machine.libc.now.rep_movsb_stop_threshold = std::nullopt;
  machine.libc.now.rep_stosb_threshold = std::nullopt;
  machine.libc.lowest_rep_movsb = std::nullopt;
  machine.libc.repairs = {
      {"glibc.tune.x86_non_temporal_threshold", 12 * kMiB, 0, "it is 0"}};
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_EQ(advice->proved[0].name, "glibc.tune.x86_non_temporal_threshold");
  EXPECT_GE(advice->proved[0].value, 8 * kMiB);
  EXPECT_LT(advice->proof->touched_ratio, 0.4);
}

// From 2.34 on such a libc crashes: the repair is in place from the start, and
// stays without a comparison.
TEST(MeasurementTest, NeverRunsWhatWouldCrash) {
  bool crashed = false;
  SimulatedMachine machine = {Libc(GlibcBuild::Tag(35), false, 2048, 0, 0),
                              [&](const kernels::Cell& cell, CopyPath path) {
                                crashed |= path == CopyPath::kNonTemporal &&
                                           cell.size < 0x4041;
                                return 0.0;
                              }};
  machine.libc.repairs = {
      {"glibc.cpu.x86_non_temporal_threshold", 64 * kMiB, 0, "it is 0"},
      {"glibc.cpu.x86_rep_movsb_threshold", 64 * kMiB, 2048, "it is 0"}};
  const absl::StatusOr<MeasuredAdvice> advice = Advise(machine);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_FALSE(crashed);
  EXPECT_EQ(advice->proved.size(), 2u) << advice->reason;
  EXPECT_EQ(advice->string,
            "glibc.cpu.x86_non_temporal_threshold=67108864:"
            "glibc.cpu.x86_rep_movsb_threshold=67108864");
}

Workload Copies(uint64_t size) {
  Workload workload;
  workload.name = "mine";
  workload.functions = {
      {"memcpy", {{64, 1000, 64000}, {size, 1000, 1000 * size}}}};
  return workload;
}

// Half of the calls gain 1.6 times on the machine with rep movsb up to 22000.
TEST(MeasurementTest, AWorkloadGetsAFigureOfItsOwn) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  const Workload workload = Copies(8000);
  const absl::StatusOr<MeasuredAdvice> advice =
      Advise(machine, /*control=*/false, &workload);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_GE(advice->proved[0].value, 8000u);
  EXPECT_LE(advice->proved[0].value, 32768u);
  ASSERT_TRUE(advice->workload.has_value());
  EXPECT_EQ(advice->workload->name, "mine");
  EXPECT_EQ(advice->workload->calls, 2000u);
  EXPECT_DOUBLE_EQ(advice->workload->touched_calls, 0.5);
  EXPECT_NEAR(advice->workload->touched_bytes, 0.992, 0.001);
  // 22 cycles a small call; 270 and 432 a large one.
  ASSERT_TRUE(advice->workload->one_copier.has_value());
  EXPECT_NEAR(advice->workload->one_copier->ratio, (22 + 270.) / (22 + 432.),
              0.02);
  EXPECT_FALSE(advice->workload->worst_cell.empty());
  EXPECT_FALSE(advice->curves.empty());
}

// The same machine, where all calls are under every threshold.
TEST(MeasurementTest, AWorkloadOfSmallCallsGainsNothing) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  const Workload workload = Copies(200);
  const absl::StatusOr<MeasuredAdvice> advice =
      Advise(machine, /*control=*/false, &workload);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(advice->proved, IsEmpty());
  EXPECT_THAT(advice->reason, HasSubstr("Nothing can be gained for mine"));
  ASSERT_TRUE(advice->workload.has_value());
  EXPECT_EQ(advice->workload->touched_calls, 0);
  EXPECT_EQ(advice->workload->touched_bytes, 0);
  EXPECT_FALSE(advice->workload->one_copier.has_value());
}

// Non-temporal stores gain where the destination is not read, and lose where it
// is: whether they are recommended depends on the workload alone.
TEST(MeasurementTest, WriteOnceBuffersMayBypassTheCaches) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), false, 2112, 127 * kMiB, 127 * kMiB),
      [](const kernels::Cell& cell, CopyPath path) {
        if (cell.is_memset || path != CopyPath::kNonTemporal) return 0.0;
        return cell.regime == kernels::Regime::kRotating ? -0.3 : 0.4;
      }};
  Workload workload = Copies(8 * kMiB);
  absl::StatusOr<MeasuredAdvice> advice =
      Advise(machine, /*control=*/false, &workload);
  ASSERT_TRUE(advice.ok()) << advice.status();
  EXPECT_THAT(advice->proved, IsEmpty()) << advice->reason;
  workload.conditions = WorkloadConditions{0, 0, 0, 1, std::nullopt};
  advice = Advise(machine, /*control=*/false, &workload);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_EQ(advice->proved[0].name, "glibc.cpu.x86_non_temporal_threshold");
  EXPECT_LE(advice->proved[0].value, 8 * kMiB);
  EXPECT_NEAR(advice->workload->one_copier->ratio, std::exp(-0.3), 0.02);
}

// Larger calls than the study's.
TEST(MeasurementTest, ProvesTheWorkloadsOwnLargeCalls) {
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), false, 2112, 127 * kMiB, 127 * kMiB),
      [](const kernels::Cell& cell, CopyPath path) {
        if (cell.is_memset || path != CopyPath::kNonTemporal) return 0.0;
        return cell.size > 15 * kMiB ? -0.3 : 0.4;
      }};
  Workload workload = Copies(28 * kMiB);
  workload.functions[0].sizes[1] = {20 * kMiB, 1000, 20000 * kMiB};
  workload.functions[0].sizes.push_back({28 * kMiB, 1000, 28000 * kMiB});
  const absl::StatusOr<MeasuredAdvice> advice =
      Advise(machine, /*control=*/false, &workload);
  ASSERT_TRUE(advice.ok()) << advice.status();
  ASSERT_EQ(advice->proved.size(), 1u) << advice->reason;
  EXPECT_EQ(advice->proved[0].name, "glibc.cpu.x86_non_temporal_threshold");
  ASSERT_TRUE(advice->workload->one_copier.has_value());
  EXPECT_NEAR(advice->workload->one_copier->ratio, std::exp(-0.3), 0.02);
}

// No process of the study ends in time: that is no reason to keep the defaults.
TEST(MeasurementTest, TooLittleTimeIsNoAnswer) {
  SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  machine.slowness = 10000;
  const Workload workload = Copies(8000);
  for (const Workload* named :
       {static_cast<const Workload*>(nullptr), &workload}) {
    const absl::StatusOr<MeasuredAdvice> advice =
        Advise(machine, /*control=*/false, named);
    ASSERT_TRUE(advice.ok()) << advice.status();
    EXPECT_THAT(advice->proved, IsEmpty());
    EXPECT_THAT(advice->reason, HasSubstr("Cannot tell"));
    EXPECT_EQ(advice->workload.has_value(), named != nullptr);
  }
}

TEST(MeasurementTest, AWorkerThatDiesIsAnError) {
  class DyingStarter : public DialogueStarter {
   public:
    absl::StatusOr<std::unique_ptr<Dialogue>> Start(
        const Command&) const override {
      return absl::UnavailableError("worker: killed by SIGKILL");
    }
  };
  const SimulatedMachine machine = {
      Libc(GlibcBuild::BranchTip(36), true, 2112, kMiB, 127 * kMiB), &Zen5Cost};
  FakeClock clock;
  FakeFileReader files;
  files.Add("/proc/self/exe", "");
  const FakeSubprocess subprocess;
  const DyingStarter starter;
  const Environment environment;
  const MeasurementDoors doors = {files,   subprocess,
                                  starter, environment,
                                  clock,   [](absl::string_view, double) {}};
  EXPECT_TRUE(
      absl::IsUnavailable(MeasureAndAdvise(machine.libc, doors, {}).status()));
}

}  // namespace
}  // namespace advisor
