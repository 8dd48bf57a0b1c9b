#include "advisor/workload/named_workloads.h"

#include <set>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr size_t kMostBytes = 60000;

TEST(NamedWorkloadsTest, EachIsWholeAndKnowsWhereItComesFrom) {
  const FakeFileReader files;
  std::set<std::string> recorded;
  absl::string_view last;
  for (const NamedWorkload& named : NamedWorkloads()) {
    EXPECT_GT(named.name, last);
    last = named.name;
    EXPECT_LT(named.text.size(), kMostBytes) << named.name;
    const absl::StatusOr<Workload> workload = LoadWorkload(files, named.name);
    ASSERT_TRUE(workload.ok()) << workload.status();
    EXPECT_EQ(workload->name, named.name);
    const WorkloadProvenance& from = workload->provenance;
    EXPECT_NE(from.source, "") << named.name;
    if (!from.is_recorded) continue;
    recorded.insert(std::string(named.name));
    EXPECT_GT(workload->calls(), 1000000u) << named.name;
    for (const std::string* text :
         {&from.program, &from.version, &from.arguments, &from.machine,
          &from.glibc, &from.date}) {
      EXPECT_NE(*text, "") << named.name;
    }
    EXPECT_GT(from.processes, 0u);
    EXPECT_FALSE(from.not_seen.empty());
    uint64_t calls = 0;
    for (const WorkloadProvenance::Program& program : from.programs) {
      calls += program.calls;
    }
    EXPECT_EQ(calls, workload->calls()) << named.name;
  }
  EXPECT_THAT(recorded, SizeIs(testing::Ge(5)));
}

// A file that the recorder wrote is as it would write it again.
TEST(NamedWorkloadsTest, RecordedOnesAreAsWritten) {
  for (const NamedWorkload& named : NamedWorkloads()) {
    const absl::StatusOr<Workload> workload =
        ParseWorkload(named.text, named.name);
    ASSERT_TRUE(workload.ok()) << workload.status();
    if (!workload->provenance.is_recorded) continue;
    EXPECT_EQ(FormatWorkload(*workload) == named.text, true) << named.name;
  }
}

TEST(NamedWorkloadsTest, OrAFile) {
  FakeFileReader files;
  files.Add("mine.json", FormatWorkload(*LoadWorkload(files, "compiler")));
  EXPECT_EQ(LoadWorkload(files, "mine.json")->calls(),
            LoadWorkload(files, "compiler")->calls());
  files.Add("bad.json", "{");
  EXPECT_THAT(LoadWorkload(files, "bad.json").status().message(),
              HasSubstr("bad.json:1: expected"));
  const absl::Status neither = LoadWorkload(files, "compilr").status();
  EXPECT_TRUE(absl::IsNotFound(neither));
  EXPECT_THAT(neither.message(),
              HasSubstr("compilr: expected a file or one of compiler, "));
}

}  // namespace
}  // namespace advisor
