#include "advisor/command_mask.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/command_testing.h"
#include "advisor/masks/purpose_table.h"
#include "advisor/render/golden.h"
#include "advisor/render/mask_report.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kZen2[] =
    "testdata/cpuid/amd_17-31-00_epyc-rome_qemu-tcg_qemu72-tcg-epyc-rome.txt";
constexpr char kZen3[] =
    "testdata/cpuid/amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan.txt";
constexpr char kZen5[] =
    "testdata/cpuid/"
    "amd_1a-02-01_oxide-virtual-turin-like_local_bhyve-this-machine.txt";
constexpr char kEmeraldRapids[] =
    "testdata/cpuid/"
    "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu.txt";

CommandAnswer MaskOf(std::vector<std::string> words) {
  CommandTestMachine machine;
  machine.use_real_files = true;
  words.insert(words.begin(), "mask");
  return machine.Run(words, kMaskCommand);
}

std::string Dump(absl::string_view path) {
  return absl::StrCat("--cpuid=", path);
}

struct Sample {
  const char* name;
  std::vector<std::string> words;
  int exit_status;
};

TEST(MaskCommandTest, PrintsWhatItPrinted) {
  const std::vector<Sample> samples = {
      {"no_avx_zen3_2.42", {"--for=no-avx", Dump(kZen3), "--glibc=2.42"}, 0},
      {"no_avx_el10",
       {"--for=no-avx", Dump(kEmeraldRapids), "--glibc=2.39-37.el10"},
       1},
      {"pin_2.36", {"--for=pin", Dump(kEmeraldRapids), "--glibc=2.36"}, 0},
      {"pool_zen_2.40",
       {"--for=pool", Dump(kZen2), Dump(kZen5), "--glibc=2.40"},
       1},
      {"no_rtm_zen3",
       {"--for=no-rtm", kZen3, "--glibc=2.36",
        "--glibc_tunables=glibc.malloc.arena_max=1"},
       0},
  };
  for (const Sample& sample : samples) {
    for (const std::string format : {"text", "json"}) {
      std::vector<std::string> words = sample.words;
      words.push_back(absl::StrCat("--format=", format));
      const CommandAnswer answer = MaskOf(words);
      EXPECT_EQ(answer.exit_status, sample.exit_status) << answer.err;
      ExpectGolden(absl::StrCat("testdata/golden/mask/", sample.name, ".",
                                format == "text" ? "txt" : format),
                   answer.out);
    }
  }
}

TEST(MaskCommandTest, EnvIsOneLineWithWhatWasThere) {
  const CommandAnswer answer =
      MaskOf({"--for=no-avx512", Dump(kZen5), "--glibc=2.36", "--format=env",
              "--glibc_tunables=glibc.cpu.hwcaps=-BMI1:glibc.malloc.check=0"});
  EXPECT_EQ(answer.out,
            "GLIBC_TUNABLES=glibc.malloc.check=0:glibc.cpu.hwcaps=-BMI1,"
            "-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD\n");
}

TEST(MaskCommandTest, EveryPurposeIsInTheDescription) {
  for (const PurposeRow& row : AllPurposes()) {
    EXPECT_THAT(std::string(kMaskCommand.description),
                HasSubstr(absl::StrCat("\n  ", row.name, " ")));
  }
}

TEST(MaskCommandTest, TellsWhatWasMeasured) {
  MaskReport report;
  report.mask.settings = {{"glibc.cpu.hwcaps", "-ERMS"}};
  report.mask.cpus.resize(1);
  report.measured = MaskReport::Measured();
  report.measured->costs = {
      {"memcpy", 24, 250, 1.04, 1.02, 1.06, CellVerdict::kSlower},
      {"memset", 1001, 16001, 1, 0.99, 1.01, CellVerdict::kEquivalent}};
  report.measured->processes = 6;
  report.measured->noise_floor = 0.02;
  EXPECT_THAT(
      RenderMaskText(report, 100),
      AllOf(
          HasSubstr("memcpy, 24 bytes to 250 bytes: 1.04 [1.02, 1.06] of the"),
          HasSubstr("slower"), HasSubstr("no difference"),
          HasSubstr("6 fresh processes")));
  EXPECT_THAT(RenderMaskJson(report),
              AllOf(HasSubstr("\"verdict\": \"equivalent\""),
                    HasSubstr("\"processes\": 6")));
}

TEST(MaskCommandTest, WrongUseIsOneLine) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "--for: expected a purpose"},
      {{"--for=no-avx2", Dump(kZen3), "--glibc=2.36"}, "did you mean no-avx?"},
      {{"--for=no-avx", Dump(kZen3)}, "needs --glibc"},
      {{"--for=no-avx", Dump("/no/such"), "--glibc=2.36"}, "/no/such"},
      {{"--for=no-avx", Dump(kZen3), "--glibc=2.99"}, "2.99"},
      {{"--for=pool", Dump(kZen3), "--glibc=2.36"}, "at least 2 machines"},
      {{"--for=pin", Dump(kZen3), "--glibc=2.36", "--measure=quick"},
       "only this machine's own glibc"},
  };
  for (const auto& [words, expected] : cases) {
    const CommandAnswer answer = MaskOf(words);
    EXPECT_EQ(answer.exit_status, 2) << absl::StrJoin(words, " ");
    EXPECT_EQ(absl::c_count(answer.err, '\n'), 1) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr(expected));
    EXPECT_THAT(answer.out, IsEmpty());
  }
}

}  // namespace
}  // namespace advisor
