#include "advisor/lint/tunable_catalogue.h"

#include <cstdlib>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(TunableCatalogue, IsSortedAndWithoutOverlap) {
  const CatalogueRow* last = nullptr;
  for (const CatalogueRow& row : AllCatalogueRows()) {
    EXPECT_LE(row.first_release, row.last_release) << row.name;
    EXPECT_GE(row.first_release, kFirstRelease);
    EXPECT_LE(row.last_release, kLastRelease);
    if (last != nullptr) {
      EXPECT_LE(last->name, row.name);
      if (last->name == row.name) {
        EXPECT_LT(last->last_release, row.first_release) << row.name;
      }
    }
    last = &row;
  }
}

// The tables of the parser say the same of the releases as tagged.
TEST(TunableCatalogue, AgreesWithTheParser) {
  for (int release = kFirstRelease; release <= kLastRelease; ++release) {
    const GlibcBuild build = GlibcBuild::Tag(release);
    for (const TunableRow& row : AllTunables()) {
      const std::string name = TunableName(build, row.tunable);
      SCOPED_TRACE(absl::StrCat(build.name(), " ", name));
      const CatalogueRow* const entry = FindCatalogueRow(name, build);
      ASSERT_EQ(entry != nullptr, HasTunable(build, row.tunable));
      if (entry == nullptr) continue;
      EXPECT_EQ(entry->type, row.type);
      EXPECT_EQ(entry->maximum, row.maximum);
      EXPECT_EQ(static_cast<uint64_t>(entry->minimum), row.minimum);
    }
    for (const OtherTunableRow& row : AllOtherTunables()) {
      EXPECT_EQ(FindCatalogueRow(row.name, build) != nullptr,
                row.first_release <= release)
          << row.name << " " << release;
    }
  }
  size_t others = 0;
  for (const absl::string_view name :
       CatalogueNames(GlibcBuild::Tag(kLastRelease))) {
    if (!absl::StartsWith(name, "glibc.cpu.")) ++others;
  }
  EXPECT_EQ(others, AllOtherTunables().size());
}

TEST(TunableCatalogue, SaysItsBounds) {
  EXPECT_EQ(
      BoundsOf(*FindCatalogueRow("glibc.pthread.rseq", GlibcBuild::Tag(36))),
      "0 to 1");
  EXPECT_EQ(BoundsOf(*FindCatalogueRow("glibc.malloc.arena_max",
                                       GlibcBuild::Tag(36))),
            "at least 1");
  EXPECT_EQ(
      BoundsOf(*FindCatalogueRow("glibc.malloc.mmap_max", GlibcBuild::Tag(33))),
      "any number of 32 bits");
  EXPECT_TRUE(IsInBounds(
      *FindCatalogueRow("glibc.malloc.mmap_max", GlibcBuild::Tag(33)),
      static_cast<uint64_t>(-1)));
  EXPECT_FALSE(IsInBounds(
      *FindCatalogueRow("glibc.malloc.mmap_max", GlibcBuild::Tag(34)),
      static_cast<uint64_t>(-1)));
  EXPECT_FALSE(IsInBounds(
      *FindCatalogueRow("glibc.malloc.arena_max", GlibcBuild::Tag(36)), 0));
}

// This machine's loader lists the same names and bounds (but for those that
// start-up narrows to the CPU).
TEST(TunableCatalogue, IsWhatThisMachinesLoaderLists) {
  const RealFileReader files;
  const absl::StatusOr<InstalledLibc> libc =
      FindInstalledLibc(files, Environment());
  if (!libc.ok() || !libc->banner.has_value()) {
    GTEST_SKIP() << "needs glibc's loader";
  }
  const absl::StatusOr<GlibcBuild> build =
      ParseGlibcBuild(libc->banner->revision.value_or(libc->banner->release));
  if (!build.ok() || !build->Has(Change::kListTunables)) {
    GTEST_SKIP() << "needs a loader of glibc 2.33 to 2.42";
  }
  const absl::StatusOr<LoaderAnswer> answer =
      AskLoader(RealSubprocess(), libc->loader_path, Environment());
  ASSERT_TRUE(answer.ok()) << answer.status();
  std::vector<std::string> listed;
  for (const auto& [name, tunable] : answer->tunables.tunables) {
    listed.push_back(name);
    const CatalogueRow* const row = FindCatalogueRow(name, *build);
    ASSERT_NE(row, nullptr) << name;
    if (const auto* number = std::get_if<IntTunable>(&tunable)) {
      EXPECT_EQ(row->type, TunableType::kInt32) << name;
      EXPECT_EQ(number->min, row->minimum) << name;
      EXPECT_EQ(number->max, static_cast<int64_t>(row->maximum)) << name;
    } else if (const auto* size = std::get_if<SizeTunable>(&tunable)) {
      if (absl::StrContains(name, ".x86_")) continue;
      EXPECT_EQ(size->min, static_cast<uint64_t>(row->minimum)) << name;
      EXPECT_EQ(size->max, row->maximum) << name;
    } else {
      EXPECT_EQ(row->type, TunableType::kString) << name;
    }
  }
  const std::vector<absl::string_view> names = CatalogueNames(*build);
  EXPECT_EQ(absl::StrJoin(listed, " "), absl::StrJoin(names, " "));
}

// glibc's own lists, where a clone of its history is named.

std::optional<std::string> Git(const std::string& repository,
                               std::vector<std::string> words) {
  Command command;
  command.argv = {"/usr/bin/git", "--git-dir=" + repository};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.time_limit = absl::Seconds(60);
  const absl::StatusOr<CommandResult> result = RealSubprocess().Run(command);
  if (!result.ok() || !result->succeeded()) return std::nullopt;
  return result->standard_output;
}

using Properties = std::map<std::string, std::string>;

// "glibc { malloc { arena_max { type: SIZE_T ... } } }" by name.
std::map<std::string, Properties> ParseList(const std::string& text) {
  std::map<std::string, Properties> tunables;
  std::vector<std::string> path;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = line.substr(0, line.find('#'));
    line = absl::StripAsciiWhitespace(line);
    if (absl::ConsumeSuffix(&line, "{")) {
      path.emplace_back(absl::StripAsciiWhitespace(line));
      if (path.size() == 3) tunables[absl::StrJoin(path, ".")];
    } else if (line == "}") {
      path.pop_back();
    } else if (path.size() == 3 && !line.empty()) {
      const std::pair<std::string, std::string> property =
          absl::StrSplit(line, absl::MaxSplits(':', 1));
      tunables[absl::StrJoin(path, ".")]
              [std::string(absl::StripAsciiWhitespace(property.first))] =
                  std::string(absl::StripAsciiWhitespace(property.second));
    }
  }
  return tunables;
}

int64_t Number(const Properties& properties, const std::string& key,
               int64_t otherwise) {
  const auto property = properties.find(key);
  if (property == properties.end()) return otherwise;
  int64_t number = otherwise;
  if (absl::StartsWith(property->second, "0x")) {
    EXPECT_TRUE(absl::SimpleHexAtoi(property->second, &number));
  } else {
    EXPECT_TRUE(absl::SimpleAtoi(property->second, &number))
        << property->second;
  }
  return number;
}

TEST(TunableCatalogue, IsWhatTheListsOfEveryReleaseSay) {
  const std::optional<std::string> repository =
      Environment::OfThisProcess().Get("GLIBC_HISTORY");
  if (!repository.has_value()) {
    GTEST_SKIP() << "needs GLIBC_HISTORY, a git directory of glibc with its "
                    "tags (bazel test --test_env=GLIBC_HISTORY=DIR)";
  }
  for (const GlibcBuild& build : UpstreamBuilds()) {
    const std::string tag =
        build.branch_date().empty()
            ? absl::StrCat("glibc-2.", build.release())
            : absl::StrCat("release/2.", build.release(), "/master");
    const std::optional<std::string> tree =
        Git(*repository, {"ls-tree", "-r", "--name-only", tag});
    ASSERT_TRUE(tree.has_value()) << tag;
    std::vector<std::string> names;
    for (const absl::string_view path : absl::StrSplit(*tree, '\n')) {
      if (!absl::EndsWith(path, "dl-tunables.list")) continue;
      if (!absl::StartsWith(path, "elf/") &&
          !absl::StartsWith(path, "sysdeps/nptl/") &&
          !absl::StartsWith(path, "sysdeps/x86")) {
        continue;
      }
      const std::optional<std::string> list =
          Git(*repository, {"show", absl::StrCat(tag, ":", path)});
      ASSERT_TRUE(list.has_value());
      for (const auto& [name, properties] : ParseList(*list)) {
        SCOPED_TRACE(absl::StrCat(tag, " ", name));
        names.push_back(name);
        const CatalogueRow* const row = FindCatalogueRow(name, build);
        ASSERT_NE(row, nullptr);
        const auto type_entry = properties.find("type");
        const std::string type =
            type_entry == properties.end() ? "STRING" : type_entry->second;
        EXPECT_EQ(row->type, type == "STRING"   ? TunableType::kString
                             : type == "SIZE_T" ? TunableType::kSizeT
                             : type == "INT_32" ? TunableType::kInt32
                                                : TunableType::kUint64);
        if (type == "STRING") continue;
        const bool is_int = type == "INT_32";
        EXPECT_EQ(row->minimum,
                  Number(properties, "minval", is_int ? INT32_MIN : 0));
        EXPECT_EQ(row->maximum,
                  static_cast<uint64_t>(
                      Number(properties, "maxval", is_int ? INT32_MAX : -1)));
        if (!absl::EndsWith(name, "hwcap_mask")) {
          EXPECT_EQ(row->list_default.has_value(),
                    properties.count("default") > 0);
          EXPECT_EQ(row->list_default.value_or(0),
                    Number(properties, "default", 0));
        }
      }
    }
    EXPECT_EQ(names.size(), CatalogueNames(build).size()) << tag;
  }
}

}  // namespace
}  // namespace advisor
