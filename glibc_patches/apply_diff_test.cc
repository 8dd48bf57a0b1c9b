#include "glibc_patches/apply_diff.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::optional<std::string> ReadFile(const std::string& path) {
  const auto text = advisor::RealFileReader().Read(path);
  return text.ok() ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::string> ReadTree(const std::string& path) {
  return ReadFile("testdata/diffs/tree/" + path);
}

struct Applied {
  absl::Status status;
  PatchedFiles files;
  std::vector<std::string> moved;
};

// To the tree of the samples, unless `base` is another.
Applied Apply(absl::string_view text,
              const PatchedFiles::Reader& base = ReadTree) {
  Applied applied{absl::OkStatus(), PatchedFiles(base), {}};
  const absl::StatusOr<Diff> diff = ParseDiff(text, "p");
  if (!diff.ok()) return {diff.status(), PatchedFiles(base), {}};
  const int strip = DetectStrip(
      *diff, [&](const std::string& path) { return base(path).has_value(); });
  for (const FileChange& file : diff->files) {
    StrippedPaths paths;
    applied.status = StripPaths(*diff, file, strip, paths);
    if (applied.status.ok()) {
      applied.status =
          ApplyFileChange(*diff, file, paths, applied.files, applied.moved);
    }
    if (!applied.status.ok()) break;
  }
  return applied;
}

std::string Sample(const std::string& name) {
  return ReadFile("testdata/diffs/" + name).value_or("");
}

PatchedFiles::Reader OneFile(const std::string& content) {
  return [content](const std::string& path) {
    return path == "f" ? std::optional<std::string>(content) : std::nullopt;
  };
}

std::string Message(const Applied& applied) {
  return std::string(applied.status.message());
}

constexpr char kNames[] = "--- a/f\n+++ b/f\n";

TEST(ApplyDiffTest, EveryFormatOfOnePatchGivesTheSameFile) {
  const std::string expected = absl::StrReplaceAll(
      *ReadTree("kernels/copy.S"),
      {{"testq\t", "test\t"}, {"%esi, %eax", "%esi, %eax\t# the byte"}});
  for (const char* name : {"git.diff", "git_crlf.diff", "no_prefix.diff"}) {
    const Applied applied = Apply(Sample(name));
    ASSERT_TRUE(applied.status.ok()) << name << ": " << applied.status;
    EXPECT_EQ(applied.files.Read("kernels/copy.S"), expected) << name;
    EXPECT_THAT(applied.moved, IsEmpty());
  }
}

TEST(ApplyDiffTest, ASeriesIsAppliedInOrder) {
  const Applied applied = Apply(Sample("series.mbox"));
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_THAT(*applied.files.Read("kernels/copy.S"),
              HasSubstr("\tmovl\t%esi, %eax\t# byte\n"));
  EXPECT_EQ(applied.files.Read("doc/names.txt"),
            "names of\nall kernels\n\ncopy\nfill\n");
}

TEST(ApplyDiffTest, FilesComeGoAndMove) {
  const Applied applied = Apply(Sample("files.diff"));
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_EQ(applied.files.Read("doc/dos.txt"), "one\r\n2\r\nthree\r\n");
  EXPECT_EQ(applied.files.Read("doc/empty.txt"), "");
  EXPECT_EQ(applied.files.Read("doc/new.txt"), "new\n");
  EXPECT_EQ(applied.files.Read("doc/names.txt"), std::nullopt);
  EXPECT_EQ(applied.files.Read("kernels/copy.S"), std::nullopt);
  EXPECT_THAT(*applied.files.Read("kernels/copy-and-fill.S"),
              HasSubstr("# copy-and-fill.S"));
}

TEST(ApplyDiffTest, FilesComeAndGoByTheirTimeStamps) {
  const Applied applied = Apply(Sample("plain.diff"));
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_EQ(applied.files.Read("doc/list.sh"), std::nullopt);
  EXPECT_EQ(applied.files.Read("doc/new.txt"), "new\n");
  EXPECT_EQ(applied.files.changes().size(), 3u);
}

TEST(ApplyDiffTest, TheLineThatDiffersIsNamed) {
  const std::string wrong = absl::StrReplaceAll(
      Sample("git.diff"), {{"\tjz\tL(done)", "\tje\tL(done)"}});
  EXPECT_EQ(Message(Apply(wrong)),
            "p:11: kernels/copy.S: hunk 1: expected '\\tje\\tL(done)' at line "
            "7, found '\\tjz\\tL(done)'");
  const std::string second = absl::StrReplaceAll(
      Sample("git.diff"), {{"\trep\tstosb", "\trep stosb"}});
  EXPECT_THAT(Message(Apply(second)),
              HasSubstr("p:20: kernels/copy.S: hunk 2:"));
}

TEST(ApplyDiffTest, WhiteSpaceAndLineEndsCount) {
  EXPECT_THAT(Message(Apply(absl::StrCat(kNames, "@@ -1 +1 @@\n-a\n+b\n"),
                            OneFile("a \n"))),
              HasSubstr("expected 'a' at line 1, found 'a '"));
  EXPECT_THAT(Message(Apply(absl::StrCat(kNames, "@@ -1 +1 @@\n-a\n+b\n"),
                            OneFile("a\r\n"))),
              HasSubstr("found 'a\\r' (CR LF line ends)"));
  EXPECT_THAT(Message(Apply(absl::StrCat(kNames, "@@ -1 +1 @@\n-a\n+b\n"),
                            OneFile("a"))),
              HasSubstr("found 'a' without a newline at its end"));
  const Applied without =
      Apply(absl::StrCat(kNames, "@@ -1 +1 @@\n-a\n\\ No newline\n+b\n"),
            OneFile("a"));
  ASSERT_TRUE(without.status.ok()) << without.status;
  EXPECT_EQ(without.files.Read("f"), "b\n");
}

TEST(ApplyDiffTest, AHunkThatMovedIsTakenWhereOnlyOnePlaceFits) {
  const std::string patch = absl::StrCat(
      kNames, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "@@ -4,2 +4,3 @@\n d\n+e\n f\n");
  const Applied moved = Apply(patch, OneFile("x\na\nb\nx\nd\nf\n"));
  ASSERT_TRUE(moved.status.ok()) << moved.status;
  EXPECT_EQ(moved.files.Read("f"), "x\na\nc\nx\nd\ne\nf\n");
  EXPECT_THAT(moved.moved, ElementsAre("f: hunk 1 stands at line 2, not at 1"));
  // Two places: which one is meant?
  EXPECT_THAT(Message(Apply(patch, OneFile("x\na\nb\na\nb\nd\nf\n"))),
              HasSubstr("p:4: f: hunk 1: expected 'a' at line 1, found 'x'"));
}

TEST(ApplyDiffTest, InsertsWithoutContext) {
  const Applied applied =
      Apply(absl::StrCat(kNames, "@@ -1,0 +2 @@\n+b\n@@ -2,0 +4 @@\n+d\n"),
            OneFile("a\nc\n"));
  ASSERT_TRUE(applied.status.ok()) << applied.status;
  EXPECT_EQ(applied.files.Read("f"), "a\nb\nc\nd\n");
  EXPECT_THAT(Message(Apply(absl::StrCat(kNames, "@@ -9,0 +10 @@\n+b\n"),
                            OneFile("a\n"))),
              HasSubstr("expected a file of 9 lines or more, found 1"));
}

TEST(ApplyDiffTest, HunksAndFilesThatContradictTheTree) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"@@ -2 +2 @@\n-b\n+c\n@@ -1 +1 @@\n-a\n+c\n",
       "p:6: f: hunk 2: expected hunks in the order of their lines"},
      {"@@ -1,3 +1,3 @@\n a\n b\n-c\n+d\n",
       "expected 'c' at line 3, found the end of the file"}};
  for (const auto& [hunks, message] : cases) {
    EXPECT_THAT(Message(Apply(kNames + hunks, OneFile("a\nb\n"))),
                HasSubstr(message));
  }
  EXPECT_THAT(
      Message(Apply("--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", OneFile("a\n"))),
      HasSubstr("p:1: g: expected the file, found none"));
  EXPECT_THAT(Message(Apply("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n",
                            OneFile("a\n"))),
              HasSubstr("p:1: f: expected no such file yet, found one"));
  EXPECT_THAT(Message(Apply("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
                            OneFile("a\nb\n"))),
              HasSubstr("expected an empty file after its removal"));
  EXPECT_THAT(Message(Apply("diff --git a/f b/f\nBinary files a/f and b/f "
                            "differ\n",
                            OneFile("a\n"))),
              HasSubstr("expected a change as lines, found a binary one"));
}

TEST(ApplyDiffTest, PathsThatLeaveTheTreeAreRefused) {
  EXPECT_THAT(Message(Apply("--- a/../f\n+++ b/../f\n@@ -1 +1 @@\n-a\n+b\n",
                            OneFile("a\n"))),
              HasSubstr("p:1: expected a path inside the tree after 1 "
                        "components, found 'a/../f'"));
  EXPECT_THAT(Message(Apply("--- /etc/f\n+++ /etc/f\n@@ -1 +1 @@\n-a\n+b\n",
                            OneFile("a\n"))),
              HasSubstr("p:1: expected a path inside the tree"));
}

TEST(ApplyDiffTest, ThePrefixIsWhatTheTreeLacks) {
  const auto strip = [](absl::string_view path) {
    Diff diff;
    diff.files.emplace_back();
    diff.files[0].old_path = std::string(path);
    diff.files[0].new_path = std::string(path);
    return DetectStrip(diff,
                       [](const std::string& name) { return name == "x/y.S"; });
  };
  EXPECT_EQ(strip("x/y.S"), 0);
  EXPECT_EQ(strip("a/x/y.S"), 1);
  EXPECT_EQ(strip("glibc-2.36/src/x/y.S"), 2);
  EXPECT_EQ(strip("nowhere/z.S"), 0);
}

}  // namespace
}  // namespace glibc_patches
