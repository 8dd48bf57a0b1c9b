#include "advisor/cpu/sysfs_witness.h"

#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;

constexpr char kRoot[] = "/sys/devices/system/cpu";

// Two cores of two threads, an L3 for all.
std::map<std::string, std::string> FourCpus() {
  std::map<std::string, std::string> files;
  files[absl::StrCat(kRoot, "/online")] = "0-3\n";
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = absl::StrCat(kRoot, "/cpu", cpu);
    const std::string siblings = cpu < 2 ? "0-1\n" : "2-3\n";
    files[folder + "/topology/physical_package_id"] = "0\n";
    files[folder + "/topology/core_id"] = absl::StrCat(cpu / 2, "\n");
    files[folder + "/topology/thread_siblings_list"] = siblings;
    files[folder + "/topology/core_siblings_list"] = "0-3\n";
    const auto cache = [&](int index, const char* level, const char* type,
                           const char* size, const std::string& shared) {
      const std::string path = absl::StrCat(folder, "/cache/index", index);
      files[path + "/level"] = absl::StrCat(level, "\n");
      files[path + "/type"] = absl::StrCat(type, "\n");
      files[path + "/size"] = absl::StrCat(size, "\n");
      files[path + "/ways_of_associativity"] = "8\n";
      files[path + "/coherency_line_size"] = "64\n";
      files[path + "/shared_cpu_list"] = shared;
    };
    cache(0, "1", "Data", "32K", siblings);
    cache(1, "1", "Instruction", "64K", siblings);
    cache(2, "2", "Unified", "512K", siblings);
    cache(3, "3", "Unified", "16384K", "0-3\n");
  }
  return files;
}

TEST(ReadSysfsWitnessTest, ReadsCachesAndTopology) {
  const SysfsWitness witness = ReadSysfsWitness(FakeFileReader(FourCpus()));
  ASSERT_EQ(witness.cpus.size(), 4);
  EXPECT_THAT(witness.problems, IsEmpty());
  EXPECT_THAT(witness.packages(), Optional(1));
  EXPECT_THAT(witness.cores(), Optional(2));
  EXPECT_THAT(witness.threads_per_core(), Optional(2));
  const SysfsCpu& cpu = witness.cpus[3];
  EXPECT_THAT(cpu.Find(1)->size, Optional(32u << 10));
  EXPECT_THAT(cpu.Find(1, CacheType::kInstruction)->size, Optional(64u << 10));
  EXPECT_THAT(cpu.Find(2)->shared_cpus, Optional(ElementsAre(2, 3)));
  EXPECT_THAT(cpu.Find(3)->ways, Optional(8));
  EXPECT_EQ(cpu.Find(3)->path, absl::StrCat(kRoot, "/cpu3/cache/index3"));
  EXPECT_EQ(cpu.Find(4), nullptr);
  EXPECT_THAT(witness.SizeInPackage(2), Optional(1u << 20));
  EXPECT_THAT(witness.SizeInPackage(3), Optional(16u << 20));
  EXPECT_EQ(DescribeSysfsWitness(witness),
            "4 CPUs, 1 package, 2 cores; L1d 32 KiB (2 CPUs), L1i 64 KiB "
            "(2 CPUs), L2 512 KiB (2 CPUs), L3 16 MiB (4 CPUs)");
}

TEST(ReadSysfsWitnessTest, NoSysfsIsAFact) {
  const SysfsWitness witness = ReadSysfsWitness(FakeFileReader());
  EXPECT_TRUE(witness.cpus.empty());
  EXPECT_FALSE(witness.has_caches());
  EXPECT_EQ(witness.packages(), std::nullopt);
  EXPECT_EQ(witness.threads_per_core(), std::nullopt);
  EXPECT_THAT(witness.problems, IsEmpty());
  EXPECT_EQ(DescribeSysfsWitness(witness), "sysfs tells nothing");
}

TEST(ReadSysfsWitnessTest, NoCachesIsAnotherFact) {
  std::map<std::string, std::string> files = FourCpus();
  for (auto file = files.begin(); file != files.end();) {
    file = file->first.find("/cache/") == std::string::npos ? std::next(file)
                                                            : files.erase(file);
  }
  const SysfsWitness witness = ReadSysfsWitness(FakeFileReader(files));
  EXPECT_EQ(witness.cpus.size(), 4);
  EXPECT_FALSE(witness.has_caches());
  EXPECT_THAT(witness.problems, IsEmpty());
  EXPECT_EQ(DescribeSysfsWitness(witness),
            "4 CPUs, 1 package, 2 cores; no caches");
}

TEST(ReadSysfsWitnessTest, FindsCpusWithoutTheOnlineFile) {
  std::map<std::string, std::string> files = FourCpus();
  files.erase(absl::StrCat(kRoot, "/online"));
  files[absl::StrCat(kRoot, "/cpufreq/policy0")] = "x";
  EXPECT_EQ(ReadSysfsWitness(FakeFileReader(files)).cpus.size(), 4);
}

TEST(ReadSysfsWitnessTest, NonsenseIsListedAndLeftOut) {
  std::map<std::string, std::string> files = FourCpus();
  const std::string cache = absl::StrCat(kRoot, "/cpu0/cache/index3");
  files[cache + "/size"] = "many\n";
  files[cache + "/shared_cpu_list"] = "3-0\n";
  files.erase(cache + "/ways_of_associativity");
  const SysfsWitness witness = ReadSysfsWitness(FakeFileReader(files));
  const SysfsCache* l3 = witness.cpus[0].Find(3);
  ASSERT_NE(l3, nullptr);
  EXPECT_EQ(l3->size, std::nullopt);
  EXPECT_EQ(l3->shared_cpus, std::nullopt);
  EXPECT_EQ(l3->ways, std::nullopt);
  EXPECT_THAT(witness.problems,
              ElementsAre(HasSubstr("/size: makes no sense: \"many\""),
                          HasSubstr("/shared_cpu_list: makes no sense")));
  EXPECT_EQ(witness.SizeInPackage(3), std::nullopt);
}

// A file that is there and cannot be read.
class DenyingFileReader : public FakeFileReader {
 public:
  DenyingFileReader() : FakeFileReader(FourCpus()) {}
  absl::StatusOr<std::string> Read(absl::string_view path) const override {
    if (path == "/sys/devices/system/cpu/cpu1/cache/index0/size") {
      return absl::PermissionDeniedError("not allowed");
    }
    return FakeFileReader::Read(path);
  }
};

TEST(ReadSysfsWitnessTest, UnreadableIsListed) {
  const SysfsWitness witness = ReadSysfsWitness(DenyingFileReader());
  EXPECT_EQ(witness.cpus[1].Find(1)->size, std::nullopt);
  EXPECT_NE(witness.cpus[0].Find(1)->size, std::nullopt);
  EXPECT_THAT(witness.problems, ElementsAre(HasSubstr("not allowed")));
}

TEST(ReadSysfsWitnessTest, ReadsThisMachine) {
  const RealFileReader files;
  if (!files.Read(absl::StrCat(kRoot, "/online")).ok()) {
    GTEST_SKIP() << "no sysfs here";
  }
  const SysfsWitness witness = ReadSysfsWitness(files);
  EXPECT_FALSE(witness.cpus.empty());
  EXPECT_THAT(DescribeSysfsWitness(witness), HasSubstr("CPU"));
}

TEST(ParseCpuListTest, ReadsTheKernelsFormat) {
  EXPECT_THAT(*ParseCpuList("0"), ElementsAre(0));
  EXPECT_THAT(*ParseCpuList("0-2,8,10-11\n"), ElementsAre(0, 1, 2, 8, 10, 11));
  EXPECT_THAT(*ParseCpuList("8,1-3,2-4,0,3"), ElementsAre(0, 1, 2, 3, 4, 8));
  EXPECT_THAT(*ParseCpuList("\n"), IsEmpty());
  for (const char* bad : {"x", "0-", "-1", "3-1", "0,,1", "0-4000000000"}) {
    EXPECT_FALSE(ParseCpuList(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace advisor
