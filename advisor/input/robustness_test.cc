// Any bytes give an answer or one line of error, and soon.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "advisor/input/formats_testing.h"
#include "advisor/input/input_format.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr absl::string_view kFiles[] = {
    "testdata/inputs/cpuid_r/emerald_rapids_2_cpus.txt",
    "testdata/inputs/cpuid_r/alder_lake_hybrid.txt",
    "testdata/inputs/instlatx64/seed_guest_htt0.txt",
    "testdata/inputs/libvirt/seed_guest_htt0.xml",
    "testdata/inputs/libvirt/capabilities_haswell.xml",
    "testdata/inputs/firecracker/mask_avx512_and_erms.json",
    "testdata/inputs/firecracker/emerald_rapids_guest.dump.json",
    "testdata/inputs/lscpu/emerald_rapids_guest.lscpu.txt",
    "testdata/inputs/lscpu/emerald_rapids_guest.lscpu.json",
    "testdata/inputs/lscpu/xeon_6146_wrapped.lscpu.txt",
    "testdata/inputs/cpuinfo/emerald_rapids_guest.cpuinfo.txt",
    "testdata/listings/debian-2.41-12+deb13u5_emerald-rapids-guest."
    "diagnostics.txt",
    "testdata/listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
    "tunables.txt",
};

// An error is one line that names the input.
void ExpectAnswer(const std::string& text) {
  const absl::StatusOr<MachineInput> input = ParseMachineInput(text, "in");
  if (input.ok()) {
    EXPECT_FALSE(input->format.empty());
    return;
  }
  EXPECT_EQ(input.status().code(), absl::StatusCode::kInvalidArgument);
  const std::string message(input.status().message());
  EXPECT_TRUE(absl::StartsWith(message, "in:")) << message;
  EXPECT_TRUE(absl::StrContains(message, ": expected ")) << message;
  EXPECT_TRUE(absl::StrContains(message, ", found ")) << message;
  EXPECT_FALSE(absl::StrContains(message, "\n")) << message;
}

TEST(RobustnessTest, EveryFormatHasAFileHere) {
  std::vector<const InputFormat*> seen;
  for (const absl::string_view path : kFiles) {
    seen.push_back(DetectInputFormat(ReadTestFile(path)));
  }
  for (const InputFormat& row : InputFormats()) {
    EXPECT_TRUE(std::count(seen.begin(), seen.end(), &row) > 0) << row.name;
  }
}

TEST(RobustnessTest, TruncatedAnywhere) {
  for (const absl::string_view path : kFiles) {
    const std::string text = ReadTestFile(path);
    const size_t step = std::max<size_t>(1, text.size() / 120);
    for (size_t size = 0; size < text.size(); size += step) {
      ExpectAnswer(text.substr(0, size));
      ExpectAnswer(text.substr(size));
    }
  }
}

TEST(RobustnessTest, RandomChanges) {
  std::mt19937 random(20260101);
  static const std::string kBytes("\0\n\r\t :,=-<>/\"'{}[]0fxX9\xff#", 25);
  for (const absl::string_view path : kFiles) {
    const std::string text = ReadTestFile(path);
    for (int round = 0; round < 100; ++round) {
      std::string changed = text;
      const int changes = 1 + static_cast<int>(random() % 8);
      for (int i = 0; i < changes; ++i) {
        const size_t place = random() % changed.size();
        switch (random() % 3) {
          case 0:
            changed[place] = kBytes[random() % kBytes.size()];
            break;
          case 1:
            changed.erase(place, random() % 40);
            break;
          default:
            changed.insert(place, changed.substr(random() % changed.size(),
                                                 random() % 200));
        }
        if (changed.empty()) changed = "x";
      }
      ExpectAnswer(changed);
    }
  }
}

TEST(RobustnessTest, RandomBytes) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    std::string text(random() % 500, '\0');
    for (char& byte : text) byte = static_cast<char>(random());
    ExpectAnswer(text);
    ExpectAnswer(absl::StrCat("{\"lscpu\"", text));
    ExpectAnswer(absl::StrCat("<cpuid ", text));
    ExpectAnswer(absl::StrCat("x86.processor[0x0].", text));
  }
}

std::string Repeated(absl::string_view piece, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text.append(piece.data(), piece.size());
  return text;
}

// Records of CPUID that stand for as many subleaves as can be.
std::string ManyAnswers(size_t records) {
  std::string text;
  for (size_t i = 0; i < records; ++i) {
    const std::string start = absl::StrCat(
        "x86.processor[0x0].cpuid.subleaf_eax[0x4].ecx[0x", absl::Hex(i), "].");
    for (const char* const reg : {"eax", "ebx", "ecx", "edx"}) {
      absl::StrAppend(&text, start, reg, "=0x1\n");
    }
    absl::StrAppend(&text, start, "until_ecx=0xffffffff\n");
  }
  return text;
}

std::string ManyProcessors(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, "x86.processor[0x", absl::Hex(i),
                    "].requested=0x0\n");
  }
  return text;
}

// Large and odd inputs: linear time keeps each far below the limit against
// hangs, which quadratic time would pass by orders of magnitude.
TEST(RobustnessTest, LargeInputs) {
  constexpr size_t kBytes = size_t{4} << 20;
  const absl::Time start = absl::Now();
  const std::string dump =
      ReadTestFile("testdata/inputs/cpuid_r/emerald_rapids_2_cpus.txt");
  for (const std::string& text : {
           Repeated("{\"cpuid_modifiers\":[", kBytes),
           absl::StrCat("{\"lscpu\":", Repeated("[", kBytes)),
           absl::StrCat("{\"lscpu\":", Repeated("[],", kBytes)),
           absl::StrCat("{\"lscpu\":[", Repeated("{\"field\":\"a\"},", kBytes)),
           Repeated("<cpuid>", kBytes),
           Repeated("<cpuid/>", kBytes),
           absl::StrCat("<cpudata>", Repeated("<a b='", kBytes)),
           absl::StrCat(
               "Architecture: x86_64\nVendor ID: GenuineIntel\nFlags: ",
               Repeated("avx ", kBytes)),
           absl::StrCat(
               "Architecture: x86_64\nVendor ID: GenuineIntel\nFlags: ",
               Repeated("avx5\n", kBytes)),
           Repeated("processor : 0\nvendor_id : GenuineIntel\nflags : a\n\n",
                    kBytes),
           Repeated("CPUID 00000000: 00000016-756E6547-6C65746E-49656E69\n",
                    kBytes),
           Repeated("------[ Logical CPU #0 ]------\n", kBytes),
           absl::StrCat("x86.processor[0x0].cpuid_leaves=0x1\n"
                        "x86.processor[0x0].cpuid.subleaf_eax[0x4].ecx[0x0]."
                        "until_ecx=0xffffffff\n",
                        Repeated("\n", kBytes)),
           // Few lines that stand for many answers, on many processors.
           absl::StrCat(ManyAnswers(20), ManyProcessors(kBytes / 64)),
           ManyAnswers(kBytes / 256),
           Repeated(dump, kBytes),
           std::string(kBytes, '\n'),
           std::string(kBytes, '\0'),
       }) {
    ExpectAnswer(text);
  }
  EXPECT_LT(absl::Now() - start, absl::Minutes(4));
}

}  // namespace
}  // namespace advisor
