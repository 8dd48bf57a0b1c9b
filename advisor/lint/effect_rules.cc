// What the values do on the CPU, by the model of the build.

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/variant_selection.h"
#include "advisor/lint/lint_rule.h"

namespace advisor {
namespace {

// Calls for every number of the kernels that was taken into its record.
template <typename Function>
void ForEachTaken(const LintFacts& facts, const Function& function) {
  if (facts.with.prediction.hangs) return;
  for (size_t i = 0; i < facts.parsed.assignments.size(); ++i) {
    const TunableAssignment& item = facts.parsed.assignments[i];
    if (item.outcome == AssignmentOutcome::kSet && !item.second_look &&
        item.tunable.has_value() && ThresholdOf(*item.tunable) != nullptr &&
        // An earlier duplicate decides nothing.
        facts.parsed.Number(*item.tunable) == item.number) {
      function(item, i);
    }
  }
}

// From 2.33 on the bound is made before the mask takes effect.
uint64_t LowestRepMovsb(const LintFacts& facts) {
  const LintEffect& effect =
      facts.build.Has(Change::kCacheInfoInLoader) ? facts.without : facts.with;
  return 8u * VectorClass(effect.prediction.features);
}

std::string WhyRefused(const LintFacts& facts, const TunableAssignment& item) {
  const uint64_t number = item.number;
  const GlibcBuild& build = facts.build;
  if (number == 0) return "0 means unset";
  switch (*item.tunable) {
    case Tunable::kX86NonTemporalThreshold:
    case Tunable::kX86MemsetNonTemporalThreshold:
      if (number <= kMinimumNonTemporalThreshold) {
        return absl::StrCat("it must be above ", kMinimumNonTemporalThreshold,
                            " (0x4040), not only equal to it");
      }
      if (number > kMaximumNonTemporalThreshold) {
        return absl::StrCat("it must be at most ",
                            kMaximumNonTemporalThreshold);
      }
      break;
    case Tunable::kX86RepMovsbThreshold:
      if (static_cast<int64_t>(number) <=
          static_cast<int64_t>(LowestRepMovsb(facts))) {
        return absl::StrCat("it must be above ", LowestRepMovsb(facts),
                            ", 8 vectors of this CPU");
      }
      if (!build.Has(Change::kWideMovsb) && number > 0xffffffffu) {
        return "up to 2.40 it is cut to 32 bits";
      }
      break;
    case Tunable::kX86RepStosbThreshold:
      if (build.Has(Change::kAvoidStosb)) {
        return "on a CPU without ERMS memset's non-temporal threshold takes "
               "its place";
      }
      break;
    case Tunable::kX86DataCacheSize:
    case Tunable::kX86SharedCacheSize:
      return "sizes are rounded down to a multiple of 256, and 0 is no size";
    default:
      break;
  }
  return "start-up does not take it";
}

// Why a number that is in force changes no path.
std::string WhyNoEffect(const LintFacts& facts, const TunableAssignment& item) {
  const GlibcBuild& build = facts.build;
  const absl::string_view memmove = facts.with.prediction.memmove;
  const absl::string_view memset = facts.with.prediction.memset;
  const EffectiveThresholds& now = facts.with.thresholds;
  switch (*item.tunable) {
    case Tunable::kX86SharedCacheSize:
      if (build.Has(Change::kCacheInfoInLoader)) {
        return absl::StrCat(
            "x86_non_temporal_threshold is computed before it (from 2.33 on), "
            "and memmove ",
            memmove, " does not read it");
      }
      return "it does not move x86_non_temporal_threshold here";
    case Tunable::kX86DataCacheSize:
      return absl::StrCat("memmove ", memmove, " and memset ", memset,
                          " do not read it");
    case Tunable::kX86RepMovsbThreshold:
      if (!VariantIsErms(memmove)) {
        return absl::StrCat("the selected memmove, ", memmove,
                            ", has no rep movsb");
      }
      return absl::StrCat(
          "no size lies between it and the end of the rep movsb zone, ",
          std::min(now.rep_movsb_stop_threshold.value_or(~uint64_t{0}),
                   now.non_temporal_threshold.value_or(~uint64_t{0})));
    case Tunable::kX86RepStosbThreshold:
      if (!VariantIsErms(memset)) {
        return absl::StrCat("the selected memset, ", memset,
                            ", has no rep stosb");
      }
      return "no size changes its path";
    case Tunable::kX86MemsetNonTemporalThreshold:
      if (!VariantIsErms(memset)) {
        return absl::StrCat("the selected memset, ", memset,
                            ", has no non-temporal stores");
      }
      return absl::StrCat(
          "memset gets there through its rep stosb zone only, and that begins "
          "above ",
          now.rep_stosb_threshold.value_or(0),
          " bytes: set x86_rep_stosb_threshold, too");
    case Tunable::kX86NonTemporalThreshold:
      if (memmove == "avx512_no_vzeroupper" || memmove == "erms" ||
          absl::StartsWith(memmove, "ssse3")) {
        return absl::StrCat("the selected memmove, ", memmove,
                            ", does not read it");
      }
      return absl::StrCat("large copies end at rep_movsb_stop_threshold, ",
                          now.rep_movsb_stop_threshold.value_or(0),
                          ", which it does not move in this build");
    default:
      return "";
  }
}

// Whether a variant reads data_cache_size or shared_cache_size themselves.
// Source: the variants' sources, by release; memmove-ssse3 reads the shared
// size until Change::kSsse3NonTemporal.
bool ReadsCacheSizes(const LintFacts& facts, Tunable tunable) {
  const absl::string_view memmove = facts.with.prediction.memmove;
  const absl::string_view memset = facts.with.prediction.memset;
  if (absl::StartsWith(memmove, "avx512_no_vzeroupper") ||
      absl::StartsWith(memset, "avx512_no_vzeroupper")) {
    return true;
  }
  if (!absl::StartsWith(memmove, "ssse3")) return false;
  if (facts.build.Has(Change::kSsse3NonTemporal)) return false;
  return tunable == Tunable::kX86SharedCacheSize ||
         !facts.build.Has(Change::kNoSsse3Back);
}

bool IsSize(const TunableAssignment& item) {
  return item.tunable == Tunable::kX86DataCacheSize ||
         item.tunable == Tunable::kX86SharedCacheSize;
}

const Hazard* FindHazard(const std::vector<Hazard>& hazards,
                         absl::string_view id) {
  for (const Hazard& hazard : hazards) {
    if (hazard.id == id) return &hazard;
  }
  return nullptr;
}

}  // namespace

void CheckRefused(const LintFacts& facts, const LintSink& sink) {
  ForEachTaken(facts, [&](const TunableAssignment& item, size_t) {
    if (IsInForce(facts.with, *item.tunable, item.number)) return;
    const std::optional<uint64_t> value =
        facts.with.thresholds.*ThresholdOf(*item.tunable);
    sink.Add(
        ItemText(item),
        absl::StrCat("ignored without a word: ", WhyRefused(facts, item),
                     value.has_value() ? absl::StrCat("; in force is ", *value)
                                       : std::string()));
  });
}

void CheckDefault(const LintFacts& facts, const LintSink& sink) {
  ForEachTaken(facts, [&](const TunableAssignment& item, size_t index) {
    const auto member = ThresholdOf(*item.tunable);
    const LintEffect without = EffectOf(facts, WithoutItem(facts, index));
    if (!IsInForce(facts.with, *item.tunable, item.number) ||
        without.thresholds.*member != facts.with.thresholds.*member) {
      return;
    }
    sink.Add(
        ItemText(item),
        absl::StrCat("this is what ", facts.build.name(), " uses here anyway"),
        "Leave it out, unless it is to stay when the default changes.");
  });
}

void CheckNoEffect(const LintFacts& facts, const LintSink& sink) {
  ForEachTaken(facts, [&](const TunableAssignment& item, size_t index) {
    const auto member = ThresholdOf(*item.tunable);
    const LintEffect without = EffectOf(facts, WithoutItem(facts, index));
    if (!IsInForce(facts.with, *item.tunable, item.number) ||
        without.thresholds.*member == facts.with.thresholds.*member ||
        !IsSameEffect(facts, without, facts.with) ||
        (IsSize(item) && ReadsCacheSizes(facts, *item.tunable))) {
      return;
    }
    sink.Add(ItemText(item),
             absl::StrCat("it is listed as set, and has no effect on memcpy, "
                          "memmove or memset here: ",
                          WhyNoEffect(facts, item)));
  });
}

// AMD from 2.40 on (and 2.39's branch): rep movsb is off because its threshold
// is the non-temporal one.
void CheckOpensRepMovsb(const LintFacts& facts, const LintSink& sink) {
  if (facts.with.prediction.hangs ||
      facts.with.prediction.features.kind != CpuKind::kAmd ||
      !facts.build.Has(Change::kAmdMovsbIsNonTemporal)) {
    return;
  }
  const auto zone = [](const LintEffect& effect) {
    const EffectiveThresholds& now = effect.thresholds;
    return VariantIsErms(effect.prediction.memmove) &&
           now.rep_movsb_threshold.value_or(0) + 1 <
               now.rep_movsb_stop_threshold.value_or(0);
  };
  if (!zone(facts.with) || zone(facts.without)) return;
  const EffectiveThresholds& now = facts.with.thresholds;
  sink.Add("",
           absl::StrCat("it opens a rep movsb zone that this release keeps "
                        "closed on AMD, from ",
                        *now.rep_movsb_threshold + 1, " to ",
                        *now.rep_movsb_stop_threshold - 1,
                        " bytes: up to 20 times slower on Zen 3 for some "
                        "alignments"),
           facts.parsed.IsSet(Tunable::kX86RepMovsbThreshold)
               ? "Measure it first (advisor verify), or leave "
                 "x86_rep_movsb_threshold out."
               : absl::StrCat("Set x86_rep_movsb_threshold to the same value "
                              "as x86_non_temporal_threshold, too."));
}

void CheckHazardCaused(const LintFacts& facts, const LintSink& sink) {
  for (const Hazard& hazard : facts.hazards_with) {
    if (FindHazard(facts.hazards_without, hazard.id) != nullptr) continue;
    sink.Add(SeverityOf(hazard.consequence) == Severity::kCritical
                 ? Severity::kCritical
                 : Severity::kWarning,
             "", absl::StrCat("the string brings this about: ", hazard.title),
             "", hazard.reference);
  }
}

void CheckHazardLeft(const LintFacts& facts, const LintSink& sink) {
  for (const Hazard& hazard : facts.hazards_with) {
    if (FindHazard(facts.hazards_without, hazard.id) == nullptr) continue;
    // A string that is there should deal with what is critical.
    const bool matters = SeverityOf(hazard.consequence) == Severity::kCritical;
    sink.Add(
        matters ? Severity::kCritical : Severity::kInformation, "",
        absl::StrCat("the string does not change this: ", hazard.title),
        hazard.glibc_tunables.empty()
            ? std::string()
            : absl::StrCat("Set GLIBC_TUNABLES=", hazard.glibc_tunables, "."),
        hazard.reference);
  }
}

void CheckWorkAround(const LintFacts& facts, const LintSink& sink) {
  for (const Hazard& hazard : facts.hazards_without) {
    if (FindHazard(facts.hazards_with, hazard.id) != nullptr) continue;
    const std::string gone = GoneFrom(hazard);
    sink.Add("", absl::StrCat("it works around: ", hazard.title),
             gone.empty() ? absl::StrCat("No release up to 2.", kLastRelease,
                                         " makes it superfluous on this CPU.")
                          : absl::StrCat("That is ", gone,
                                         ": there it can be dropped."));
  }
}

// What an old work-around looks like once its reason has gone.
void CheckNeedless(const LintFacts& facts, const LintSink& sink) {
  if (facts.with.prediction.hangs || !facts.hazards_without.empty()) return;
  ForEachTaken(facts, [&](const TunableAssignment& item, size_t) {
    if (item.tunable != Tunable::kX86NonTemporalThreshold ||
        !IsInForce(facts.with, *item.tunable, item.number)) {
      return;
    }
    sink.Add(ItemText(item),
             absl::StrCat(
                 "nothing is known to be wrong here without it, when ",
                 facts.build.name(), " uses ",
                 facts.without.thresholds.non_temporal_threshold.value_or(0)),
             "If it is an old work-around, it can go; `advisor verify` tells "
             "whether it helps.");
  });
}

// What the string brings about matters; what is there without it is told.
void CheckKnownIssue(const LintFacts& facts, const LintSink& sink) {
  const auto issues = [&facts](const LintEffect& effect,
                               absl::string_view string) {
    return ApplicableKnownIssues({facts.cpuid(), facts.cpu, facts.build,
                                  effect.prediction, string,
                                  facts.subject.machine->cpus});
  };
  const std::vector<KnownIssue> without = issues(facts.without, "");
  const absl::Span<const LintRule> rules = AllLintRules();
  for (const KnownIssue& issue : issues(facts.with, facts.subject.string)) {
    // A rule of that name says it already.
    if (std::any_of(rules.begin(), rules.end(), [&](const LintRule& rule) {
          return rule.id == issue.id;
        })) {
      continue;
    }
    const bool is_there_anyway =
        std::any_of(without.begin(), without.end(),
                    [&](const KnownIssue& one) { return one.id == issue.id; });
    sink.Add(is_there_anyway ? Severity::kInformation : issue.severity, "",
             issue.title, issue.remedy, issue.reference);
  }
}

}  // namespace advisor
