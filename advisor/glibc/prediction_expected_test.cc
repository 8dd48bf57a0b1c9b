// The model against what the releases' own code and a distribution's loader
// computed: every value of testdata/expected.

#include <cstdint>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/expected_vectors.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << path;
  return text.str();
}

// The lines without comments; the first is the header.
std::vector<std::string> CsvLines(const std::string& path) {
  std::vector<std::string> lines;
  const std::string text = Read(path);
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  }
  return lines;
}

const CpuidTable& Dump(const std::string& name) {
  static auto* const dumps = new std::map<std::string, CpuidTable>;
  auto [entry, added] = dumps->try_emplace(name);
  if (added) {
    const std::string path = absl::StrCat("testdata/cpuid/", name, ".txt");
    absl::StatusOr<CpuidDump> dump = ParseCpuidDump(Read(path), path);
    EXPECT_TRUE(dump.ok()) << dump.status();
    if (dump.ok()) entry->second = dump->cpus.front();
  }
  return entry->second;
}

// "2.36" and "2.36+branch" come from the same parser as a user's.
GlibcBuild Build(absl::string_view name) {
  absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(name);
  EXPECT_TRUE(build.ok()) << build.status();
  return build.ok() ? *build : GlibcBuild::Tag(kFirstRelease);
}

std::string Chain(const Prediction& prediction) {
  std::string text;
  for (const Step& step : prediction.steps) {
    absl::StrAppend(&text, "  ", step.name, ": ", step.value, "  (",
                    step.reason, ") ", step.source, "\n");
  }
  return text;
}

TEST(PredictionExpected, EveryReleaseAndBranchOnEveryDump) {
  const std::vector<std::string> lines =
      CsvLines("testdata/expected/all-releases.csv");
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines[0], PredictionCsvHeader());
  int equal = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], ',');
    const Prediction prediction = Predict(Dump(fields[0]), Build(fields[1]));
    const std::string line = FormatPredictionCsv(fields[0], prediction);
    EXPECT_EQ(line, lines[i]) << Chain(prediction);
    equal += line == lines[i];
  }
  RecordProperty("equal", equal);
  std::printf("%d of %d rows equal\n", equal,
              static_cast<int>(lines.size()) - 1);
  EXPECT_EQ(lines.size() - 1, 49u * 34u);
}

TEST(PredictionExpected, DebiansLoaderOnEveryDump) {
  const std::vector<std::string> lines =
      CsvLines("testdata/expected/debian-2.36-9+deb12u14.csv");
  const GlibcBuild build = Build("2.36-9+deb12u14");
  EXPECT_TRUE(build.certain());
  int equal = 0;
  for (size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> fields = absl::StrSplit(lines[i], ',');
    const Prediction prediction = Predict(Dump(fields[0]), build);
    const Thresholds& thresholds = prediction.thresholds;
    const std::string line = absl::StrCat(
        fields[0], ",", *thresholds.unrounded_data_cache_size, ",",
        *thresholds.unrounded_shared_cache_size, ",",
        thresholds.non_temporal_threshold, ",", *thresholds.rep_movsb_threshold,
        ",", *thresholds.rep_movsb_stop_threshold, ",",
        *thresholds.rep_stosb_threshold);
    EXPECT_EQ(line, lines[i]) << Chain(prediction);
    equal += line == lines[i];
  }
  std::printf("%d of %d rows equal\n", equal,
              static_cast<int>(lines.size()) - 1);
  EXPECT_EQ(lines.size() - 1, 49u);
}

nlohmann::json Listed(const Prediction& prediction, const GlibcBuild& build) {
  nlohmann::json listed = nlohmann::json::object();
  for (const TunableRow& row : AllTunables()) {
    const auto& record =
        prediction.thresholds.records[static_cast<int>(row.tunable)];
    if (!record.has_value() || !HasTunable(build, row.tunable)) continue;
    listed[std::string(row.name)] = {absl::StrFormat("0x%x", record->value),
                                     absl::StrFormat("0x%x", record->minimum),
                                     absl::StrFormat("0x%x", record->maximum)};
  }
  return listed;
}

// What the model says for one key of a vector's result; a discarded value for
// a key that it does not have.
nlohmann::json Answer(const std::string& key, const Prediction& prediction,
                      const GlibcBuild& build, const nlohmann::json& expected) {
  const Thresholds& thresholds = prediction.thresholds;
  const auto number = [](std::optional<uint64_t> value) -> nlohmann::json {
    if (!value.has_value()) return nullptr;
    return *value;
  };
  if (key == "hang") return prediction.hangs;
  if (key == "data_cache_size") return thresholds.data_cache_size;
  if (key == "data_cache_size_half") return thresholds.data_cache_size / 2;
  if (key == "shared_cache_size") return thresholds.shared_cache_size;
  if (key == "shared_cache_size_half") return thresholds.shared_cache_size / 2;
  if (key == "non_temporal_threshold") {
    return thresholds.non_temporal_threshold;
  }
  if (key == "rep_movsb_threshold") {
    return number(thresholds.rep_movsb_threshold);
  }
  if (key == "rep_movsb_stop_threshold") {
    return number(thresholds.rep_movsb_stop_threshold);
  }
  if (key == "rep_stosb_threshold") {
    return number(thresholds.rep_stosb_threshold);
  }
  if (key == "memset_non_temporal_threshold") {
    return number(thresholds.memset_non_temporal_threshold);
  }
  if (key == "string_control") return number(thresholds.string_control);
  if (key == "cf.data") return number(thresholds.unrounded_data_cache_size);
  if (key == "cf.shared") {
    return number(thresholds.unrounded_shared_cache_size);
  }
  if (key == "level1_dcache_size") return prediction.cache.level1_dcache_size;
  if (key == "level2_cache_size") return prediction.cache.level2_cache_size;
  if (key == "level3_cache_size") return prediction.cache.level3_cache_size;
  if (key == "divisor") return prediction.features.non_temporal_divisor;
  if (key == "memmove") return std::string(prediction.memmove);
  if (key == "memset") return std::string(prediction.memset);
  if (key == "kind") return CpuKindNumber(prediction.features.kind, build);
  if (key == "family") return prediction.features.family;
  if (key == "model") return prediction.features.model;
  if (key == "list_tunables") return Listed(prediction, build);
  if (key == "flags") {
    // The file leaves some flags out; of those that it names anywhere, these.
    nlohmann::json flags = nlohmann::json::array();
    for (const char* name :
         {"Fast_Rep_String", "Fast_Copy_Backward", "Fast_Unaligned_Load",
          "Fast_Unaligned_Copy", "AVX_Fast_Unaligned_Load",
          "Prefer_No_VZEROUPPER", "Prefer_No_AVX512",
          "Avoid_Short_Distance_REP_MOVSB", "Avoid_Non_Temporal_Memset",
          "Avoid_STOSB"}) {
      // Its printer for 2.39 does not know this flag, which only the branch
      // has (commit bde201e92c there); the threshold shows it.
      if (build.name() == "2.39+branch" &&
          name == std::string("Avoid_Non_Temporal_Memset")) {
        EXPECT_EQ(
            prediction.features.flags.Contains(Flag::kAvoidNonTemporalMemset),
            thresholds.memset_non_temporal_threshold == UINT64_MAX);
        continue;
      }
      if (prediction.features.flags.Contains(*FlagByName(name))) {
        flags.push_back(name);
      }
    }
    // In no particular order there.
    nlohmann::json ordered = nlohmann::json::array();
    for (const nlohmann::json& flag : expected) {
      for (const nlohmann::json& mine : flags) {
        if (mine == flag) ordered.push_back(flag);
      }
    }
    return ordered.size() == flags.size() ? ordered : flags;
  }
  return nlohmann::json(nlohmann::json::value_t::discarded);
}

TEST(PredictionExpected, EveryVector) {
  int predictions = 0;
  int equal = 0;
  int values = 0;
  std::map<std::string, int> seen;
  for (const auto& [name, input] : ExpectedVectors()["cases"].items()) {
    const CpuidTable table = ParseVector(input);
    for (const std::string kind : {"tag", "release_branch_tip_2026_01"}) {
      for (const nlohmann::json& group : input[kind]) {
        for (const std::string release : group["releases"]) {
          const GlibcBuild build =
              Build(release + (kind == "tag" ? "" : "+branch"));
          const Prediction prediction = Predict(table, build);
          bool all = true;
          for (const auto& [key, expected] : group["result"].items()) {
            const nlohmann::json answer =
                Answer(key, prediction, build, expected);
            ASSERT_FALSE(answer.is_discarded()) << key;
            EXPECT_EQ(answer, expected)
                << name << " " << build.name() << " " << key << "\n"
                << Chain(prediction);
            all = all && answer == expected;
            ++values;
          }
          for (const auto& [key, value] :
               std::map<std::string, std::optional<uint64_t>>{
                   {"rep_movsb_threshold",
                    prediction.thresholds.rep_movsb_threshold},
                   {"rep_movsb_stop_threshold",
                    prediction.thresholds.rep_movsb_stop_threshold},
                   {"memset_non_temporal_threshold",
                    prediction.thresholds.memset_non_temporal_threshold}}) {
            if (prediction.hangs) continue;
            EXPECT_EQ(value.has_value(), group["result"].contains(key))
                << name << " " << build.name() << " " << key;
          }
          ++predictions;
          equal += all;
          ++seen[build.name()];
        }
      }
    }
  }
  std::printf("%d of %d predictions equal, %d values\n", equal, predictions,
              values);
  EXPECT_EQ(seen.size(), 34u);
  EXPECT_EQ(predictions, 40 * 34);
}

}  // namespace
}  // namespace advisor
