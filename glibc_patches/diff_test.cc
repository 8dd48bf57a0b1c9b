#include "glibc_patches/diff.h"

#include <random>
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

using ::testing::HasSubstr;
using ::testing::SizeIs;

const char* const kSamples[] = {"files.diff",     "git.diff",   "git_crlf.diff",
                                "no_prefix.diff", "plain.diff", "series.mbox"};

std::string Sample(absl::string_view name) {
  const auto text =
      advisor::RealFileReader().Read(absl::StrCat("testdata/diffs/", name));
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

Diff Parsed(absl::string_view name) {
  absl::StatusOr<Diff> diff = ParseDiff(Sample(name), name);
  EXPECT_TRUE(diff.ok()) << diff.status();
  return diff.ok() ? *std::move(diff) : Diff();
}

std::string ErrorOf(absl::string_view text) {
  return std::string(ParseDiff(text, "p").status().message());
}

TEST(DiffTest, ReadsHunksOfGit) {
  const Diff diff = Parsed("git.diff");
  ASSERT_THAT(diff.files, SizeIs(1));
  const FileChange& file = diff.files[0];
  EXPECT_EQ(file.old_path, "a/kernels/copy.S");
  EXPECT_EQ(file.new_path, "b/kernels/copy.S");
  ASSERT_THAT(file.hunks, SizeIs(2));
  EXPECT_EQ(file.hunks[0].old_start, 3);
  EXPECT_EQ(file.hunks[0].old_count, 7);
  EXPECT_EQ(file.hunks[0].line, 5);
  EXPECT_EQ(file.hunks[1].new_count, 6);
  ASSERT_THAT(file.hunks[0].lines, SizeIs(8));
  EXPECT_EQ(file.hunks[0].lines[3].kind, '-');
  EXPECT_EQ(file.hunks[0].lines[3].text, "\ttestq\t%rdx, %rdx");
}

TEST(DiffTest, AWholePatchWithChangedLineEndsIsTheSamePatch) {
  const Diff one = Parsed("git.diff"), other = Parsed("git_crlf.diff");
  ASSERT_EQ(one.files.size(), other.files.size());
  EXPECT_EQ(one.files[0].new_path, other.files[0].new_path);
  for (size_t i = 0; i < one.files[0].hunks.size(); ++i) {
    for (size_t k = 0; k < one.files[0].hunks[i].lines.size(); ++k) {
      EXPECT_EQ(one.files[0].hunks[i].lines[k].text,
                other.files[0].hunks[i].lines[k].text);
    }
  }
}

TEST(DiffTest, ReadsNewDeletedAndRenamedFilesAndModes) {
  const Diff diff = Parsed("files.diff");
  ASSERT_THAT(diff.files, SizeIs(6));
  // Content with CR LF keeps it: the patch's own lines have none.
  EXPECT_EQ(diff.files[0].hunks[0].lines[1].text, "two\r");
  EXPECT_EQ(diff.files[1].old_path, std::nullopt);
  EXPECT_EQ(diff.files[1].new_path, "b/doc/empty.txt");
  EXPECT_THAT(diff.files[1].hunks, SizeIs(0));
  EXPECT_EQ(diff.files[2].old_mode, "100644");
  EXPECT_EQ(diff.files[2].new_mode, "100755");
  EXPECT_EQ(diff.files[2].new_path, "b/doc/list.sh");
  EXPECT_EQ(diff.files[3].new_path, std::nullopt);
  EXPECT_FALSE(diff.files[3].hunks[0].lines[4].ends_with_newline);
  EXPECT_EQ(diff.files[4].old_path, std::nullopt);
  EXPECT_TRUE(diff.files[5].is_rename);
  EXPECT_EQ(diff.files[5].old_path, "a/kernels/copy.S");
  EXPECT_EQ(diff.files[5].new_path, "b/kernels/copy-and-fill.S");
}

TEST(DiffTest, ReadsARenameWithoutAnyLine) {
  const auto diff = ParseDiff(
      "diff --git a/x/old.S b/x/new.S\nsimilarity index 100%\n"
      "rename from x/old.S\nrename to x/new.S\n",
      "p");
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_EQ(diff->files[0].old_path, "a/x/old.S");
  EXPECT_EQ(diff->files[0].new_path, "b/x/new.S");
}

TEST(DiffTest, ReadsTimeStampsOfPlainDiffs) {
  const Diff diff = Parsed("plain.diff");
  ASSERT_THAT(diff.files, SizeIs(3));
  EXPECT_TRUE(diff.files[0].new_is_epoch);
  EXPECT_TRUE(diff.files[1].old_is_epoch);
  EXPECT_FALSE(diff.files[2].old_is_epoch || diff.files[2].new_is_epoch);
  EXPECT_EQ(diff.files[2].old_path, "glibc.orig/kernels/copy.S");
}

TEST(DiffTest, ReadsASeriesOfMailsWithProseThatLooksLikeADiff) {
  const Diff diff = Parsed("series.mbox");
  ASSERT_THAT(diff.files, SizeIs(3));
  EXPECT_EQ(diff.files[0].path(), "b/kernels/copy.S");
  EXPECT_EQ(diff.files[1].path(), "b/doc/names.txt");
  EXPECT_EQ(diff.files[2].path(), "b/kernels/copy.S");
}

TEST(DiffTest, ReadsQuotedPathsAndEmptyContextWithoutItsBlank) {
  const auto diff = ParseDiff(
      "--- \"a/x\\ty\"\n+++ \"b/x\\ty\"\n@@ -1,2 +1,2 @@\n\n-a\n+b\n", "p");
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_EQ(diff->files[0].old_path, "a/x\ty");
  EXPECT_EQ(diff->files[0].hunks[0].lines[0].kind, ' ');
}

TEST(DiffTest, ASideEndsWithItsLineWithoutANewline) {
  const std::string names = "--- a/x\n+++ b/x\n";
  const std::string mark = "\\ No newline at end of file\n";
  for (const std::string& text :
       {names + "@@ -1 +1 @@\n-a\n" + mark + "+b\n" + mark,
        names + "@@ -1 +1,2 @@\n-a\n" + mark + "+a\n+b\n",
        names + "@@ -1 +1 @@\n-a\n+b\n" + mark + names +
            "@@ -2 +2 @@\n-a\n+b\n"}) {
    const auto diff = ParseDiff(text, "p");
    EXPECT_TRUE(diff.ok()) << text << diff.status();
  }
  for (const std::string& text :
       {names + "@@ -1,2 +1,3 @@\n+a\n" + mark + " b\n c\n",
        names + "@@ -1,2 +1,2 @@\n a\n" + mark + "-b\n+c\n",
        names + "@@ -1 +1 @@\n-a\n+b\n" + mark + "@@ -4 +4 @@\n-c\n+d\n",
        names + "@@ -1,2 +1 @@\n-a\n" + mark + "-b\n+c\n"}) {
    EXPECT_THAT(ErrorOf(text), HasSubstr("expected no line of a side after"))
        << text;
  }
}

TEST(DiffTest, SaysInWhichLineItStoppedToUnderstand) {
  const std::string names = "--- a/x\n+++ b/x\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "p:1: expected a diff (--- and +++ lines), found none"},
      {"prose\n", "p:1: expected a diff"},
      {"@@ -1 +1 @@\n-a\n+b\n",
       "p:1: expected --- and +++ lines before a hunk"},
      {names + "@@ -1,2 +1,2 @@\n a\n-b\n",
       "p:6: expected 0 more old and 1 more new lines of the hunk of line 3, "
       "found the end of the patch"},
      {names + "@@ -1 +1 @@\n-a\n+b\n+c\n",
       "p:6: expected the end of the hunk of line 3, found '+c'"},
      {names + "@@ -1 +1 @@\n-a\n-b\n",
       "p:5: expected 0 more old and 1 more new lines of the hunk of line 3, "
       "found '-b'"},
      {names + "@@ -1,x +1 @@\n", "p:3: expected @@ -LINE,COUNT"},
      {names + "@@ -0,1 +1 @@\n", "p:3: expected @@ -LINE,COUNT"},
      {names + "@@ -1,99999999999 +1 @@\n", "p:3: expected @@ -LINE,COUNT"},
      {"diff --git a/x b/x\n" + names + "nothing\n",
       "p:4: expected @@ -LINE,COUNT +LINE,COUNT @@, found 'nothing'"},
      {"--- \"a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
       "p:1: expected a path, found '--- \\\"a/x'"},
      {"diff --git a b c d\nindex 1\n",
       "p:1: expected the path of a file, found 'diff --git a b c d'"},
      {"--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n",
       "p:1: expected the path of a file"}};
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(ErrorOf(text), HasSubstr(message)) << text;
  }
}

TEST(DiffTest, PathsThatLeaveTheTreeAreNone) {
  EXPECT_EQ(StripPath("a/b/c", 1), "b/c");
  EXPECT_EQ(StripPath("a/b/c", 0), "a/b/c");
  EXPECT_EQ(StripPath("a", 1), std::nullopt);
  for (const char* path : {"", "/x", "../x", "x/../y", "x//y", "./x", "x/"}) {
    EXPECT_EQ(StripPath(path, 0), std::nullopt) << path;
  }
}

// Bytes changed, lines dropped, doubled and cut: any answer will do, but one
// must come.
TEST(DiffTest, NoBytesAreTooStrange) {
  std::mt19937_64 random(1);
  int understood = 0;
  for (const char* name : kSamples) {
    const std::string sample = Sample(name);
    ASSERT_FALSE(sample.empty());
    for (int round = 0; round < 3000; ++round) {
      std::string text = sample;
      for (uint64_t change = 0; change <= random() % 4; ++change) {
        const size_t at = random() % text.size();
        switch (random() % 4) {
          case 0:
            text[at] = static_cast<char>(random());
            break;
          case 1:
            text.erase(at, random() % 40);
            break;
          case 2:
            text.insert(at, text.substr(random() % text.size(), 40));
            break;
          case 3:
            text.insert(at, std::string(1, "\n\\@+- 0"[random() % 7]));
            break;
        }
        if (text.empty()) text = "x";
      }
      if (ParseDiff(text, "p").ok()) ++understood;
    }
  }
  EXPECT_GT(understood, 0);
}

}  // namespace
}  // namespace glibc_patches
