#include "advisor/input/folder.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/input/formats_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Fixture(absl::string_view path) {
  return ReadTestFile(absl::StrCat("testdata/", path));
}

MachineInput ReadReal(const std::string& path) {
  absl::StatusOr<MachineInput> input = ReadMachineInput(RealFileReader(), path);
  EXPECT_TRUE(input.ok()) << input.status();
  return input.ok() ? *std::move(input) : MachineInput();
}

MachineInput ReadFake(const FakeFileReader& files) {
  absl::StatusOr<MachineInput> input = ReadMachineInput(files, "b");
  EXPECT_TRUE(input.ok()) << input.status();
  return input.ok() ? *std::move(input) : MachineInput();
}

bool IsUsed(const MachineInput& input, absl::string_view path) {
  for (const InputFile& file : input.files) {
    if (file.path == path) return file.used;
  }
  ADD_FAILURE() << path << " is not listed";
  return false;
}

// A copy, because data of a test are links that lead elsewhere.
std::string CopyOfBundle(const std::string& name) {
  const fs::path copy = fs::path(testing::TempDir()) / name;
  fs::remove_all(copy);
  for (const char* const file :
       {"etc/hostname", "proc/cpuinfo", "sos_commands/logs/dmesg",
        "sos_commands/processor/cpuid_-r", "sos_commands/processor/lscpu"}) {
    fs::create_directories((copy / file).parent_path());
    std::ofstream(copy / file)
        << Fixture(absl::StrCat("inputs/bundle/sosreport-seed-guest/", file));
  }
  return copy.string();
}

TEST(FolderTest, TakesTheDumpOfASupportBundle) {
  const std::string bundle = CopyOfBundle("bundle");
  const MachineInput input = ReadReal(bundle);
  EXPECT_EQ(input.format, "folder");
  ASSERT_EQ(input.cores.size(), 1u);
  EXPECT_EQ(PredictAll(input.cores[0].cpuid, true),
            PredictAll(ReadDump("field/seed_guest_htt0.txt"), true));
  EXPECT_TRUE(input.has_cache_leaves);
  EXPECT_THAT(input.unknown, IsEmpty());
  EXPECT_THAT(input.warnings, IsEmpty());
  EXPECT_EQ(input.files.size(), 3u);
  EXPECT_TRUE(IsUsed(input, "sos_commands/processor/cpuid_-r"));
  EXPECT_FALSE(IsUsed(input, "proc/cpuinfo"));
}

// A bundle's links may lead to files of the machine that it is read on.
TEST(FolderTest, FollowsNoLinkOutOfTheFolderAndNoLoop) {
  const std::string bundle = CopyOfBundle("linked");
  const fs::path outside = fs::path(testing::TempDir()) / "outside";
  fs::create_directories(outside);
  std::ofstream(outside / "cpuinfo")
      << Fixture("inputs/cpuinfo/epyc_milan.cpuinfo.txt");
  fs::create_directory_symlink(outside, fs::path(bundle) / "folder");
  fs::create_symlink(outside / "cpuinfo", fs::path(bundle) / "cpuinfo");
  fs::create_directory_symlink(bundle, fs::path(bundle) / "loop");
  ASSERT_EQ(mkfifo(absl::StrCat(bundle, "/pipe").c_str(), 0600), 0);
  const MachineInput input = ReadReal(bundle);
  EXPECT_EQ(input.files.size(), 3u);
  EXPECT_THAT(input.warnings, IsEmpty());
}

TEST(FolderTest, JoinsListingsWithWhatTellsMost) {
  FakeFileReader files;
  files.Add("b/lscpu", Fixture("inputs/lscpu/emerald_rapids_guest.lscpu.txt"));
  files.Add("b/proc/cpuinfo",
            Fixture("inputs/cpuinfo/emerald_rapids_guest.cpuinfo.txt"));
  files.Add("b/tunables",
            Fixture("listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
                    "tunables.txt"));
  MachineInput input = ReadFake(files);
  EXPECT_TRUE(IsUsed(input, "proc/cpuinfo"));
  EXPECT_FALSE(IsUsed(input, "lscpu"));
  EXPECT_TRUE(input.tunables.has_value());
  EXPECT_TRUE(input.has_features);
  EXPECT_FALSE(input.has_cache_leaves);
  EXPECT_THAT(input.warnings, IsEmpty());
  EXPECT_THAT(input.notes, Contains(HasSubstr("lscpu: L3 cache: 260 MiB")));

  // Its features are told better, its caches not at all.
  files.Add("b/diagnostics",
            Fixture("listings/debian-2.36-9+deb12u14_emerald-rapids-guest."
                    "diagnostics.txt"));
  input = ReadFake(files);
  EXPECT_TRUE(IsUsed(input, "diagnostics"));
  EXPECT_FALSE(IsUsed(input, "proc/cpuinfo"));
  EXPECT_FALSE(input.has_cache_leaves);
  EXPECT_EQ(input.unknown.size(), 1u);
  EXPECT_THAT(input.warnings, IsEmpty());

  files.Add("b/diagnostics",
            Fixture("listings/debian-2.41-12+deb13u5_emerald-rapids-guest."
                    "diagnostics.txt"));
  input = ReadFake(files);
  EXPECT_TRUE(input.has_cache_leaves);
  EXPECT_TRUE(input.diagnostics.has_value());
  EXPECT_THAT(input.unknown, IsEmpty());
  EXPECT_THAT(input.warnings, IsEmpty());
}

TEST(FolderTest, AnotherCpuIsAWarning) {
  FakeFileReader files;
  files.Add("b/cpuid", Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt"));
  files.Add("b/lscpu",
            Fixture("inputs/lscpu/kvm64_2_sockets_3_cores.lscpu.txt"));
  const MachineInput input = ReadFake(files);
  EXPECT_THAT(input.warnings,
              Contains(AllOf(HasSubstr("lscpu tells of another CPU"),
                             HasSubstr("GenuineIntel 15/6/1"))));
}

TEST(FolderTest, OtherFeaturesAreAWarning) {
  FakeFileReader files;
  files.Add("b/cpuid", Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt"));
  std::string lscpu = Fixture("inputs/lscpu/emerald_rapids_guest.lscpu.txt");
  lscpu.replace(lscpu.find(" erms"), 5, "");
  files.Add("b/lscpu", lscpu);
  EXPECT_THAT(ReadFake(files).warnings,
              Contains(HasSubstr("lscpu tells of other features, -ERMS")));
}

TEST(FolderTest, OtherLeavesAreAWarning) {
  FakeFileReader files;
  files.Add("b/guest1", Fixture("cpuid/field/seed_guest_htt0.txt"));
  files.Add("b/guest2", Fixture("cpuid/field/seed_guest_4_cores.txt"));
  EXPECT_THAT(ReadFake(files).warnings,
              Contains(HasSubstr("guest2 tells of other leaves")));
}

TEST(FolderTest, SeveralMachinesAreToldInFewWarnings) {
  FakeFileReader files;
  files.Add("b/0", Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt"));
  for (int i = 1; i <= 9; ++i) {
    files.Add(absl::StrCat("b/", i),
              Fixture("cpuid/field/seed_guest_htt0.txt"));
  }
  const MachineInput input = ReadFake(files);
  EXPECT_EQ(input.warnings.size(), 4u);
  EXPECT_THAT(input.warnings,
              Contains("6 more files contradict 0: the folder seems to hold "
                       "several machines"));
}

TEST(FolderTest, AppliesATemplateToTheDump) {
  FakeFileReader files;
  files.Add("b/host", Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt"));
  files.Add("b/template.json",
            Fixture("inputs/firecracker/mask_avx512_and_erms.json"));
  const MachineInput input = ReadFake(files);
  ASSERT_EQ(input.cores.size(), 1u);
  EXPECT_EQ(IsFeatureUsable(input.cores[0].cpuid, "ERMS"), false);
  EXPECT_TRUE(IsUsed(input, "host"));
  EXPECT_TRUE(IsUsed(input, "template.json"));
}

TEST(FolderTest, PassesOverMalformedFiles) {
  FakeFileReader files;
  files.Add("b/a", "CPU:\n   0x00000000 0x00: eax=0x0 cut");
  files.Add("b/cpuid", Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt"));
  const MachineInput input = ReadFake(files);
  EXPECT_TRUE(input.has_cache_leaves);
  EXPECT_THAT(input.warnings, Contains(HasSubstr("b/a:2: expected ")));
}

TEST(FolderTest, WithNothingKnownIsAnError) {
  FakeFileReader files;
  files.Add("b/README", "nothing here\n");
  EXPECT_THAT(std::string(ReadMachineInput(files, "b").status().message()),
              AllOf(HasSubstr("b: expected a folder with files of one of"),
                    HasSubstr("cpuid -r, InstLatx64")));
  // The only one of a known format is malformed.
  files.Add("b/a", "CPU:\n   0x00000000 0x00: eax=0x0 cut");
  EXPECT_THAT(std::string(ReadMachineInput(files, "b").status().message()),
              HasSubstr("b/a:2: expected "));
  EXPECT_EQ(ReadMachineInput(files, "nowhere").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(FolderTest, KeepsItsLimits) {
  const std::string dump = Fixture("inputs/cpuid_r/emerald_rapids_2_cpus.txt");
  FakeFileReader files;
  files.Add("b/1", "nothing");
  files.Add("b/2", dump);
  files.Add("b/d/d/d/3", dump);
  FolderLimits limits;
  limits.depth = 2;
  absl::StatusOr<MachineInput> input = ReadFolder(files, "b", limits);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->files.size(), 1u);
  EXPECT_THAT(input->warnings, Contains(HasSubstr("b/d/d/d: left out")));

  limits = FolderLimits();
  limits.files = 2;
  input = ReadFolder(files, "b", limits);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->files.size(), 1u);
  EXPECT_THAT(input->warnings, Contains(HasSubstr("more than 2 files")));

  limits = FolderLimits();
  limits.file_bytes = dump.size() - 1;
  files.Add("b/4", Fixture("inputs/lscpu/emerald_rapids_guest.lscpu.txt"));
  input = ReadFolder(files, "b", limits);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_FALSE(input->has_cache_leaves);
  EXPECT_THAT(input->warnings, Contains(HasSubstr("b/2: left out, larger")));

  limits = FolderLimits();
  limits.total_bytes = dump.size();
  input = ReadFolder(files, "b", limits);
  ASSERT_TRUE(input.ok()) << input.status();
  EXPECT_EQ(input->files.size(), 1u);
  EXPECT_THAT(input->warnings, Contains(HasSubstr("bytes in all")));
}

}  // namespace
}  // namespace advisor
