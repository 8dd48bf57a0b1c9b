#include "advisor/masks/masked_choice.h"

#include "absl/algorithm/container.h"
#include "advisor/glibc/change.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/variant_selection.h"

namespace advisor {
namespace {

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

}  // namespace

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

MaskedChoice ChoiceUnder(const CpuidSource& cpu, const GlibcBuild& build,
                         int isa_level, absl::string_view glibc_tunables) {
  const Prediction prediction =
      Predict(cpu, build, glibc_tunables, Reasoning::kOmitted);
  MaskedChoice choice = VariantsOf(prediction.features, build, isa_level);
  choice.thresholds = prediction.thresholds;
  return choice;
}

}  // namespace advisor
