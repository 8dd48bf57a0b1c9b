#include "advisor/running/memory_map.h"

#include "gtest/gtest.h"

namespace advisor {
namespace {

constexpr absl::string_view kMap =
    "555500000000-555500001000 r--p 00000000 fe:00 11   /usr/bin/x\n"
    "555500001000-555500002000 r-xp 00001000 fe:00 11   /usr/bin/x\n"
    "555500003000-555500004000 rw-p 00002000 fe:00 11   /usr/bin/x\n"
    "555500004000-555500025000 rw-p 00000000 00:00 0    [heap]\n"
    "7f0000000000-7f0000001000 r--p 00000000 fe:00 9    /usr/share/locale\n"
    "7f0000100000-7f0000126000 r--p 00000000 fe:00 12   /usr/lib/libc.so.6\n"
    "7f0000126000-7f000027c000 r-xp 00026000 fe:00 12   /usr/lib/libc.so.6\n"
    "7f000027c000-7f00002cf000 r--p 0017c000 fe:00 12   /usr/lib/libc.so.6\n"
    "7f00002cf000-7f00002d3000 r--p 001cf000 fe:00 12   /usr/lib/libc.so.6\n"
    "7f00002d3000-7f00002d5000 rw-p 001d3000 fe:00 12   /usr/lib/libc.so.6\n"
    "7f00002d5000-7f00002e2000 rw-p 00000000 00:00 0 \n"
    "7f0000300000-7f0000301000 r--p 00000000 fe:00 13   /lib/a b.so (deleted)\n"
    "7f0000301000-7f0000302000 r-xp 00001000 fe:00 13   /lib/a b.so (deleted)\n"
    "nonsense\n"
    "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0    [stack]\n";

TEST(MemoryMap, FindsBasesAndData) {
  const std::vector<MemoryModule> modules = ParseMemoryMap(kMap);
  ASSERT_EQ(modules.size(), 3);
  EXPECT_EQ(modules[0].path, "/usr/bin/x");
  EXPECT_EQ(modules[0].base, 0x555500000000u);
  const MemoryModule& libc = modules[1];
  EXPECT_EQ(libc.path, "/usr/lib/libc.so.6");
  EXPECT_EQ(libc.base, 0x7f0000100000u);
  EXPECT_FALSE(libc.is_deleted);
  ASSERT_EQ(libc.data.size(), 4);
  EXPECT_EQ(libc.data[0].begin, 0x7f000027c000u);
  // Zeroed memory without a file.
  EXPECT_EQ(libc.data[3].end, 0x7f00002e2000u);
  EXPECT_EQ(modules[2].path, "/lib/a b.so");
  EXPECT_TRUE(modules[2].is_deleted);
}

TEST(MemoryMap, SkipsWhatNoKernelWrites) {
  const std::vector<MemoryModule> modules = ParseMemoryMap(
      "1000-2000 r-xp 00000000 fe:00 12   /x\n"
      "9000-3000 rw-p 00001000 fe:00 12   /x\n"  // backwards
      "2000-3000  00001000 fe:00 12 /x\n"        // no rights
      "0000-1000 rw-p 00001000 fe:00 12   /x\n"  // below what was
      "2000-3000 rw-p 00001000 fe:00 12   /x\n");
  ASSERT_EQ(modules.size(), 1);
  ASSERT_EQ(modules[0].data.size(), 1);
  EXPECT_EQ(modules[0].data[0].begin, 0x2000u);
  EXPECT_EQ(modules[0].data[0].end, 0x3000u);
}

TEST(MemoryMap, IsEmptyForNothing) { EXPECT_TRUE(ParseMemoryMap("").empty()); }

}  // namespace
}  // namespace advisor
