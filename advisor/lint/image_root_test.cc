#include "advisor/lint/image_root.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ImageSettings, AreFoundInEveryPlace) {
  FakeFileReader files;
  files.Add("/etc/os-release", "NAME=Debian\nPRETTY_NAME=\"Debian 12\"\n");
  files.Add("/etc/environment", "PATH=/bin\nT=\"one\"\n");
  files.Add("/etc/environment.d/10.conf", "T=two\n");
  files.Add("/etc/environment.d/10.txt", "T=no\n");
  files.Add("/etc/profile.d/t.sh", "#!/bin/sh\nexport T=three:$T\n");
  files.Add("/usr/lib/systemd/system/x.service",
            "[Service]\nExecStart=/usr/sbin/x -f\n");
  files.Add("/etc/systemd/system/x.service.d/t.conf",
            "[Service]\nEnvironment=\"T=four\"\n");
  files.Add("/usr/lib/systemd/system/y.service",
            "[Service]\nExecStart=/usr/sbin/y\n");
  const ImageSettings settings = FindImageSettings(files, "T");
  EXPECT_EQ(settings.system, "Debian 12");
  std::vector<std::string> found;
  for (const PlacedValue& value : settings.values) {
    found.push_back(value.place + " " + value.value + " " + value.program);
  }
  EXPECT_THAT(
      found, ElementsAre(
                 "/etc/environment:2 one ", "/etc/environment.d/10.conf:1 two ",
                 "/etc/profile.d/t.sh:2 three:$T ",
                 "/etc/systemd/system/x.service.d/t.conf:2 four /usr/sbin/x"));
  EXPECT_THAT(settings.notes,
              ElementsAre(HasSubstr("t.sh:2: the value holds")));
}

// Who made the image may mean to drown who looks at it.
TEST(ImageSettings, AreToldWithinLimits) {
  FakeFileReader files;
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "T=$x\n";
  files.Add("/etc/profile", many);
  files.Add("/etc/bashrc", std::string((1 << 20) + 1, '\n'));
  std::string unit = "[" + std::string(500000, 'A') + "]\nEnvironmentFile=\n";
  for (int i = 0; i < 100000; ++i) unit += "a=\n";
  files.Add("/etc/systemd/system/a.service", unit);
  const ImageSettings settings = FindImageSettings(files, "T");
  EXPECT_EQ(settings.values.size(), 1000u);
  ASSERT_EQ(settings.notes.size(), 1001u);
  EXPECT_EQ(settings.notes.back(), "more notes than these are left out");
}

TEST(ImageSettings, AreNoneInAnEmptyImage) {
  const ImageSettings settings = FindImageSettings(FakeFileReader(), "T");
  EXPECT_THAT(settings.values, IsEmpty());
  EXPECT_THAT(settings.notes, IsEmpty());
}

}  // namespace
}  // namespace advisor
