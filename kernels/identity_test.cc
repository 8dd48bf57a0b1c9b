// What is measured and checked here is what the distribution ships: each
// variant's code stands in the installed libc.so.6, byte by byte, relocated
// fields aside.

#include <dlfcn.h>
#include <gnu/libc-version.h>

#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/object_file.h"
#include "kernels/variant.h"

namespace kernels {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The file of the libc that this test runs on.
std::string InstalledLibc() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &info) == 0) {
    return "";
  }
  return ReadAll(info.dli_fname);
}

// "2.36-9+deb12u14" out of "GNU C Library (Debian GLIBC 2.36-9+deb12u14) ...";
// "" in a libc that no distribution has named.
std::string LibcRevision(absl::string_view libc) {
  constexpr absl::string_view kBanner = "GNU C Library (";
  constexpr absl::string_view kRevision = " GLIBC ";
  const size_t banner = libc.find(kBanner);
  if (banner == absl::string_view::npos) return "";
  absl::string_view line = libc.substr(banner, 200);
  line = line.substr(0, line.find(')'));
  const size_t revision = line.find(kRevision);
  if (revision == absl::string_view::npos) return "";
  return std::string(line.substr(revision + kRevision.size()));
}

const Tree* GlibcTree() {
  for (const Tree* tree : AllTrees()) {
    if (tree->name() == "glibc") return tree;
  }
  return nullptr;
}

absl::StatusOr<CodePattern> CodeOf(const Variant& variant) {
  const std::string object =
      ReadAll(absl::StrCat("kernels/glibc/", variant.source, ".o"));
  return SectionOfSymbol(object, absl::StrCat("glibc_", variant.name));
}

TEST(IdentityTest, EveryVariantIsTheInstalledLibcs) {
  const Tree* glibc = GlibcTree();
  if (glibc == nullptr) GTEST_SKIP() << "no glibc source on this machine";
  const std::string libc = InstalledLibc();
  const std::string revision = LibcRevision(libc);
  std::vector<std::string> different;
  int variants = 0;
  for (const Variant& variant : AllVariants()) {
    if (variant.tree != glibc) continue;
    ++variants;
    const absl::StatusOr<CodePattern> code = CodeOf(variant);
    ASSERT_TRUE(code.ok()) << code.status();
    if (FindPattern(libc, *code).empty()) {
      different.push_back(std::string(variant.name));
    }
  }
  std::cout << variants - different.size() << " of " << variants
            << " identical (source "
            << (glibc->revision().empty() ? glibc->release()
                                          : glibc->revision())
            << ", libc.so.6 "
            << (revision.empty() ? gnu_get_libc_version() : revision) << ")\n";
  if (glibc->revision().empty() || glibc->revision() != revision) {
    GTEST_SKIP() << "source and libc.so.6 are of different revisions, or one "
                    "has none";
  }
  EXPECT_GT(variants, 0);
  EXPECT_THAT(different, IsEmpty());
}

TEST(IdentityTest, OneChangedByteIsSeen) {
  if (GlibcTree() == nullptr) GTEST_SKIP() << "no glibc source on this machine";
  for (const Variant& variant : AllVariants()) {
    if (variant.name != "__memmove_sse2_unaligned_erms") continue;
    const absl::StatusOr<CodePattern> code = CodeOf(variant);
    ASSERT_TRUE(code.ok()) << code.status();
    // Relocated fields are left out: what a linker makes of them is free.
    std::string image = "before" + code->bytes + "after";
    size_t relocated = 0;
    for (size_t i = 0; i < code->known.size(); ++i) {
      if (code->known[i]) continue;
      ++relocated;
      image[6 + i] ^= 0x55;
    }
    EXPECT_GT(relocated, 0u);
    EXPECT_LT(relocated, code->bytes.size() / 10);
    EXPECT_THAT(FindPattern(image, *code), SizeIs(1));
    image[6 + code->bytes.size() - 1] ^= 1;
    EXPECT_THAT(FindPattern(image, *code), IsEmpty());
    return;
  }
  FAIL() << "no __memmove_sse2_unaligned_erms";
}

TEST(LibcRevisionTest, ReadsTheBanner) {
  EXPECT_EQ(LibcRevision("..GNU C Library (Ubuntu GLIBC 2.35-0ubuntu3.8) "
                         "stable release version 2.35."),
            "2.35-0ubuntu3.8");
  EXPECT_EQ(LibcRevision("GNU C Library (GNU libc) stable release version "
                         "2.39."),
            "");
  EXPECT_EQ(LibcRevision(""), "");
}

TEST(SectionOfSymbolTest, RejectsWhatIsNoObjectFile) {
  EXPECT_FALSE(SectionOfSymbol("", "memmove").ok());
  EXPECT_FALSE(SectionOfSymbol("\x7f"
                               "ELF",
                               "memmove")
                   .ok());
  EXPECT_FALSE(SectionOfSymbol(std::string(64, '\0'), "memmove").ok());
}

}  // namespace
}  // namespace kernels
