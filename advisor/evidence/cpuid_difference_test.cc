#include "advisor/evidence/cpuid_difference.h"

#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

CpuidTable Read(absl::string_view name) {
  const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
  const absl::StatusOr<std::string> content = RealFileReader().Read(path);
  EXPECT_TRUE(content.ok()) << path;
  return content.ok() ? ParseCpuidDump(*content, path)->cpus[0] : CpuidTable();
}

std::vector<std::string> Fields(const ValueDifference& difference) {
  std::vector<std::string> fields;
  for (const CpuidPart* part : difference.causes) fields.push_back(part->field);
  return fields;
}

ValueDifference Named(const std::vector<ValueDifference>& differences,
                      absl::string_view name) {
  for (const ValueDifference& difference : differences) {
    if (difference.value == name) return difference;
  }
  ADD_FAILURE() << name << " does not differ";
  return ValueDifference();
}

TEST(CpuidDifferenceTest, OneBitMakesTheGuestOfTheFieldReport) {
  const ValueDifference difference = Named(
      CompareMachines(Read("field/seed_guest_4_cores"),
                      Read("field/seed_guest_htt0"), GlibcBuild::Tag(28), ""),
      "non_temporal_threshold");
  EXPECT_EQ(difference.host, "12582912");
  EXPECT_EQ(difference.guest, "0");
  EXPECT_THAT(Fields(difference), Contains("1:0:EDX[28]"));
}

TEST(CpuidDifferenceTest, TheSharingFieldAlone) {
  CpuidTable host = Read("field/seed_host_30m");
  CpuidTable guest = host;
  CpuidRegisters l3 = guest.Execute(4, 3);
  l3.eax &= ~0x03ffc000u;
  guest.Set(4, 3, l3);
  const std::vector<ValueDifference> differences =
      CompareMachines(host, guest, GlibcBuild::Tag(28), "");
  ASSERT_FALSE(differences.empty());
  for (const ValueDifference& difference : differences) {
    EXPECT_THAT(Fields(difference), ElementsAre("4:3:EAX[25:14]"))
        << difference.value;
  }
}

TEST(CpuidDifferenceTest, MaskedFeatureChangesTheVariant) {
  CpuidTable host =
      Read("intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu");
  CpuidTable guest = host;
  CpuidRegisters leaf7 = guest.Execute(7);
  leaf7.ebx &= ~(1u << 31);  // AVX512VL
  guest.Set(7, 0, leaf7);
  const ValueDifference difference =
      Named(CompareMachines(host, guest, GlibcBuild::Tag(36), ""), "memmove");
  EXPECT_THAT(Fields(difference), ElementsAre("7:0:EBX[31]"));
}

TEST(CpuidDifferenceTest, EqualMachinesDoNotDiffer) {
  const CpuidTable host = Read("field/seed_host_30m");
  for (const GlibcBuild& build : UpstreamBuilds()) {
    EXPECT_THAT(CompareMachines(host, host, build, ""), IsEmpty());
  }
}

// The parts are all that glibc reads: with every one of them copied, the guest
// computes what the host does.
TEST(CpuidDifferenceTest, PartsAreComplete) {
  const CpuidTable host =
      Read("amd_19-01-01_epyc-milan_qemu-tcg_qemu72-tcg-epyc-milan");
  for (const char* const name :
       {"field/seed_guest_htt0", "field/hygon_7185",
        "field/tdx_guest_leaf_2_zero",
        "intel_06-cf-02_xeon-emerald-rapids_local_firecracker-2-vcpu"}) {
    for (const bool reversed : {false, true}) {
      const CpuidTable from = reversed ? Read(name) : host;
      CpuidTable to = reversed ? host : Read(name);
      for (const CpuidPart& part : AllCpuidParts()) CopyPart(part, from, &to);
      for (const GlibcBuild& build : UpstreamBuilds()) {
        EXPECT_EQ(FormatPredictionCsv("", Predict(to, build)),
                  FormatPredictionCsv("", Predict(from, build)))
            << name << " " << build.name();
      }
    }
  }
}

}  // namespace
}  // namespace advisor
