#include "glibc_patches/check_result_json.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

CheckResult Failed() {
  ReproducingCall call;
  call.variant = "patched: __memset_avx2_unaligned";
  call.function = kernels::Function::kMemset;
  call.size = uint64_t{5} << 30;
  call.destination_offset = 17;
  call.source_offset = 3;
  call.distance = -4096;
  call.value = 0;
  call.placement = "before a guard page";
  call.parameters.rep_stosb_threshold = 2048;
  CheckResult result;
  result.id = "content";
  result.variant = call.variant;
  result.status = CheckStatus::kFailed;
  result.calls = 12345;
  result.wrong_in_base = 7;
  result.findings = {{"content", "byte 1 is \"wrong\"", call},
                     {"content", "in the code", std::nullopt}};
  result.notes = {"a note", "another"};
  result.coverage = BlockCoverage{2, 4, {-16, 32}};
  result.seconds = 1.5;
  return result;
}

TEST(CheckResultJsonTest, NothingIsLost) {
  CheckResult skipped;
  skipped.id = "accesses";
  skipped.variant = "patched: x";
  skipped.reason = "needs AVX2";
  const std::string text = CheckResultsToJson({Failed(), skipped});
  const auto read = CheckResultsFromJson(text);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  const CheckResult& failed = (*read)[0];
  EXPECT_EQ(failed.status, CheckStatus::kFailed);
  EXPECT_EQ(failed.calls, 12345);
  EXPECT_EQ(failed.wrong_in_base, 7);
  EXPECT_EQ(failed.notes, Failed().notes);
  EXPECT_EQ(failed.coverage->never_executed, (std::vector<int64_t>{-16, 32}));
  ASSERT_EQ(failed.findings.size(), 2u);
  EXPECT_EQ(failed.findings[0].what, "byte 1 is \"wrong\"");
  EXPECT_EQ(failed.findings[0].call->Describe(),
            Failed().findings[0].call->Describe());
  EXPECT_EQ(failed.findings[0].call->parameters.rep_stosb_threshold, 2048u);
  EXPECT_EQ(failed.findings[0].call->parameters.non_temporal_threshold,
            std::nullopt);
  EXPECT_FALSE(failed.findings[1].call.has_value());
  EXPECT_EQ((*read)[1].status, CheckStatus::kSkipped);
  EXPECT_EQ((*read)[1].reason, "needs AVX2");
  EXPECT_FALSE((*read)[1].coverage.has_value());
  // Once more the same text: every field is in it.
  EXPECT_EQ(CheckResultsToJson(*read), text);
}

TEST(CheckResultJsonTest, BytesThatAreNoTextDoNoHarm) {
  CheckResult result = Failed();
  result.findings[0].what = "\xff\xfe";
  EXPECT_TRUE(CheckResultsFromJson(CheckResultsToJson({result})).ok());
}

TEST(CheckResultJsonTest, RefusesWhatIsNoResult) {
  const std::string good = CheckResultsToJson({Failed()});
  ASSERT_TRUE(CheckResultsFromJson(good).ok());
  for (const char* text :
       {"", "{}", "[{}]", "[1]", "[[]]", "null", "[{\"id\": \"content\"}]"}) {
    EXPECT_FALSE(CheckResultsFromJson(text).ok()) << text;
  }
  EXPECT_FALSE(CheckResultsFromJson(good.substr(0, good.size() / 2)).ok());
  for (const char* field :
       {"\"status\":1", "\"calls\":12345", "\"executed\":2", "\"size\":"}) {
    std::string broken = good;
    const size_t at = broken.find(field);
    ASSERT_NE(at, std::string::npos) << field;
    broken.replace(at + 1, 2, "xx");
    EXPECT_FALSE(CheckResultsFromJson(broken).ok()) << field;
  }
  std::string out_of_range = good;
  out_of_range.replace(good.find("\"status\":1"), 10, "\"status\":9");
  EXPECT_FALSE(CheckResultsFromJson(out_of_range).ok());
}

}  // namespace
}  // namespace glibc_patches
