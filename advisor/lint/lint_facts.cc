#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "advisor/lint/lint_rule.h"

namespace advisor {
namespace {

using E = EffectiveThresholds;

std::vector<Hazard> HazardsOf(const LintFacts& facts, const LintEffect& effect,
                              absl::string_view string) {
  return DescribeHazards({facts.cpuid(), facts.cpu, facts.build,
                          effect.prediction, string,
                          facts.subject.machine->cpus});
}

CopyPath PathIn(const LintFacts& facts, const LintEffect& effect,
                bool is_memset, uint64_t size) {
  const absl::string_view variant =
      is_memset ? effect.prediction.memset : effect.prediction.memmove;
  return PathOfVariant(facts.build, variant, is_memset, effect.thresholds,
                       size);
}

// Sizes at which a path may begin: between two of them nothing changes.
std::set<uint64_t> Edges(const LintEffect& before, const LintEffect& after) {
  std::set<uint64_t> edges = {1};
  const auto add = [&edges](uint64_t value) {
    for (const uint64_t edge : {value - 1, value, value + 1}) {
      if (edge > 0 && edge < (uint64_t{1} << 62)) edges.insert(edge);
    }
  };
  for (const LintEffect* effect : {&before, &after}) {
    const E& thresholds = effect->thresholds;
    for (const auto member :
         {&E::non_temporal_threshold, &E::memset_non_temporal_threshold,
          &E::rep_movsb_threshold, &E::rep_movsb_stop_threshold,
          &E::rep_stosb_threshold}) {
      if ((thresholds.*member).has_value()) add(*(thresholds.*member));
    }
  }
  for (const uint64_t vector : {16, 32, 64}) {
    add(2 * vector);
    add(8 * vector);
    add(128 * vector);  // The constants up to 2.31.
  }
  return edges;
}

absl::string_view PathName(CopyPath path, bool is_memset) {
  switch (path) {
    case CopyPath::kVectors:
      return "vectors";
    case CopyPath::kRepString:
      return is_memset ? "rep stosb" : "rep movsb";
    case CopyPath::kNonTemporal:
      return "non-temporal stores";
  }
  return "";
}

void AddChanges(const LintFacts& facts, const LintEffect& before,
                const LintEffect& after, bool is_memset,
                std::vector<std::string>& clauses) {
  const std::set<uint64_t> edges = Edges(before, after);
  std::optional<std::pair<CopyPath, CopyPath>> open;
  uint64_t first = 0;
  const auto close = [&](std::optional<uint64_t> last) {
    if (!open.has_value()) return;
    clauses.push_back(absl::StrCat(
        is_memset ? "memset" : "memcpy", " of ", first,
        last.has_value()
            ? (*last == first ? std::string() : absl::StrCat(" to ", *last))
            : std::string(" and more"),
        " bytes: ", PathName(open->second, is_memset), " instead of ",
        PathName(open->first, is_memset)));
    open.reset();
  };
  for (const uint64_t size : edges) {
    const CopyPath was = PathIn(facts, before, is_memset, size);
    const CopyPath is = PathIn(facts, after, is_memset, size);
    const std::pair<CopyPath, CopyPath> now = {was, is};
    if (open.has_value() && *open != now) close(size - 1);
    if (!open.has_value() && was != is) {
      open = now;
      first = size;
    }
  }
  close(std::nullopt);
}

}  // namespace

LintFacts MakeLintFacts(const LintSubject& subject) {
  LintFacts facts{subject,
                  subject.build,
                  ParseTunables(subject.string, subject.build),
                  {},
                  {},
                  {},
                  {},
                  {},
                  {}};
  if (facts.parsed.hwcaps.has_value()) {
    facts.mask_words = absl::StrSplit(*facts.parsed.hwcaps, ',');
  }
  if (!subject.machine.has_value()) return facts;
  facts.cpu = DecodeCpuModel(facts.cpuid());
  facts.with = EffectOf(facts, subject.string);
  facts.without = EffectOf(facts, "");
  facts.hazards_with = HazardsOf(facts, facts.with, subject.string);
  facts.hazards_without = HazardsOf(facts, facts.without, "");
  return facts;
}

LintEffect EffectOf(const LintFacts& facts, absl::string_view string) {
  LintEffect effect;
  effect.prediction =
      Predict(facts.cpuid(), facts.build, string, Reasoning::kOmitted);
  effect.thresholds = ThresholdsOf(effect.prediction);
  return effect;
}

std::string WithoutItem(const LintFacts& facts, size_t index) {
  std::vector<std::string> items;
  for (size_t i = 0; i < facts.parsed.assignments.size(); ++i) {
    const TunableAssignment& item = facts.parsed.assignments[i];
    if (i != index && !item.second_look) items.push_back(ItemText(item));
  }
  return absl::StrJoin(items, ":");
}

std::string ItemText(const TunableAssignment& item) {
  // An item without a value cannot be told from one whose value is empty, but
  // by its outcome.
  return item.outcome == AssignmentOutcome::kNoValue
             ? item.name
             : absl::StrCat(item.name, "=", item.value);
}

std::optional<uint64_t> EffectiveThresholds::*ThresholdOf(Tunable tunable) {
  switch (tunable) {
    case Tunable::kX86DataCacheSize:
      return &E::data_cache_size;
    case Tunable::kX86SharedCacheSize:
      return &E::shared_cache_size;
    case Tunable::kX86NonTemporalThreshold:
      return &E::non_temporal_threshold;
    case Tunable::kX86RepMovsbThreshold:
      return &E::rep_movsb_threshold;
    case Tunable::kX86RepStosbThreshold:
      return &E::rep_stosb_threshold;
    case Tunable::kX86MemsetNonTemporalThreshold:
      return &E::memset_non_temporal_threshold;
    default:
      return nullptr;
  }
}

bool IsInForce(const LintEffect& effect, Tunable tunable, uint64_t number) {
  const auto member = ThresholdOf(tunable);
  if (member == nullptr) return true;
  const bool is_size = tunable == Tunable::kX86DataCacheSize ||
                       tunable == Tunable::kX86SharedCacheSize;
  const uint64_t expected = is_size ? number & ~uint64_t{255} : number;
  return effect.thresholds.*member == expected;
}

std::string ChangedSizes(const LintFacts& facts, const LintEffect& before,
                         const LintEffect& after) {
  std::vector<std::string> clauses;
  AddChanges(facts, before, after, false, clauses);
  AddChanges(facts, before, after, true, clauses);
  return absl::StrJoin(clauses, "; ");
}

bool IsSameEffect(const LintFacts& facts, const LintEffect& a,
                  const LintEffect& b) {
  return a.prediction.hangs == b.prediction.hangs &&
         a.prediction.memmove == b.prediction.memmove &&
         a.prediction.memset == b.prediction.memset &&
         ChangedSizes(facts, a, b).empty();
}

void LintSink::Add(std::string item, std::string title,
                   std::string advice) const {
  Add(rule_.severity, std::move(item), std::move(title), std::move(advice),
      rule_.reference);
}

void LintSink::Add(Severity severity, std::string item, std::string title,
                   std::string advice, absl::string_view reference) const {
  findings_.push_back({std::string(rule_.id), severity, std::move(item),
                       std::move(title), std::move(advice),
                       std::string(reference)});
}

}  // namespace advisor
