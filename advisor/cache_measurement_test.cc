#include "advisor/cache_measurement.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;

// A worker on a machine without caches, that writes down what it was asked.
class FakeWorkers : public DialogueStarter {
 public:
  mutable std::vector<std::string> asked;
  std::string answer = "ok 100";

  absl::StatusOr<std::unique_ptr<Dialogue>> Start(
      const Command&) const override {
    return std::make_unique<FakeDialogue>(*this);
  }

 private:
  class FakeDialogue : public Dialogue {
   public:
    explicit FakeDialogue(const FakeWorkers& workers) : workers_(workers) {}
    absl::StatusOr<std::string> Ask(absl::string_view line) override {
      workers_.asked.emplace_back(line);
      return absl::StartsWith(line, "chase") ||
                     absl::StartsWith(line, "latency") ||
                     absl::StartsWith(line, "flushed")
                 ? workers_.answer
                 : "ok";
    }

   private:
    const FakeWorkers& workers_;
  };
};

class CacheMeasurementTest : public ::testing::Test {
 protected:
  absl::StatusOr<CacheTruth> Measure(MeasureMode mode) {
    MeasurementOptions options;
    options.mode = mode;
    const MeasurementDoors doors = {files_,   subprocess_,
                                    workers_, environment_,
                                    clock_,   [](absl::string_view, double) {}};
    return MeasureCaches(doors, options, {{"L1d", 32768, {}, "CPUID 4:0"}});
  }

  FakeFileReader files_{{{"/proc/self/exe", ""}}};
  FakeSubprocess subprocess_;
  FakeWorkers workers_;
  Environment environment_;
  FakeClock clock_;
};

TEST_F(CacheMeasurementTest, FullLooksFurther) {
  ASSERT_TRUE(Measure(MeasureMode::kQuick).ok());
  EXPECT_THAT(workers_.asked, Contains("chase 33554432"));
  ASSERT_TRUE(Measure(MeasureMode::kFull).ok());
  EXPECT_THAT(workers_.asked, Contains("chase 268435456"));
}

TEST_F(CacheMeasurementTest, LeavesMemoryToOthers) {
  files_.Add("/proc/meminfo", "MemAvailable:   65536 kB\n");
  ASSERT_TRUE(Measure(MeasureMode::kQuick).ok());
  EXPECT_THAT(workers_.asked, Contains("chase 8388608"));
}

TEST_F(CacheMeasurementTest, AClaimWithoutAnEdgeStands) {
  const absl::StatusOr<CacheTruth> truth = Measure(MeasureMode::kQuick);
  ASSERT_TRUE(truth.ok()) << truth.status();
  ASSERT_EQ(truth->levels.size(), 1u);
  EXPECT_EQ(truth->levels[0].claimed, 32768u);
  EXPECT_EQ(truth->levels[0].measured, std::nullopt);
  EXPECT_FALSE(truth->levels[0].contradicted);
}

TEST_F(CacheMeasurementTest, PassesAWorkersErrorOn) {
  workers_.answer = "error cannot map 35651584 bytes";
  EXPECT_EQ(Measure(MeasureMode::kQuick).status().message(),
            "worker: cannot map 35651584 bytes");
}

}  // namespace
}  // namespace advisor
