#include "advisor/masks/mask.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/tunables.h"
#include "advisor/masks/coherence.h"
#include "advisor/masks/mask_words.h"

namespace advisor {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

// What may make a choice coherent that hiding alone does not: flags that
// start-up derived from a feature which is hidden later, and features that
// only selection asks for.
constexpr absl::string_view kHelpers[] = {
    "-Prefer_No_VZEROUPPER", "Fast_Unaligned_Copy", "-AVX_Fast_Unaligned_Load",
    "-Fast_Copy_Backward",   "Prefer_No_AVX512",
};
constexpr Feature kHelpingFeatures[] = {Feature::kAvx2};

struct Cpu {
  const MaskCpu* given;
  MaskedChoice before;
  // Before any mask.
  CpuFeatures features;
};

absl::StatusOr<std::vector<Cpu>> ReadCpus(const MaskQuestion& question) {
  const PurposeRow& purpose = *question.purpose;
  const GlibcBuild& build = question.build;
  std::vector<Cpu> cpus;
  if (question.cpus.size() < std::max<size_t>(1, purpose.least_cpus)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--for=", purpose.name, ": expected the dumps of at least ",
        purpose.least_cpus, " machines, found ", question.cpus.size()));
  }
  for (const MaskCpu& given : question.cpus) {
    if (Predict(given.cpuid, build, question.glibc_tunables,
                Reasoning::kOmitted)
            .hangs) {
      return absl::InvalidArgumentError(
          absl::StrCat(given.name, ": start-up of glibc ", build.name(),
                       " hangs on this CPU, with any mask"));
    }
    cpus.push_back(
        {&given,
         ChoiceUnder(given.cpuid, build, question.isa_level.value_or(1),
                     question.glibc_tunables),
         DetectCpuFeatures(given.cpuid, build, StepRecorder(nullptr))});
  }
  return cpus;
}

std::vector<CpuFeatures> FeaturesOf(const std::vector<Cpu>& cpus) {
  std::vector<CpuFeatures> features;
  for (const Cpu& cpu : cpus) features.push_back(cpu.features);
  return features;
}

class Composer {
 public:
  Composer(const MaskQuestion& question, std::vector<Cpu> cpus)
      : question_(question),
        purpose_(*question.purpose),
        build_(question.build),
        isa_level_(question.isa_level.value_or(1)),
        cpus_(std::move(cpus)),
        purpose_items_(purpose_, build_, FeaturesOf(cpus_)),
        existing_mask_(ParseTunables(question.glibc_tunables, build_)
                           .hwcaps.value_or("")) {}

  Mask Run() {
    ChooseItems();
    Fill();
    return std::move(mask_);
  }

 private:
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
    } else if (stosb_stays && purpose_items_.SomeHave(Feature::kErms)) {
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
      const Cpu& cpu = cpus_[i];
      score += Incoherence({cpu.features, false, cpu.before.memmove},
                           choices[i].memmove, hidden, build_) +
               Incoherence({cpu.features, true, cpu.before.memset},
                           choices[i].memset, hidden, build_);
    }
    return score;
  }

  std::vector<std::string> Helpers(
      const std::vector<std::string>& items) const {
    std::vector<std::string> helpers;
    const auto add = [&](absl::string_view item) {
      const bool decided = absl::c_any_of(items, [&](const std::string& other) {
        return absl::StripPrefix(other, "-") == absl::StripPrefix(item, "-");
      });
      if (!decided &&
          FindMaskName(absl::StripPrefix(item, "-"), build_) != nullptr) {
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
    const std::vector<std::string> items = purpose_items_.ItemsFor(hidden);
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
    const std::vector<Feature> hidden = purpose_items_.FeaturesToHide();
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
    if (auto xsave = purpose_items_.UnhiddenXsave()) {
      mask_.unhidden.push_back(*std::move(xsave));
    }
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
        if (absl::c_linear_search(
                ForbiddenNeeds(variant, is_memset, chosen_.hidden, build_),
                feature)) {
          return true;
        }
      }
    }
    return false;
  }

  void FillUnhidden() {
    for (const Feature feature : chosen_.hidden) {
      if (!purpose_items_.SomeHave(feature)) continue;
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

  void FillFailures() {
    for (const MaskedCpu& cpu : mask_.cpus) {
      for (const bool is_memset : {false, true}) {
        const std::string& variant =
            is_memset ? cpu.after.memset : cpu.after.memmove;
        for (const Feature feature :
             ForbiddenNeeds(variant, is_memset, chosen_.hidden, build_)) {
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
  const std::vector<Cpu> cpus_;
  const PurposeItems purpose_items_;
  const std::string existing_mask_;
  Choice chosen_;
  Mask mask_;
};

}  // namespace

absl::StatusOr<Mask> ComposeMask(const MaskQuestion& question) {
  absl::StatusOr<std::vector<Cpu>> cpus = ReadCpus(question);
  if (!cpus.ok()) return cpus.status();
  return Composer(question, *std::move(cpus)).Run();
}

}  // namespace advisor
