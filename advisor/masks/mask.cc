#include "advisor/masks/mask.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/glibc/variant_selection.h"
#include "advisor/masks/mask_words.h"

namespace advisor {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

// What is wrong with a choice; the sum over CPUs and functions is to be small.
constexpr int kForbidden = 10000;  // It uses what is to be hidden.
constexpr int kDiffers = 1000;     // Not the same on all CPUs, where it must.
constexpr int kSpecial = 100;      // A variant for another kind of CPU.
constexpr int kTooWide = 50;       // Wider vectors than by default.
constexpr int kEachLevel = 10;     // Narrower by a level.
constexpr int kAbortsTransactions = 5;
constexpr int kLosesErms = 5;

// What may make a choice coherent that hiding alone does not: flags that
// start-up derived from a feature which is hidden later, and features that
// only selection asks for.
constexpr absl::string_view kHelpers[] = {
    "-Prefer_No_VZEROUPPER", "Fast_Unaligned_Copy", "-AVX_Fast_Unaligned_Load",
    "-Fast_Copy_Backward",   "Prefer_No_AVX512",
};
constexpr Feature kHelpingFeatures[] = {Feature::kAvx2};

// Flags that vendors' code sets, the same for every CPU. The first only where
// AVX is hidden.
constexpr absl::string_view kPinnedFlags[] = {
    "-AVX_Fast_Unaligned_Load",
    "-Prefer_No_VZEROUPPER",
    "-Fast_Copy_Backward",
    "Fast_Unaligned_Copy",
    "Fast_Unaligned_Load",
    "-Slow_BSF",
    "-Slow_SSE4_2",
    "Avoid_Non_Temporal_Memset",
};

// What a libc of a level does not ask for any more (sysdeps/x86/isa-level.h).
struct IsaRow {
  Feature feature;
  int level;
};
constexpr IsaRow kIsaRows[] = {
    {Feature::kSsse3, 2},    {Feature::kSse4_1, 2},   {Feature::kSse4_2, 2},
    {Feature::kAvx, 3},      {Feature::kAvx2, 3},     {Feature::kBmi1, 3},
    {Feature::kBmi2, 3},     {Feature::kLzcnt, 3},    {Feature::kMovbe, 3},
    {Feature::kAvx512f, 4},  {Feature::kAvx512vl, 4}, {Feature::kAvx512bw, 4},
    {Feature::kAvx512dq, 4},
};

// The levels came with the selectors' new order in 2.36.
bool KnowsIsaLevels(const GlibcBuild& build) {
  return build.Has(Change::kSsse3BeforeSse2);
}

bool IsFixedByIsa(Feature feature, const GlibcBuild& build, int isa_level) {
  return KnowsIsaLevels(build) &&
         absl::c_any_of(kIsaRows, [&](const IsaRow& row) {
           return row.feature == feature && row.level <= isa_level;
         });
}

void ApplyIsaLevel(const GlibcBuild& build, int isa_level,
                   CpuFeatures& features) {
  if (!KnowsIsaLevels(build)) return;
  for (const IsaRow& row : kIsaRows) {
    if (row.level <= isa_level) features.usable.Set(row.feature);
  }
  if (isa_level >= 3) {
    features.flags.Set(Flag::kAvxFastUnalignedLoad);
    features.flags.Clear(Flag::kPreferNoVzeroupper);
  }
}

MaskedChoice VariantsOf(CpuFeatures features, const GlibcBuild& build,
                        int isa_level) {
  ApplyIsaLevel(build, isa_level, features);
  MaskedChoice choice;
  choice.memmove =
      std::string(SelectMemmove(build, features, StepRecorder(nullptr)));
  choice.memset =
      std::string(SelectMemset(build, features, StepRecorder(nullptr)));
  return choice;
}

std::string ShortName(absl::string_view item) {
  return std::string(absl::StripPrefix(item, "-"));
}

class Composer {
 public:
  explicit Composer(const MaskQuestion& question)
      : question_(question),
        purpose_(*question.purpose),
        build_(question.build),
        isa_level_(question.isa_level.value_or(1)) {}

  absl::StatusOr<Mask> Run() {
    if (absl::Status status = ReadCpus(); !status.ok()) return status;
    const ParsedTunables existing =
        ParseTunables(question_.glibc_tunables, build_);
    existing_mask_ = existing.hwcaps.value_or("");
    ChooseItems();
    Fill();
    return std::move(mask_);
  }

 private:
  struct Cpu {
    const MaskCpu* given;
    MaskedChoice before;
    // Before any mask.
    CpuFeatures features;
  };

  absl::Status ReadCpus() {
    if (question_.cpus.size() < std::max<size_t>(1, purpose_.least_cpus)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--for=", purpose_.name, ": expected the dumps of at least ",
          purpose_.least_cpus, " machines, found ", question_.cpus.size()));
    }
    for (const MaskCpu& given : question_.cpus) {
      if (Predict(given.cpuid, build_, question_.glibc_tunables,
                  Reasoning::kOmitted)
              .hangs) {
        return absl::InvalidArgumentError(
            absl::StrCat(given.name, ": start-up of glibc ", build_.name(),
                         " hangs on this CPU, with any mask"));
      }
      cpus_.push_back(
          {&given,
           ChoiceUnder(given.cpuid, build_, isa_level_,
                       question_.glibc_tunables),
           DetectCpuFeatures(given.cpuid, build_, StepRecorder(nullptr))});
    }
    return absl::OkStatus();
  }

  // Other CPUs may lack anything.
  bool ForAnyCpu() const {
    return purpose_.hides_what_differs && cpus_.size() == 1;
  }

  bool SomeHave(Feature feature) const {
    return absl::c_any_of(cpus_, [feature](const Cpu& cpu) {
      return cpu.features.Active(feature);
    });
  }
  bool AllHave(Feature feature) const {
    return absl::c_all_of(cpus_, [feature](const Cpu& cpu) {
      return cpu.features.Active(feature);
    });
  }

  // Hidden for the purpose, without what is tried to make CPUs alike.
  std::vector<Feature> FeaturesToHide() const {
    std::vector<Feature> features;
    for (const Feature feature : AboveBaseline()) {
      const bool differs = SomeHave(feature) && !AllHave(feature);
      if (absl::c_linear_search(purpose_.hides, feature) || ForAnyCpu() ||
          (purpose_.hides_what_differs && differs)) {
        features.push_back(feature);
      }
    }
    return features;
  }

  // A mask that is to be the same everywhere names what is not here, too.
  bool IsWorthNaming(Feature feature) const {
    return SomeHave(feature) || (purpose_.pins && ForAnyCpu());
  }

  std::vector<std::string> ItemsFor(const std::vector<Feature>& hidden) const {
    std::vector<std::string> items;
    for (const Feature feature : hidden) {
      std::string item = HidingItem(feature, build_);
      if (!item.empty() && IsWorthNaming(feature)) {
        items.push_back(std::move(item));
      }
    }
    for (const std::string& item : XsaveItems()) items.push_back(item);
    if (!purpose_.pins) return items;
    auto flags = absl::MakeConstSpan(kPinnedFlags);
    if (!absl::c_linear_search(hidden, Feature::kAvx)) flags.remove_prefix(1);
    for (const absl::string_view flag : flags) {
      if (FindMaskName(ShortName(flag), build_) != nullptr) {
        items.emplace_back(flag);
      }
    }
    return items;
  }

  bool XsaveDiffers() const {
    return purpose_.hides_what_differs && IsWorthNaming(Feature::kXsave) &&
           (!AllHave(Feature::kXsave) || ForAnyCpu());
  }
  bool OnlyXsavecDiffers() const {
    return purpose_.hides_what_differs && !XsaveDiffers() &&
           SomeHave(Feature::kXsavec) && !AllHave(Feature::kXsavec);
  }
  bool CrashesWithoutXsavec() const {
    return build_.Has(Change::kTlsdescStateSize) &&
           !build_.Has(Change::kTlsdescOwnStateSize);
  }

  // What the loader saves registers with, in lazy binding.
  std::vector<std::string> XsaveItems() const {
    if (XsaveDiffers()) {
      if (HidingItem(Feature::kXsave, build_).empty()) return {};
      return {"-XSAVE", "-XSAVEC"};
    }
    if (!OnlyXsavecDiffers() || CrashesWithoutXsavec()) return {};
    for (const absl::string_view word : {"XSAVEC", "XSAVEC_Usable"}) {
      if (FindMaskName(word, build_) != nullptr) {
        return {absl::StrCat("-", word)};
      }
    }
    return {};
  }

  // With thresholds and the mask.
  std::vector<TunableValue> SettingsFor(
      const std::vector<std::string>& items) const {
    std::vector<TunableValue> settings;
    const auto add = [&](Tunable tunable, uint64_t value) {
      if (HasTunable(build_, tunable)) {
        settings.emplace_back(TunableName(build_, tunable),
                              absl::StrCat(value));
      }
    };
    // From 2.41 on memset takes its erms form without ERMS; its threshold was
    // computed before the mask is read.
    const bool stosb_stays = build_.Has(Change::kAvoidStosb) &&
                             absl::c_linear_search(items, "-ERMS");
    if (purpose_.pins) {
      // What glibc has built in for the sizes, and 3/4 of it.
      add(Tunable::kX86DataCacheSize, 32 * 1024);
      add(Tunable::kX86SharedCacheSize, 1024 * 1024);
      add(Tunable::kX86NonTemporalThreshold, 768 * 1024);
      add(Tunable::kX86MemsetNonTemporalThreshold, 768 * 1024);
      add(Tunable::kX86RepMovsbThreshold, 2048);
      add(Tunable::kX86RepStosbThreshold, stosb_stays ? kNever : 2048);
    } else if (stosb_stays && SomeHave(Feature::kErms)) {
      add(Tunable::kX86RepStosbThreshold, kNever);
    }
    // Last, for what follows a mask is read as part of it up to 2.37.
    if (!items.empty()) {
      settings.emplace_back(TunableName(build_, Tunable::kHwcaps),
                            JoinMasks(existing_mask_, items));
    }
    return settings;
  }

  std::string StringFor(const std::vector<std::string>& items) const {
    return MergeTunables(question_.glibc_tunables, SettingsFor(items));
  }

  // What the selected variant needs of what is to be hidden. From 2.41 on the
  // erms form of memset says nothing: without ERMS, too, it is selected for its
  // non-temporal stores, and its threshold keeps it from `rep stosb`.
  std::vector<Feature> Forbidden(absl::string_view variant, bool is_memset,
                                 const std::vector<Feature>& hidden) const {
    std::vector<Feature> found;
    for (const Feature need : TraitsOfVariant(variant, is_memset).needs) {
      const bool never_used = need == Feature::kErms && is_memset &&
                              build_.Has(Change::kAvoidStosb);
      if (absl::c_linear_search(hidden, need) && !never_used) {
        found.push_back(need);
      }
    }
    return found;
  }

  int Penalty(const Cpu& cpu, bool is_memset, const MaskedChoice& after,
              const std::vector<Feature>& hidden) const {
    const std::string& old_variant =
        is_memset ? cpu.before.memset : cpu.before.memmove;
    const std::string& variant = is_memset ? after.memset : after.memmove;
    const VariantTraits old_traits = TraitsOfVariant(old_variant, is_memset);
    const VariantTraits traits = TraitsOfVariant(variant, is_memset);
    int penalty = 0;
    if (!Forbidden(variant, is_memset, hidden).empty()) {
      penalty += kForbidden;
    }
    if (traits.is_special && variant != old_variant) penalty += kSpecial;
    if (traits.level > old_traits.level) {
      penalty += kTooWide;
    } else {
      penalty += kEachLevel * (old_traits.level - traits.level);
    }
    const auto is_left = [&](Feature feature) {
      return cpu.features.Active(feature) &&
             !absl::c_linear_search(hidden, feature);
    };
    // vzeroupper ends a transaction; evex_* and sse2_* do without it.
    if (traits.level == 1 && !traits.is_rtm && is_left(Feature::kRtm) &&
        build_.Has(Change::kRtmVariants)) {
      penalty += kAbortsTransactions;
    }
    if (old_traits.is_erms && !traits.is_erms && is_left(Feature::kErms)) {
      penalty += kLosesErms;
    }
    return penalty;
  }

  // The variants alone, without another look at thresholds.
  std::vector<MaskedChoice> VariantsFor(
      const std::vector<std::string>& items) const {
    const std::string value = JoinMasks(existing_mask_, items);
    std::vector<MaskedChoice> choices;
    for (const Cpu& cpu : cpus_) {
      CpuFeatures features = cpu.features;
      ApplyHwcapsMask(value, "", build_, features);
      ClearXsaveDependents(build_, features);
      choices.push_back(VariantsOf(features, build_, isa_level_));
    }
    return choices;
  }

  std::vector<MaskedChoice> ChoicesFor(
      const std::vector<std::string>& items) const {
    std::vector<MaskedChoice> choices;
    const std::string value = StringFor(items);
    for (const Cpu& cpu : cpus_) {
      choices.push_back(
          ChoiceUnder(cpu.given->cpuid, build_, isa_level_, value));
    }
    return choices;
  }

  static bool AllAlike(const std::vector<MaskedChoice>& choices) {
    return absl::c_all_of(choices, [&](const MaskedChoice& choice) {
      return choice.SameVariants(choices[0]);
    });
  }

  int Score(const std::vector<std::string>& items,
            const std::vector<Feature>& hidden) const {
    const std::vector<MaskedChoice> choices = VariantsFor(items);
    int score = purpose_.pins && !AllAlike(choices) ? kDiffers : 0;
    for (size_t i = 0; i < cpus_.size(); ++i) {
      score += Penalty(cpus_[i], false, choices[i], hidden) +
               Penalty(cpus_[i], true, choices[i], hidden);
    }
    return score;
  }

  std::vector<std::string> Helpers(
      const std::vector<std::string>& items) const {
    std::vector<std::string> helpers;
    const auto add = [&](absl::string_view item) {
      const bool decided = absl::c_any_of(items, [&](const std::string& other) {
        return ShortName(other) == ShortName(item);
      });
      if (!decided && FindMaskName(ShortName(item), build_) != nullptr) {
        helpers.emplace_back(item);
      }
    };
    for (const absl::string_view item : kHelpers) add(item);
    for (const Feature feature : kHelpingFeatures) {
      add(HidingItem(feature, build_));
    }
    return helpers;
  }

  struct Choice {
    int score;
    std::vector<std::string> items;
    std::vector<Feature> hidden;
  };

  // The fewest helpers that make the choices as good as any do.
  Choice BestFor(std::vector<Feature> hidden) const {
    const std::vector<std::string> items = ItemsFor(hidden);
    const std::vector<std::string> helpers = Helpers(items);
    Choice best = {Score(items, hidden), items, hidden};
    for (uint32_t subset = 1; subset < 1u << helpers.size(); ++subset) {
      std::vector<std::string> more = items;
      for (size_t i = 0; i < helpers.size(); ++i) {
        if ((subset >> i) & 1) more.push_back(helpers[i]);
      }
      const int score = Score(more, hidden);
      if (score < best.score ||
          (score == best.score && more.size() < best.items.size())) {
        best = {score, std::move(more), hidden};
      }
    }
    return best;
  }

  // To pin several CPUs, no more is hidden than it takes to make them alike.
  void ChooseItems() {
    const std::vector<Feature> hidden = FeaturesToHide();
    chosen_ = BestFor(hidden);
    for (const absl::Span<const Feature> more :
         {Avx512Features(), AvxFeatures(), AboveBaseline()}) {
      if (!purpose_.pins || chosen_.score < kDiffers) return;
      std::vector<Feature> wider = hidden;
      for (const Feature feature : more) {
        if (!absl::c_linear_search(wider, feature)) wider.push_back(feature);
      }
      Choice choice = BestFor(std::move(wider));
      if (choice.score < chosen_.score) chosen_ = std::move(choice);
    }
  }

  void Fill() {
    mask_.items = absl::StrJoin(chosen_.items, ",");
    mask_.settings = SettingsFor(chosen_.items);
    if (!chosen_.items.empty()) mask_.value = mask_.settings.back().second;
    mask_.glibc_tunables = StringFor(chosen_.items);
    const std::vector<MaskedChoice> choices = ChoicesFor(chosen_.items);
    for (size_t i = 0; i < cpus_.size(); ++i) {
      mask_.cpus.push_back({cpus_[i].given->name, cpus_[i].before, choices[i]});
    }
    FillUnhidden();
    FillXsave();
    FillFailures();
    FillLimits();
    if (purpose_.pins) {
      mask_.unpinned.assign(AllUnpinned().begin(), AllUnpinned().end());
    }
  }

  bool IsUsed(Feature feature) const {
    for (const MaskedCpu& cpu : mask_.cpus) {
      for (const bool is_memset : {false, true}) {
        const std::string& variant =
            is_memset ? cpu.after.memset : cpu.after.memmove;
        if (absl::c_linear_search(Forbidden(variant, is_memset, chosen_.hidden),
                                  feature)) {
          return true;
        }
      }
    }
    return false;
  }

  void FillUnhidden() {
    for (const Feature feature : chosen_.hidden) {
      if (!SomeHave(feature)) continue;
      const bool no_word = HidingItem(feature, build_).empty();
      const bool fixed = IsFixedByIsa(feature, build_, isa_level_);
      if (!no_word && !fixed && !IsUsed(feature)) continue;
      mask_.unhidden.push_back(
          {std::string(FeatureName(feature)),
           fixed ? absl::StrCat("libc is compiled for x86-64-v", isa_level_,
                                " and does not ask for it")
           : no_word
               ? absl::StrCat("glibc ", build_.name(), " has no word for it")
               : "a selected variant uses it all the same",
           IsUsed(feature)});
    }
  }

  void FillXsave() {
    if (XsaveDiffers() && XsaveItems().empty()) {
      mask_.unhidden.push_back(
          {"XSAVE",
           "only 2.34 and later can go without it; before, the loader uses it "
           "in lazy binding (LD_BIND_NOW=1 avoids that)",
           false});
    } else if (OnlyXsavecDiffers() && XsaveItems().empty()) {
      mask_.unhidden.push_back(
          {"XSAVEC",
           CrashesWithoutXsavec()
               ? "with -XSAVEC programs crash in this build (glibc bug 32810)"
               : absl::StrCat("glibc ", build_.name(), " has no word for it"),
           true});
    }
  }

  void FillFailures() {
    for (const MaskedCpu& cpu : mask_.cpus) {
      for (const bool is_memset : {false, true}) {
        const std::string& variant =
            is_memset ? cpu.after.memset : cpu.after.memmove;
        for (const Feature feature :
             Forbidden(variant, is_memset, chosen_.hidden)) {
          mask_.failures.push_back(absl::StrCat(
              cpu.name, ": ", is_memset ? "memset" : "memmove", " stays with ",
              variant, ", which uses ", FeatureName(feature), "."));
        }
      }
    }
    for (const UnhiddenFeature& feature : mask_.unhidden) {
      if (feature.name == "XSAVEC") {
        mask_.failures.push_back(
            absl::StrCat("Not all CPUs have XSAVEC: ", feature.why, "."));
      }
    }
    if (!purpose_.pins) return;
    for (const MaskedCpu& cpu : mask_.cpus) {
      if (!cpu.after.SameVariants(mask_.cpus[0].after)) {
        mask_.failures.push_back(absl::StrCat(
            cpu.name, ": other variants than on ", mask_.cpus[0].name, "."));
      }
    }
  }

  void FillLimits() {
    std::vector<std::string>& limits = mask_.limits;
    const auto add_all = [&limits](absl::Span<const absl::string_view> more) {
      for (const absl::string_view limit : more) limits.emplace_back(limit);
    };
    if (mask_.settings.empty()) return;
    const auto hides = [this](Feature feature) {
      return absl::c_linear_search(chosen_.items, HidingItem(feature, build_));
    };
    if (hides(Feature::kFma) || hides(Feature::kAvx2) ||
        hides(Feature::kFma4)) {
      limits.push_back(
          "libm chooses by FMA and AVX2, too: last bits of results (sin, exp, "
          "...) may change.");
    }
    if (!question_.isa_level.has_value() && KnowsIsaLevels(build_)) {
      limits.push_back(
          "A libc that was compiled for x86-64-v3 (RHEL 10's) does not ask for "
          "what that level has: there the mask does less.");
    }
    if (!build_.Has(Change::kMaskEndsAtNul)) {
      limits.push_back(
          "The parser of this build reads past the mask's end (glibc bug "
          "30183): keep hwcaps last in the string, and words of masks out of "
          "the variables that follow in the environment.");
    }
    add_all(purpose_.limits);
    add_all(LimitsOfMasks());
  }

  const MaskQuestion& question_;
  const PurposeRow& purpose_;
  const GlibcBuild& build_;
  const int isa_level_;
  std::vector<Cpu> cpus_;
  std::string existing_mask_;
  Choice chosen_;
  Mask mask_;
};

}  // namespace

MaskedChoice ChoiceUnder(const CpuidSource& cpu, const GlibcBuild& build,
                         int isa_level, absl::string_view glibc_tunables) {
  const Prediction prediction =
      Predict(cpu, build, glibc_tunables, Reasoning::kOmitted);
  MaskedChoice choice = VariantsOf(prediction.features, build, isa_level);
  choice.thresholds = prediction.thresholds;
  return choice;
}

absl::StatusOr<Mask> ComposeMask(const MaskQuestion& question) {
  return Composer(question).Run();
}

}  // namespace advisor
