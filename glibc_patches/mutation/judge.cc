#include "glibc_patches/mutation/judge.h"

#include <algorithm>
#include <iostream>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/host/file_reader.h"
#include "glibc_patches/check_plan.h"
#include "glibc_patches/checks/runner.h"
#include "glibc_patches/loaded_trees.h"
#include "glibc_patches/mutation/paths.h"
#include "glibc_patches/speed_plan.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

constexpr int kWords = 9;

std::map<std::string, size_t> SizesOf(const std::string& path) {
  std::map<std::string, size_t> sizes;
  const auto text = advisor::RealFileReader().Read(path);
  if (path.empty() || !text.ok()) return sizes;
  for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    size_t size;
    if (words.size() == 2 && absl::SimpleAtoi(words[1], &size)) {
      sizes[words[0]] = size;
    }
  }
  return sizes;
}

std::string Key(const CheckResult& result) {
  return absl::StrCat(result.id, " ",
                      result.variant.substr(result.variant.find("__")));
}

std::vector<const kernels::Variant*> VariantsOf(const JudgeRequest& request,
                                                Judgement& judgement) {
  const advisor::CpuidTable cpu = advisor::ReadNativeCpuid();
  std::vector<const kernels::Variant*> variants;
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (variant.source != request.source ||
        variant.tree->name() != kPatchedTree) {
      continue;
    }
    const auto missing = kernels::MissingFeature(variant, cpu);
    if (missing.has_value() && missing != "RTM") {
      ++judgement.not_runnable;
    } else {
      variants.push_back(&variant);
    }
  }
  return variants;
}

// As validate_patch plans them: a first look at all variants, the
// representatives before others, and a second one at these.
std::vector<PlannedCheck> PlanOf(const JudgeRequest& request,
                                 Judgement& judgement) {
  const std::vector<const kernels::Variant*> variants =
      VariantsOf(request, judgement);
  const std::vector<const kernels::Variant*> first = Representatives(variants);
  std::vector<PlannedCheck> plan;
  const auto add = [&](const std::vector<PlannedCheck>& more) {
    plan.insert(plan.end(), more.begin(), more.end());
  };
  for (const kernels::Variant* variant : first) add(FirstLook(*variant, true));
  for (const kernels::Variant* variant : variants) {
    if (std::count(first.begin(), first.end(), variant) == 0) {
      add(FirstLook(*variant, false));
    }
  }
  if (request.effort != Effort::kQuick) {
    for (const kernels::Variant* variant : first) add(SecondLook(*variant));
  }
  if (!request.only_check.empty()) {
    plan.erase(std::remove_if(plan.begin(), plan.end(),
                              [&](const PlannedCheck& planned) {
                                return planned.row->id != request.only_check ||
                                       planned.variant->name !=
                                           request.only_variant;
                              }),
               plan.end());
  }
  return plan;
}

void CompareWithBase(const std::vector<const kernels::Variant*>& variants,
                     Judgement& judgement) {
  // Of others, which share most of its code, fewer calls.
  constexpr int kOfOthers = 4;
  const std::vector<const kernels::Variant*> first = Representatives(variants);
  std::vector<const kernels::Variant*> ordered = first;
  for (const kernels::Variant* variant : variants) {
    if (std::count(first.begin(), first.end(), variant) == 0) {
      ordered.push_back(variant);
    }
  }
  for (const kernels::Variant* variant : ordered) {
    if (judgement.differ > 0) return;
    const bool is_first = std::count(first.begin(), first.end(), variant) > 0;
    for (const kernels::Variant& base : kernels::AllVariants()) {
      if (base.tree->name() != kBaseTree || base.name != variant->name) {
        continue;
      }
      const PathComparison paths =
          ComparePaths(base, *variant, is_first ? 1 : kOfOthers);
      judgement.compared += paths.calls;
      judgement.differ += paths.differ;
      judgement.reached += paths.reached;
      judgement.wrong += paths.wrong;
    }
  }
}

Judgement Judge(const JudgeRequest& request) {
  Judgement judgement;
  if (!request.base_tree.empty()) {
    CompareWithBase(VariantsOf(request, judgement), judgement);
    return judgement;
  }
  const std::vector<PlannedCheck> plan = PlanOf(request, judgement);
  RunOptions options;
  options.seed = request.seed;
  // What kills is wanted, not the smallest call.
  options.limits.shrinking = absl::ZeroDuration();
  const auto counts = [&](const CheckResult& result) {
    return result.status == CheckStatus::kFailed &&
           std::count(request.excused.begin(), request.excused.end(),
                      Key(result)) == 0;
  };
  options.stop = counts;
  size_t i = 0;
  for (const CheckResult& result : RunPlan(plan, options)) {
    const bool second_look = plan[i++].effort != Effort::kQuick;
    if (result.status == CheckStatus::kPassed) ++judgement.passed;
    if (!counts(result)) continue;
    judgement.killed = true;
    judgement.in_second_look = second_look;
    judgement.check = result.id;
    judgement.variant = result.variant.substr(result.variant.find("__"));
    judgement.what = result.findings.front().what;
    if (const auto& call = result.findings.front().call) {
      absl::StrAppend(&judgement.what, "; ", call->Describe());
    }
    break;
  }
  return judgement;
}

}  // namespace

std::vector<std::string> WordsOf(const JudgeRequest& request) {
  return {kJudge,
          request.tree,
          request.sizes,
          request.source,
          std::to_string(static_cast<int>(request.effort)),
          std::to_string(request.seed),
          absl::StrJoin(request.excused, ","),
          request.only_check,
          request.only_variant,
          request.base_tree};
}

int ServeJudge(absl::Span<const std::string> words) {
  JudgeRequest request;
  int effort = 0;
  if (words.size() != kWords || !absl::SimpleAtoi(words[3], &effort) ||
      !absl::SimpleAtoi(words[4], &request.seed)) {
    std::cerr << "expected the words of a request to judge\n";
    return 4;
  }
  request.tree = words[0];
  request.sizes = words[1];
  request.source = words[2];
  request.effort = static_cast<Effort>(effort);
  request.excused = absl::StrSplit(words[5], ',', absl::SkipEmpty());
  request.only_check = words[6];
  request.only_variant = words[7];
  request.base_tree = words[8];
  absl::Status status =
      LoadTree(request.tree, kPatchedTree, SizesOf(request.sizes));
  if (status.ok() && !request.base_tree.empty()) {
    status = LoadTree(request.base_tree, kBaseTree);
  }
  if (!status.ok()) {
    std::cerr << status.message() << "\n";
    return 4;
  }
  const Judgement judgement = Judge(request);
  const auto field = [](const std::string& text) {
    return absl::StrReplaceAll(text, {{"\t", " "}, {"\n", " "}});
  };
  std::cout << (judgement.killed ? "killed" : "survived") << "\t"
            << judgement.check << "\t" << judgement.variant << "\t"
            << field(judgement.what) << "\t" << judgement.passed << "\t"
            << judgement.not_runnable << "\t" << judgement.in_second_look
            << "\t" << judgement.compared << "\t" << judgement.differ << "\t"
            << judgement.reached << "\t" << judgement.wrong << "\n";
  return 0;
}

absl::StatusOr<Judgement> ParseJudgement(absl::string_view text) {
  const std::vector<std::string> words =
      absl::StrSplit(text.substr(0, text.find('\n')), '\t');
  Judgement judgement;
  if (words.size() != 11 || (words[0] != "killed" && words[0] != "survived") ||
      !absl::SimpleAtoi(words[4], &judgement.passed) ||
      !absl::SimpleAtoi(words[5], &judgement.not_runnable) ||
      !absl::SimpleAtoi(words[7], &judgement.compared) ||
      !absl::SimpleAtoi(words[8], &judgement.differ) ||
      !absl::SimpleAtoi(words[9], &judgement.reached) ||
      !absl::SimpleAtoi(words[10], &judgement.wrong)) {
    return absl::InternalError(
        absl::StrCat("expected a judgement, found '", text, "'"));
  }
  judgement.in_second_look = words[6] == "1";
  judgement.killed = words[0] == "killed";
  judgement.check = words[1];
  judgement.variant = words[2];
  judgement.what = words[3];
  return judgement;
}

}  // namespace glibc_patches
