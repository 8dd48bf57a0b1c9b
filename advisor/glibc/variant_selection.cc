#include "advisor/glibc/variant_selection.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {
namespace {

// Answers a resolver's questions and remembers them for the step.
class Questions {
 public:
  Questions(const GlibcBuild& build, const CpuFeatures& features,
            const StepRecorder& steps)
      : build_(build), features_(features), steps_(steps) {}

  bool Is(Feature feature) {
    return Remember(FeatureName(feature), features_.Active(feature));
  }
  bool Is(Flag flag) {
    return Remember(FlagName(flag), features_.flags.Contains(flag));
  }
  bool Has(Change change) const { return build_.Has(change); }

  // Records the choice; the last question decided it.
  absl::string_view Choose(absl::string_view function,
                           absl::string_view variant) {
    steps_.Add([&] {
      return Step{std::string(function), std::string(variant),
                  absl::StrCat("asked in order: ", asked_), ""};
    });
    return variant;
  }

 private:
  bool Remember(absl::string_view name, bool answer) {
    if (steps_.enabled()) {
      absl::StrAppend(&asked_, asked_.empty() ? "" : ", ", name, "=",
                      answer ? 1 : 0);
    }
    return answer;
  }

  const GlibcBuild& build_;
  const CpuFeatures& features_;
  const StepRecorder& steps_;
  std::string asked_;
};

absl::string_view Memmove(Questions& q) {
  if (q.Is(Flag::kPreferErms)) return "erms";
  if (q.Has(Change::kPreferFsrm) && q.Is(Flag::kPreferFsrm)) return "erms";

  if (q.Is(Feature::kAvx512f) && !q.Is(Flag::kPreferNoAvx512)) {
    const bool no_vzeroupper = q.Has(Change::kEvexMemmove)
                                   ? !q.Is(Feature::kAvx512vl)
                                   : q.Is(Flag::kPreferNoVzeroupper);
    if (no_vzeroupper) return "avx512_no_vzeroupper";
    return q.Is(Feature::kErms) ? "avx512_unaligned_erms" : "avx512_unaligned";
  }
  if (q.Is(Flag::kAvxFastUnalignedLoad)) {
    if (q.Has(Change::kEvexMemmove) && q.Is(Feature::kAvx512vl)) {
      return q.Is(Feature::kErms) ? "evex_unaligned_erms" : "evex_unaligned";
    }
    if (q.Has(Change::kRtmVariants) && q.Is(Feature::kRtm)) {
      return q.Is(Feature::kErms) ? "avx_unaligned_erms_rtm"
                                  : "avx_unaligned_rtm";
    }
    if (!q.Has(Change::kRtmVariants) || !q.Is(Flag::kPreferNoVzeroupper)) {
      return q.Is(Feature::kErms) ? "avx_unaligned_erms" : "avx_unaligned";
    }
  }
  if (q.Is(Feature::kSsse3) && !q.Is(Flag::kFastUnalignedCopy)) {
    if (!q.Has(Change::kNoSsse3Back) && q.Is(Flag::kFastCopyBackward)) {
      return "ssse3_back";
    }
    return "ssse3";
  }
  return q.Is(Feature::kErms) ? "sse2_unaligned_erms" : "sse2_unaligned";
}

absl::string_view Memset(Questions& q) {
  const auto erms = [&q] {
    return q.Is(Feature::kErms) ||
           (q.Has(Change::kAvoidStosb) && !q.Is(Flag::kAvoidNonTemporalMemset));
  };
  const auto evex = [&q] {
    return q.Has(Change::kEvexMemset) && q.Is(Feature::kAvx512vl) &&
           q.Is(Feature::kAvx512bw) &&
           (!q.Has(Change::kMemsetNeedsBmi2) || q.Is(Feature::kBmi2));
  };
  if (q.Is(Flag::kPreferErms)) return "erms";

  if (q.Is(Feature::kAvx512f) && !q.Is(Flag::kPreferNoAvx512)) {
    const bool no_vzeroupper =
        q.Has(Change::kEvexMemset) ? !evex() : q.Is(Flag::kPreferNoVzeroupper);
    if (no_vzeroupper) return "avx512_no_vzeroupper";
    return erms() ? "avx512_unaligned_erms" : "avx512_unaligned";
  }
  if (q.Is(Feature::kAvx2)) {
    if (evex()) return erms() ? "evex_unaligned_erms" : "evex_unaligned";
    if (q.Has(Change::kRtmVariants) && q.Is(Feature::kRtm)) {
      return erms() ? "avx2_unaligned_erms_rtm" : "avx2_unaligned_rtm";
    }
    if (!q.Has(Change::kRtmVariants) || !q.Is(Flag::kPreferNoVzeroupper)) {
      return erms() ? "avx2_unaligned_erms" : "avx2_unaligned";
    }
  }
  return erms() ? "sse2_unaligned_erms" : "sse2_unaligned";
}

}  // namespace

absl::string_view SelectMemmove(const GlibcBuild& build,
                                const CpuFeatures& features,
                                const StepRecorder& steps) {
  Questions questions(build, features, steps);
  const absl::string_view variant = Memmove(questions);
  return questions.Choose("memmove", variant);
}

absl::string_view SelectMemset(const GlibcBuild& build,
                               const CpuFeatures& features,
                               const StepRecorder& steps) {
  Questions questions(build, features, steps);
  const absl::string_view variant = Memset(questions);
  return questions.Choose("memset", variant);
}

bool VariantIsErms(absl::string_view variant) {
  return absl::StrContains(variant, "_erms");
}

int VariantVectorSize(absl::string_view variant) {
  if (absl::StartsWith(variant, "avx512")) return 64;
  if (absl::StartsWith(variant, "avx") || absl::StartsWith(variant, "evex")) {
    return 32;
  }
  return variant == "erms" ? 0 : 16;
}

}  // namespace advisor
