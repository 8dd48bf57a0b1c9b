#include "advisor/mask_measurement.h"

#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/measure/cell.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kEmeraldRapids[] =
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu";
constexpr char kZen5[] =
    "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine";

CpuidTable ReadCpu(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  return ParseCpuidDump(*RealFileReader().Read(path), path)->cpus[0];
}

std::vector<std::string> CandidatesOf(absl::string_view cpu,
                                      absl::string_view build) {
  const CpuidTable cpuid = ReadCpu(cpu);
  std::vector<std::string> items;
  for (const MaskCandidate& candidate :
       MaskCandidates({cpuid, *ParseGlibcBuild(build), 1, "/lib/ld.so", ""})) {
    items.push_back(candidate.mask.items);
  }
  return items;
}

TEST(MaskCandidatesTest, AreThoseThatSelectOtherVariants) {
  const std::vector<std::string> here = CandidatesOf(kEmeraldRapids, "2.36");
  EXPECT_THAT(here, Contains(HasSubstr("-AVX512VL")));
  EXPECT_THAT(here, Contains("-ERMS"));
  EXPECT_THAT(here, Contains("-Prefer_No_AVX512"));
  // Set already.
  EXPECT_THAT(here, Not(Contains("Prefer_No_AVX512")));
  const std::vector<std::string> zen5 = CandidatesOf(kZen5, "2.36");
  EXPECT_THAT(zen5, Contains("Prefer_No_AVX512"));
  EXPECT_THAT(zen5, Not(Contains("-Prefer_No_AVX512")));
  EXPECT_THAT(CandidatesOf("field/hygon_7185", "2.36"),
              Contains("-AVX_Fast_Unaligned_Load,Fast_Unaligned_Copy"));
  EXPECT_THAT(CandidatesOf("field/seed_host_37m", "2.36"),
              testing::ElementsAre("-ERMS"));
}

// Log of a call's time against the same call without a mask.
using Cost = std::function<double(const kernels::Cell&, const std::string&)>;

class Worker : public Dialogue {
 public:
  Worker(Cost cost, FakeClock& clock, std::string tunables, uint64_t seed)
      : cost_(std::move(cost)),
        clock_(clock),
        tunables_(std::move(tunables)),
        random_(seed) {}

  absl::StatusOr<std::string> Ask(absl::string_view line) override {
    absl::string_view rest = line;
    if (absl::ConsumePrefix(&rest, "cell ")) {
      cell_ = *kernels::ParseCell(rest);
      clock_.Advance(absl::Microseconds(50));
      return "ok";
    }
    if (absl::StartsWith(line, "calls")) return "ok 10";
    if (!absl::StartsWith(line, "run")) return "ok";
    clock_.Advance(absl::Microseconds(100));
    std::normal_distribution<double> noise(0, 0.02);
    const double cycles = static_cast<double>(cell_.size) / 32 + 20;
    return absl::StrCat(
        "ok ", cycles * std::exp(cost_(cell_, tunables_) + noise(random_)));
  }

 private:
  const Cost cost_;
  FakeClock& clock_;
  const std::string tunables_;
  std::mt19937_64 random_;
  kernels::Cell cell_;
};

class Starter : public DialogueStarter {
 public:
  Starter(Cost cost, FakeClock& clock) : cost_(cost), clock_(clock) {}
  absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command& command) const override {
    clock_.Advance(absl::Milliseconds(3));
    return std::make_unique<Worker>(
        cost_, clock_, command.environment.Get("GLIBC_TUNABLES").value_or(""),
        ++started_);
  }

 private:
  const Cost cost_;
  FakeClock& clock_;
  mutable uint64_t started_ = 0;
};

// A loader that takes the mask as it is given, or none.
absl::StatusOr<CommandResult> List(const Command& command, bool takes) {
  if (command.argv[1] == "--list-diagnostics") {
    return Exited(0, "version.release=\"x\"\n");
  }
  const std::string tunables =
      command.environment.Get("GLIBC_TUNABLES").value_or("");
  const size_t at = tunables.find("glibc.cpu.hwcaps=");
  return Exited(
      0, takes && at != std::string::npos
             ? absl::StrCat(
                   "glibc.cpu.hwcaps: ",
                   tunables.substr(at + 17, tunables.find(':', at) - at - 17),
                   "\n")
             : "glibc.cpu.hwcaps:\n");
}

struct Answer {
  absl::StatusOr<MaskAdvice> advice;
  absl::Duration time;
};

Answer Weigh(Cost cost, bool control = false, bool loader_takes = true) {
  FakeClock clock;
  FakeFileReader files;
  files.Add("/proc/self/exe", "");
  const FakeSubprocess subprocess([loader_takes](const Command& command) {
    return List(command, loader_takes);
  });
  const Starter starter(std::move(cost), clock);
  const Environment environment;
  const MeasurementDoors doors = {files,   subprocess,
                                  starter, environment,
                                  clock,   [](absl::string_view, double) {}};
  MeasurementOptions options;
  options.control = control;
  const CpuidTable cpuid = ReadCpu(kEmeraldRapids);
  const MaskWeighing weighing = {cpuid, GlibcBuild::Tag(36), 1, "/lib/ld.so",
                                 "glibc.malloc.arena_max=1"};
  absl::StatusOr<MaskAdvice> advice = WeighMasks(weighing, doors, options);
  return {std::move(advice), clock.Monotonic()};
}

double Equal(const kernels::Cell&, const std::string&) { return 0; }

double ErmsIsSlow(const kernels::Cell&, const std::string& tunables) {
  return absl::StrContains(tunables, "-ERMS") ? std::log(0.85) : 0;
}

TEST(WeighMasksTest, ProposesNothingWhereNothingDiffers) {
  const Answer answer = Weigh(&Equal);
  ASSERT_TRUE(answer.advice.ok()) << answer.advice.status();
  EXPECT_EQ(answer.advice->trials.size(), 3u);
  EXPECT_THAT(answer.advice->settings, IsEmpty());
  EXPECT_EQ(answer.advice->proof, std::nullopt);
  EXPECT_LT(answer.time, absl::Seconds(3.5));
}

TEST(WeighMasksTest, ProvesTheBetterOneAndKeepsTheRest) {
  const Answer answer = Weigh(&ErmsIsSlow);
  ASSERT_TRUE(answer.advice.ok()) << answer.advice.status();
  ASSERT_EQ(answer.advice->settings.size(), 1u);
  EXPECT_EQ(answer.advice->settings[0].name, "glibc.cpu.hwcaps");
  EXPECT_EQ(answer.advice->settings[0].text, "-ERMS");
  EXPECT_EQ(answer.advice->string,
            "glibc.malloc.arena_max=1:glibc.cpu.hwcaps=-ERMS");
  ASSERT_TRUE(answer.advice->proof.has_value());
  EXPECT_TRUE(answer.advice->proof->holds);
  EXPECT_NEAR(answer.advice->proof->touched_ratio, 0.85, 0.02);
  for (const MaskTrial& trial : answer.advice->trials) {
    if (trial.mask == "-ERMS") {
      EXPECT_EQ(trial.verdict, CellVerdict::kFaster);
    }
  }
  EXPECT_LT(answer.time, absl::Seconds(7));
}

TEST(WeighMasksTest, OneHarmedSizeIsTooMany) {
  const Answer answer =
      Weigh([](const kernels::Cell& cell, const std::string& tunables) {
        if (!absl::StrContains(tunables, "-ERMS")) return 0.0;
        return std::log(cell.size == 100 ? 1.2 : 0.8);
      });
  ASSERT_TRUE(answer.advice.ok()) << answer.advice.status();
  EXPECT_THAT(answer.advice->settings, IsEmpty());
  EXPECT_THAT(answer.advice->reason, HasSubstr("did not prove to be"));
}

TEST(WeighMasksTest, AControlFindsNothing) {
  const Answer answer = Weigh(&ErmsIsSlow, /*control=*/true);
  ASSERT_TRUE(answer.advice.ok()) << answer.advice.status();
  EXPECT_THAT(answer.advice->settings, IsEmpty());
}

TEST(WeighMasksTest, TheLoaderMustTakeIt) {
  const Answer answer =
      Weigh(&ErmsIsSlow, /*control=*/false, /*loader_takes=*/false);
  EXPECT_THAT(std::string(answer.advice.status().message()),
              HasSubstr("did not take glibc.cpu.hwcaps=-ERMS"));
}

TEST(MeasureMaskCostsTest, TellsTheFunctionsThatChange) {
  FakeClock clock;
  FakeFileReader files;
  files.Add("/proc/self/exe", "");
  const FakeSubprocess subprocess;
  const Starter starter(&ErmsIsSlow, clock);
  const Environment environment;
  const MeasurementDoors doors = {files,   subprocess,
                                  starter, environment,
                                  clock,   [](absl::string_view, double) {}};
  const auto costs =
      MeasureMaskCosts("", {"glibc.cpu.hwcaps=-ERMS", true, false}, doors, 1);
  ASSERT_TRUE(costs.ok()) << costs.status();
  ASSERT_EQ(costs->costs.size(), 3u);
  for (const VariantCost& cost : costs->costs) {
    EXPECT_EQ(cost.function, "memcpy");
    EXPECT_NEAR(cost.ratio, 0.85, 0.03);
  }
}

}  // namespace
}  // namespace advisor
