#include "advisor/workload/workload.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

Workload Sample() {
  Workload workload;
  workload.name = "compiler";
  WorkloadProvenance& from = workload.provenance;
  from.program = "g++";
  from.version = "12.2.0";
  from.arguments = "-O2 \"a b\".cc";
  from.machine = "a CPU";
  from.glibc = "2.36-9+deb12u14";
  from.date = "2026-11-30";
  from.processes = 3;
  from.not_seen = {"inlined calls"};
  from.programs = {{"cc1plus", 1, 90}, {"as", 2, 10}};
  workload.functions = {{"memcpy", {{0, 5, 0}, {8, 90, 720}, {512, 2, 1050}}},
                        {"memset", {{4096, 3, 12288}}}};
  SizeDetail detail;
  detail.from = 512;
  detail.to = 1023;
  detail.observed = 2;
  detail.aligned = 0.5;
  detail.both_misaligned = 0.5;
  detail.read_back = 0.25;
  workload.details[0] = {detail};
  return workload;
}

std::string ErrorOf(absl::string_view text) {
  const absl::StatusOr<Workload> workload = ParseWorkload(text, "x.json");
  return std::string(workload.status().message());
}

TEST(WorkloadTest, ComesBackAsItWent) {
  const std::string text = FormatWorkload(Sample());
  const absl::StatusOr<Workload> back = ParseWorkload(text, "x.json");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(FormatWorkload(*back), text);
  EXPECT_EQ(back->calls(), 100u);
  EXPECT_EQ(back->bytes(), 14058u);
  EXPECT_EQ(back->functions[0].sizes[2].mean(), 525u);
  EXPECT_EQ(back->provenance.arguments, "-O2 \"a b\".cc");
  EXPECT_EQ(back->Describe(),
            "recorded from g++ 12.2.0 on a CPU, glibc 2.36-9+deb12u14, "
            "2026-11-30");
  ASSERT_NE(back->DetailOf(false, 1023), nullptr);
  EXPECT_EQ(back->DetailOf(false, 1023)->read_back, 0.25);
  EXPECT_EQ(back->DetailOf(false, 1024), nullptr);
  EXPECT_EQ(back->DetailOf(true, 1000), nullptr);
}

TEST(WorkloadTest, ConditionsComeBackToo) {
  Workload workload = Sample();
  workload.provenance = {};
  workload.provenance.is_recorded = false;
  workload.provenance.source = "a report";
  workload.conditions = WorkloadConditions{0, 0.25, 0, 0.75, 0.5};
  const std::string text = FormatWorkload(workload);
  const absl::StatusOr<Workload> back = ParseWorkload(text, "x.json");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(FormatWorkload(*back), text);
  EXPECT_EQ(back->conditions->write_once, 0.75);
  EXPECT_EQ(back->conditions->all_cores, 0.5);
  EXPECT_EQ(back->Describe(), "synthetic: a report");
}

TEST(WorkloadTest, ArgumentsNeedNotBeUtf8) {
  Workload workload = Sample();
  workload.provenance.arguments = "\xff";
  EXPECT_TRUE(ParseWorkload(FormatWorkload(workload), "x.json").ok());
}

TEST(WorkloadTest, ErrorsNameTheLine) {
  const std::string text = FormatWorkload(Sample());
  const auto with = [&](absl::string_view from, absl::string_view to) {
    const std::string changed = absl::StrReplaceAll(text, {{from, to}});
    EXPECT_NE(changed, text) << from;
    return ErrorOf(changed);
  };
  EXPECT_THAT(ErrorOf("x"), HasSubstr("x.json:1: expected"));
  EXPECT_THAT(ErrorOf("[]"), HasSubstr("x.json:1: expected an object"));
  EXPECT_THAT(with("\"schema_version\": 1", "\"schema_version\": 2"),
              HasSubstr("expected \"schema_version\" 1, found 2"));
  EXPECT_THAT(with("[8,90]", "[8,-1]"), HasSubstr("a whole number"));
  EXPECT_THAT(with("[8,90]", "[8]"), HasSubstr("expected [size, calls]"));
  EXPECT_THAT(with("[0,5]", "[9,5]"), HasSubstr("expected a size above 9"));
  EXPECT_THAT(with("[512,2,1050]", "[512,2,1023]"),
              HasSubstr("expected at least 1024 bytes, found 1023"));
  EXPECT_THAT(with("\"calls\": 97", "\"calls\": 98"),
              HasSubstr("\"calls\" to be the sum 97, found 98"));
  EXPECT_THAT(with("\"aligned\": 0.5", "\"aligned\": 1.5"),
              HasSubstr("a share from 0 to 1"));
  EXPECT_THAT(with("memset", "bzero"), HasSubstr("found \"bzero\""));
  EXPECT_THAT(with("\"recorded\"", "\"guessed\""), HasSubstr("guessed"));
  EXPECT_THAT(with("\"glibc\": \"2.36-9+deb12u14\",\n", ""),
              HasSubstr("expected \"glibc\", found none"));
  EXPECT_THAT(with("[8,90]", "[8,4503599627370497]"),
              HasSubstr("a whole number from 0 to"));
  EXPECT_THAT(with("[4096,3]", "[140737488355327,90000]"),
              HasSubstr("less than 2^60 bytes"));
}

TEST(WorkloadTest, NoCallsAreNoWorkload) {
  Workload workload = Sample();
  workload.functions.clear();
  EXPECT_THAT(ErrorOf(FormatWorkload(workload)), HasSubstr("expected some"));
}

TEST(WorkloadTest, ConditionsMustBeAWhole) {
  Workload workload = Sample();
  workload.conditions = WorkloadConditions{0.5, 0, 0, 0, std::nullopt};
  EXPECT_THAT(ErrorOf(FormatWorkload(workload)), HasSubstr("add up to 1"));
}

}  // namespace
}  // namespace advisor
