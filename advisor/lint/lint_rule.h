// The rules of lint: one row of lint_rule_table.cc for each thing that can be
// wrong, with a string that triggers it and one that must not.

#ifndef ADVISOR_LINT_LINT_RULE_H_
#define ADVISOR_LINT_LINT_RULE_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/evidence/hazard.h"
#include "advisor/glibc/copy_path.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/lint/lint.h"

namespace advisor {

// What one GLIBC_TUNABLES does on the machine.
struct LintEffect {
  Prediction prediction;
  // As the kernels read them.
  EffectiveThresholds thresholds;
};

// The subject, and what follows from it.
struct LintFacts {
  const LintSubject& subject;
  const GlibcBuild& build;
  ParsedTunables parsed;
  // Words of the mask that is in force, without those from behind its end;
  // empty where there is none.
  std::vector<std::string> mask_words;

  // These three only with a machine.
  CpuModel cpu;
  LintEffect with;
  LintEffect without;
  std::vector<Hazard> hazards_with;
  std::vector<Hazard> hazards_without;

  const CpuidTable& cpuid() const { return subject.machine->cpuid; }
};

LintFacts MakeLintFacts(const LintSubject& subject);

// With another string on the same machine and build.
LintEffect EffectOf(const LintFacts& facts, absl::string_view string);
// The string without its item number `index`.
std::string WithoutItem(const LintFacts& facts, size_t index);
// "NAME=VALUE", or what stands there without '='.
std::string ItemText(const TunableAssignment& item);

// The threshold that a tunable decides; nullptr for those that are no numbers
// of the kernels.
std::optional<uint64_t> EffectiveThresholds::*ThresholdOf(Tunable tunable);
// Whether the kernels read just this number: sizes are rounded down to 256.
bool IsInForce(const LintEffect& effect, Tunable tunable, uint64_t number);

// Sizes, in bytes, whose path through memmove (memset) differs between two
// effects: every threshold and its neighbours were looked at. "" for none, else
// "8388609 to 103809023 bytes: rep movsb instead of vectors", one clause each.
std::string ChangedSizes(const LintFacts& facts, const LintEffect& before,
                         const LintEffect& after);
// As above, or another variant, or another path.
bool IsSameEffect(const LintFacts& facts, const LintEffect& a,
                  const LintEffect& b);

struct LintRule;

// Takes the findings of one rule.
class LintSink {
 public:
  LintSink(const LintRule& rule, std::vector<LintFinding>& findings)
      : rule_(rule), findings_(findings) {}
  void Add(std::string item, std::string title, std::string advice = "") const;
  void Add(Severity severity, std::string item, std::string title,
           std::string advice, absl::string_view reference) const;

 private:
  const LintRule& rule_;
  std::vector<LintFinding>& findings_;
};

// A string with a build, a CPU (a file of testdata/cpuid without ".txt"; empty:
// Emerald Rapids) and a program.
struct LintExample {
  absl::string_view string;
  absl::string_view build;
  absl::string_view cpuid = {};
  bool secure = false;
  bool is_static = false;
};

struct LintRule {
  absl::string_view id;
  Severity severity;
  // The check looks at the CPU's facts.
  bool needs_machine;
  void (*check)(const LintFacts& facts, const LintSink& sink);
  absl::string_view reference;
  LintExample example;
  LintExample neighbour;
};

// Sorted by id.
absl::Span<const LintRule> AllLintRules();

// The checks, by file.
// syntax_rules.cc
void CheckRejected(const LintFacts& facts, const LintSink& sink);
void CheckNoEquals(const LintFacts& facts, const LintSink& sink);
void CheckWouldBeRejected(const LintFacts& facts, const LintSink& sink);
void CheckComma(const LintFacts& facts, const LintSink& sink);
void CheckDuplicate(const LintFacts& facts, const LintSink& sink);
void CheckSecondLook(const LintFacts& facts, const LintSink& sink);
// name_rules.cc
void CheckNamespace(const LintFacts& facts, const LintSink& sink);
void CheckOtherRelease(const LintFacts& facts, const LintSink& sink);
void CheckOtherArchitecture(const LintFacts& facts, const LintSink& sink);
void CheckUnknownName(const LintFacts& facts, const LintSink& sink);
// value_rules.cc
void CheckSuffix(const LintFacts& facts, const LintSink& sink);
void CheckNotANumber(const LintFacts& facts, const LintSink& sink);
void CheckOddNumber(const LintFacts& facts, const LintSink& sink);
void CheckListBounds(const LintFacts& facts, const LintSink& sink);
void CheckNeverSettable(const LintFacts& facts, const LintSink& sink);
void CheckKeyword(const LintFacts& facts, const LintSink& sink);
void CheckSecondBound(const LintFacts& facts, const LintSink& sink);
void CheckListDefault(const LintFacts& facts, const LintSink& sink);
// effect_rules.cc
void CheckRefused(const LintFacts& facts, const LintSink& sink);
void CheckDefault(const LintFacts& facts, const LintSink& sink);
void CheckNoEffect(const LintFacts& facts, const LintSink& sink);
void CheckOpensRepMovsb(const LintFacts& facts, const LintSink& sink);
void CheckHazardCaused(const LintFacts& facts, const LintSink& sink);
void CheckHazardLeft(const LintFacts& facts, const LintSink& sink);
void CheckWorkAround(const LintFacts& facts, const LintSink& sink);
void CheckNeedless(const LintFacts& facts, const LintSink& sink);
void CheckKnownIssue(const LintFacts& facts, const LintSink& sink);
// mask_rules.cc
void CheckMaskWord(const LintFacts& facts, const LintSink& sink);
void CheckMaskSets(const LintFacts& facts, const LintSink& sink);
void CheckMaskOldWord(const LintFacts& facts, const LintSink& sink);
void CheckMaskNoChange(const LintFacts& facts, const LintSink& sink);
void CheckMaskIncoherent(const LintFacts& facts, const LintSink& sink);
void CheckMaskVariant(const LintFacts& facts, const LintSink& sink);
void CheckMaskOldVariant(const LintFacts& facts, const LintSink& sink);
void CheckMaskReadsOn(const LintFacts& facts, const LintSink& sink);
// program_rules.cc
void CheckSecure(const LintFacts& facts, const LintSink& sink);
void CheckEnableSecure(const LintFacts& facts, const LintSink& sink);
void CheckStatic(const LintFacts& facts, const LintSink& sink);
void CheckAlertPattern(const LintFacts& facts, const LintSink& sink);
void CheckUnpatched(const LintFacts& facts, const LintSink& sink);
void CheckKnownSetting(const LintFacts& facts, const LintSink& sink);

}  // namespace advisor

#endif  // ADVISOR_LINT_LINT_RULE_H_
