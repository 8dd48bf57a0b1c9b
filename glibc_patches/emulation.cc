#include "glibc_patches/emulation.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "glibc_patches/check_plan.h"
#include "glibc_patches/check_result_json.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/loaded_trees.h"
#include "glibc_patches/speed_plan.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

struct NotEmulatedRow {
  absl::string_view id;
  absl::string_view reason;
};

// Found with QEMU 7.2: every other check of the AVX and AVX2 variants gives the
// answer of a real CPU. upper_halves follows the code; xgetbv(1) tells nothing
// there, which it notes.
constexpr NotEmulatedRow kNotEmulated[] = {
    {"accesses", "an emulator does not single-step"},
    {"transaction", "an emulator has no transactions"},
};

// Of one variant. A busy machine took 20 times as long as without QEMU.
constexpr absl::Duration kTimeLimit = absl::Minutes(20);
// Words after kEmulatedChecks: LOOK SEED IDS NAME=PATH VARIANT [BASE_PATH].
constexpr size_t kWords = 5;
constexpr size_t kWordsWithBase = 6;
constexpr char kRepresentative[] = "representative";
constexpr char kOther[] = "other";

std::vector<std::string> IdsToRun(const std::vector<std::string>& only) {
  std::vector<std::string> ids;
  for (const CheckRow& row : AllChecks()) {
    const bool wanted =
        only.empty() || std::count(only.begin(), only.end(), row.id) > 0;
    if (wanted && row.attempt != nullptr && !WhyNotEmulated(row.id)) {
      ids.push_back(std::string(row.id));
    }
  }
  return ids;
}

// In the order of AllChecks(), with those that are not made.
std::vector<CheckResult> WithSkipped(const EmulatedRun& run,
                                     std::vector<CheckResult> made) {
  std::vector<CheckResult> results;
  for (const CheckRow& row : AllChecks()) {
    const auto found = std::find_if(
        made.begin(), made.end(),
        [&](const CheckResult& result) { return result.id == row.id; });
    if (found != made.end()) {
      results.push_back(std::move(*found));
      continue;
    }
    const bool wanted =
        run.only.empty() ||
        std::count(run.only.begin(), run.only.end(), row.id) > 0;
    const auto reason = WhyNotEmulated(row.id);
    if (!wanted || !reason.has_value()) continue;
    CheckResult skipped;
    skipped.id = std::string(row.id);
    skipped.variant = absl::StrCat(run.tree_name, ": ", run.variant);
    skipped.reason = *reason;
    results.push_back(std::move(skipped));
  }
  return results;
}

}  // namespace

std::string Emulator::Describe() const {
  return absl::StrCat(program.substr(program.rfind('/') + 1), " -cpu ", model);
}

std::optional<Emulator> FindEmulator(const advisor::Environment& environment,
                                     const advisor::FileReader& files) {
  const std::string path = environment.Get("PATH").value_or("/usr/bin");
  for (const absl::string_view folder :
       absl::StrSplit(path, ':', absl::SkipEmpty())) {
    for (const char* name : {"qemu-x86_64", "qemu-x86_64-static"}) {
      const std::string program = absl::StrCat(folder, "/", name);
      if (files.Resolve(program).ok()) return Emulator{program, "max"};
    }
  }
  return std::nullopt;
}

std::optional<std::string> WhyNotEmulated(absl::string_view check_id) {
  for (const NotEmulatedRow& row : kNotEmulated) {
    if (row.id == check_id) return std::string(row.reason);
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<CheckResult>> RunEmulated(
    const Emulator& emulator, const EmulatedRun& run,
    const advisor::Environment& environment,
    const advisor::Subprocess& subprocess) {
  const std::vector<std::string> ids = IdsToRun(run.only);
  if (ids.empty()) return WithSkipped(run, {});
  advisor::Command command;
  command.argv = {emulator.program,
                  "-cpu",
                  emulator.model,
                  run.program,
                  kEmulatedChecks,
                  run.representative ? kRepresentative : kOther,
                  absl::StrCat(run.seed),
                  absl::StrJoin(ids, ","),
                  absl::StrCat(run.tree_name, "=", run.tree_path),
                  run.variant};
  if (!run.base_path.empty()) command.argv.push_back(run.base_path);
  command.environment = environment.ForChild();
  command.time_limit = kTimeLimit;
  const auto answer = subprocess.Run(command);
  if (!answer.ok()) return answer.status();
  if (!answer->succeeded()) {
    return absl::UnavailableError(absl::StrCat(emulator.Describe(), ": ",
                                               answer->Describe(), ": ",
                                               answer->FirstErrorLine()));
  }
  auto results = CheckResultsFromJson(answer->standard_output);
  if (!results.ok()) return results.status();
  return WithSkipped(run, *std::move(results));
}

int ServeEmulatedChecks(absl::Span<const std::string> words,
                        std::ostream& output) {
  constexpr int kUsage = 2;
  RunOptions options;
  const bool has_base = words.size() == kWordsWithBase;
  if ((words.size() != kWords && !has_base) ||
      !absl::SimpleAtoi(words[1], &options.seed)) {
    return kUsage;
  }
  const std::vector<std::string> ids = absl::StrSplit(words[2], ',');
  // Below that of the whole run.
  options.limits.time = kTimeLimit / 2;
  const std::pair<std::string, std::string> tree =
      absl::StrSplit(words[3], absl::MaxSplits('=', 1));
  if (!LoadTree(tree.second, tree.first).ok() ||
      (has_base && !LoadTree(words[5], kBaseTree).ok())) {
    return kUsage;
  }
  std::vector<PlannedCheck> plan;
  const kernels::Variant* const variant =
      kernels::FindVariant(tree.first, words[4]);
  if (variant != nullptr) {
    for (PlannedCheck check :
         FirstLook(*variant, words[0] == kRepresentative)) {
      if (std::count(ids.begin(), ids.end(), check.row->id) == 0) continue;
      if (has_base) check.base = kernels::FindVariant(kBaseTree, words[4]);
      plan.push_back(check);
    }
  }
  // One at a time: a forked copy of an emulator with threads may hang.
  output << CheckResultsToJson(RunPlan(plan, options)) << std::endl;
  return 0;
}

}  // namespace glibc_patches
