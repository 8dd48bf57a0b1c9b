#include "advisor/glibc/prediction.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/expected_vectors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The last step of that name; an empty one if there is none.
Step Last(const Prediction& prediction, absl::string_view name) {
  Step found;
  for (const Step& step : prediction.steps) {
    if (step.name == name) found = step;
  }
  return found;
}

// The guest that this project began with: HTT clear, glibc 2.28.
TEST(Prediction, TellsWhyTheThresholdIsZero) {
  const Prediction prediction =
      Predict(VectorNamed("ivb_guest_htt0"), GlibcBuild::Tag(28));
  EXPECT_EQ(prediction.thresholds.non_temporal_threshold, 0u);
  const Step l3 = Last(prediction, "L3");
  EXPECT_EQ(l3.value, "16777216");
  EXPECT_EQ(l3.source, "2:0:ECX[7:0]");
  const Step threads = Last(prediction, "threads");
  EXPECT_EQ(threads.value, "0");
  EXPECT_EQ(threads.source, "1:0:EDX[28]");
  EXPECT_THAT(threads.reason, HasSubstr("HTT"));
  EXPECT_EQ(Last(prediction, "non_temporal_threshold").reason,
            "16777216 * 0 threads * 3 / 4 = 0");
  EXPECT_THAT(Last(prediction, "memmove").reason,
              HasSubstr("Fast_Unaligned_Copy=1"));
}

TEST(Prediction, TellsLeafAndRegisterOfASize) {
  const Prediction prediction =
      Predict(VectorNamed("ivb_host"), GlibcBuild::Tag(28));
  EXPECT_EQ(Last(prediction, "L3").source, "4:3:EBX,ECX");
  EXPECT_EQ(Last(prediction, "L3 sharing").reason, "(30 - 1) & 31 = 29");
  EXPECT_EQ(Last(prediction, "non_temporal_threshold").reason,
            "1048576 * 30 threads * 3 / 4 = 23592960");
}

TEST(Prediction, TellsOfARefusedTunable) {
  const Prediction prediction =
      Predict(VectorNamed("ivb_host"), GlibcBuild::Tag(37),
              "glibc.cpu.x86_non_temporal_threshold=0x4040");
  EXPECT_THAT(Last(prediction, "non_temporal_threshold").reason,
              HasSubstr("16448 is refused"));
}

TEST(Prediction, ReasoningCanBeOmittedAndChangesNothing) {
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    const CpuidTable cpu = ParseVector(input);
    for (const GlibcBuild& build : UpstreamBuilds()) {
      const Prediction plain = Predict(cpu, build, "", Reasoning::kOmitted);
      EXPECT_THAT(plain.steps, IsEmpty());
      EXPECT_EQ(FormatPredictionCsv("x", plain),
                FormatPredictionCsv("x", Predict(cpu, build)))
          << name << " " << build.name();
    }
  }
}

TEST(Prediction, AnEmptyTableIsAnUnknownVendor) {
  for (const GlibcBuild& build : UpstreamBuilds()) {
    const Prediction prediction = Predict(CpuidTable(), build);
    EXPECT_FALSE(prediction.hangs);
    EXPECT_EQ(prediction.features.kind, CpuKind::kOther);
    EXPECT_EQ(prediction.memmove, "sse2_unaligned") << build.name();
  }
}

TEST(PredictionCsv, AHangHasNoNumbers) {
  const Prediction prediction =
      Predict(VectorNamed("zx_nol2"), GlibcBuild::Tag(36));
  const std::string line = FormatPredictionCsv("zx_nol2", prediction);
  const std::vector<std::string> fields = absl::StrSplit(line, ',');
  const std::vector<std::string> header =
      absl::StrSplit(PredictionCsvHeader(), ',');
  EXPECT_EQ(fields.size(), header.size());
  EXPECT_EQ(fields[1], "2.36");
  EXPECT_EQ(fields[2], "hangs");
  EXPECT_EQ(fields.back(), "hangs");
}

TEST(PredictionCsv, QuotesNames) {
  const Prediction prediction =
      Predict(VectorNamed("ivb_host"), GlibcBuild::Tag(26));
  EXPECT_TRUE(absl::StartsWith(FormatPredictionCsv("a,\"b\"", prediction),
                               "\"a,\"\"b\"\"\",2.26,32768,"));
}

}  // namespace
}  // namespace advisor
