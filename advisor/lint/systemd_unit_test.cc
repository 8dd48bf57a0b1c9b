#include "advisor/lint/systemd_unit.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class UnitTest : public ::testing::Test {
 protected:
  // "VALUE@PLACE", or the error.
  std::string Get(absl::string_view name) {
    const absl::StatusOr<SystemdUnit> unit = ReadSystemdUnit(files_, name, "T");
    if (!unit.ok()) return std::string(unit.status().message());
    unit_ = *unit;
    if (!unit_.variable.has_value()) return "none";
    return absl::StrCat(unit_.variable->value, "@", unit_.variable->place);
  }

  FakeFileReader files_;
  SystemdUnit unit_;
};

TEST_F(UnitTest, TakesTheLastAssignmentAndTheProgram) {
  files_.Add("/lib/systemd/system/x.service",
             "[Unit]\nEnvironment=T=no\n[Service]\n# Environment=T=no\n"
             "ExecStart=-/usr/bin/x --arg\n"
             "Environment=A=b \\\n; a comment inside\n  \"T=one two\"\n"
             "Environment=T=three%% T2=x\n");
  EXPECT_EQ(Get("x"), "three%@/lib/systemd/system/x.service:9");
  EXPECT_EQ(unit_.program, "/usr/bin/x");
  EXPECT_THAT(unit_.notes,
              ElementsAre(HasSubstr("x.service:6: T=one two does not count")));
}

TEST_F(UnitTest, AnEmptyAssignmentForgetsTheEarlierOnes) {
  files_.Add("/lib/systemd/system/x.service",
             "[Service]\nEnvironment=T=one\nEnvironment=\n");
  EXPECT_EQ(Get("x.service"), "none");
  EXPECT_THAT(unit_.notes, IsEmpty());
}

TEST_F(UnitTest, FoldersAndDropInsHaveTheirOrder) {
  files_.Add("/lib/systemd/system/a-b.service", "[Service]\nEnvironment=T=1\n");
  EXPECT_EQ(Get("a-b"), "1@/lib/systemd/system/a-b.service:2");
  files_.Add("/etc/systemd/system/a-b.service", "[Service]\nEnvironment=T=2\n");
  EXPECT_EQ(Get("a-b"), "2@/etc/systemd/system/a-b.service:2");
  files_.Add("/etc/systemd/system/service.d/50.conf",
             "[Service]\nEnvironment=T=3\n");
  EXPECT_EQ(Get("a-b"), "3@/etc/systemd/system/service.d/50.conf:2");
  files_.Add("/lib/systemd/system/a-.service.d/60.conf",
             "[Service]\nEnvironment=T=4\n");
  EXPECT_EQ(Get("a-b"), "4@/lib/systemd/system/a-.service.d/60.conf:2");
  // The same name in a folder that goes before hides it.
  files_.Add("/lib/systemd/system/a-b.service.d/60.conf", "[Service]\n");
  EXPECT_EQ(Get("a-b"), "3@/etc/systemd/system/service.d/50.conf:2");
}

TEST_F(UnitTest, ATemplateServesItsInstances) {
  files_.Add("/lib/systemd/system/x@.service",
             "[Service]\nEnvironment=T=%p-%i-%n\n");
  EXPECT_EQ(Get("x@one.service"),
            "x-one-x@one.service@/lib/systemd/system/x@.service:2");
}

TEST_F(UnitTest, EnvironmentFilesComeAfterEnvironment) {
  files_.Add("/lib/systemd/system/x.service",
             "[Service]\nEnvironmentFile=-/etc/default/none\n"
             "EnvironmentFile=/etc/default/x*\nEnvironment=T=unit\n");
  files_.Add("/etc/default/x1", "# defaults\nT=\"file one\"\n");
  files_.Add("/etc/default/y", "T=other\n");
  EXPECT_EQ(Get("x"), "file one@/etc/default/x1:2");
  files_.Add("/lib/systemd/system/x.service",
             "[Service]\nEnvironmentFile=/etc/default/none\n");
  EXPECT_EQ(Get("x"), "none");
  EXPECT_THAT(unit_.notes, ElementsAre(HasSubstr("does not start without")));
}

TEST_F(UnitTest, TheManagersDefaultsCountLeast) {
  files_.Add("/etc/systemd/system.conf",
             "[Manager]\nDefaultEnvironment=\"T=manager\"\n");
  files_.Add("/lib/systemd/system/x.service", "[Service]\n");
  EXPECT_EQ(Get("x"), "manager@/etc/systemd/system.conf:2");
  files_.Add("/lib/systemd/system/x.service",
             "[Service]\nUnsetEnvironment=A T\n");
  EXPECT_EQ(Get("x"), "none");
  EXPECT_THAT(unit_.notes, ElementsAre(HasSubstr("UnsetEnvironment")));
}

TEST_F(UnitTest, SaysWhatIsMissing) {
  EXPECT_THAT(Get("x"), HasSubstr("no such file"));
  EXPECT_EQ(ReadSystemdUnit(files_, "x", "T").status().code(),
            absl::StatusCode::kNotFound);
  files_.Add("/lib/systemd/system/x.service", "[Service]\nPassEnvironment=T\n");
  EXPECT_EQ(Get("x"), "none");
  EXPECT_THAT(unit_.notes, ElementsAre(HasSubstr("PassEnvironment")));
}

TEST_F(UnitTest, AFileIsReadWhereItLies) {
  files_.Add("here/y.service", "[Service]\nEnvironment=T=file\n");
  EXPECT_EQ(Get("here/y.service"), "file@here/y.service:2");
  files_.Add("here/y.service.d/z.conf", "[Service]\nEnvironment=T=dropin\n");
  EXPECT_EQ(Get("here/y.service"), "dropin@here/y.service.d/z.conf:2");
}

TEST_F(UnitTest, UnitsThatMentionItAreFound) {
  files_.Add("/lib/systemd/system/a.service", "[Service]\nEnvironment=T=1\n");
  files_.Add("/lib/systemd/system/b.service", "[Service]\nExecStart=/b\n");
  files_.Add("/etc/systemd/system/c.service.d/x.conf", "[Service]\n#T=\n");
  EXPECT_THAT(UnitsThatMention(files_, "T="),
              ElementsAre("a.service", "c.service"));
}

}  // namespace
}  // namespace advisor
