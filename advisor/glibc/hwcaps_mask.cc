#include "advisor/glibc/hwcaps_mask.h"

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"

namespace advisor {
namespace {

// {name, action, feature, flag, needs, since, until}
constexpr MaskNameRow kNames[] = {
    {"AVX", MaskAction::kClearFeature, Feature::kAvx, {}, {}, {}, {}},
    {"AVX2", MaskAction::kClearFeature, Feature::kAvx2, {}, {}, {}, {}},
    {"AVX2_Usable",
     MaskAction::kClearUsable,
     Feature::kAvx2,
     {},
     {},
     {},
     Change::kUsableBits},
    {"AVX512BW", MaskAction::kClearFeature, Feature::kAvx512bw, {}, {}, {}, {}},
    {"AVX512CD", MaskAction::kClearFeature, Feature::kAvx512cd, {}, {}, {}, {}},
    {"AVX512DQ", MaskAction::kClearFeature, Feature::kAvx512dq, {}, {}, {}, {}},
    {"AVX512DQ_Usable",
     MaskAction::kClearUsable,
     Feature::kAvx512dq,
     {},
     {},
     {},
     Change::kUsableBits},
    {"AVX512ER", MaskAction::kClearFeature, Feature::kAvx512er, {}, {}, {}, {}},
    {"AVX512F", MaskAction::kClearFeature, Feature::kAvx512f, {}, {}, {}, {}},
    {"AVX512F_Usable",
     MaskAction::kClearUsable,
     Feature::kAvx512f,
     {},
     {},
     {},
     Change::kUsableBits},
    {"AVX512PF", MaskAction::kClearFeature, Feature::kAvx512pf, {}, {}, {}, {}},
    {"AVX512VL", MaskAction::kClearFeature, Feature::kAvx512vl, {}, {}, {}, {}},
    {"AVX_Fast_Unaligned_Load",
     MaskAction::kSetClearFlag,
     {},
     Flag::kAvxFastUnalignedLoad,
     Feature::kAvx,
     {},
     {}},
    {"AVX_Usable",
     MaskAction::kClearUsable,
     Feature::kAvx,
     {},
     {},
     {},
     Change::kUsableBits},
    {"Avoid_Non_Temporal_Memset",
     MaskAction::kSetClearFlag,
     {},
     Flag::kAvoidNonTemporalMemset,
     {},
     Change::kAvoidNonTemporalMemset,
     {}},
    {"Avoid_STOSB",
     MaskAction::kSetClearFlag,
     {},
     Flag::kAvoidStosb,
     {},
     Change::kAvoidStosb,
     {}},
    {"BMI1", MaskAction::kClearFeature, Feature::kBmi1, {}, {}, {}, {}},
    {"BMI2", MaskAction::kClearFeature, Feature::kBmi2, {}, {}, {}, {}},
    {"CMOV", MaskAction::kClearFeature, Feature::kCmov, {}, {}, {}, {}},
    {"CX8", MaskAction::kClearFeature, Feature::kCx8, {}, {}, {}, {}},
    {"ERMS", MaskAction::kClearFeature, Feature::kErms, {}, {}, {}, {}},
    {"FMA", MaskAction::kClearFeature, Feature::kFma, {}, {}, {}, {}},
    {"FMA4", MaskAction::kClearFeature, Feature::kFma4, {}, {}, {}, {}},
    {"FMA4_Usable",
     MaskAction::kClearUsable,
     Feature::kFma4,
     {},
     {},
     {},
     Change::kUsableBits},
    {"FMA_Usable",
     MaskAction::kClearUsable,
     Feature::kFma,
     {},
     {},
     {},
     Change::kUsableBits},
    {"Fast_Copy_Backward",
     MaskAction::kSetClearFlag,
     {},
     Flag::kFastCopyBackward,
     {},
     {},
     {}},
    {"Fast_Rep_String",
     MaskAction::kSetClearFlag,
     {},
     Flag::kFastRepString,
     {},
     {},
     {}},
    {"Fast_Unaligned_Copy",
     MaskAction::kSetClearFlag,
     {},
     Flag::kFastUnalignedCopy,
     {},
     {},
     {}},
    {"Fast_Unaligned_Load",
     MaskAction::kSetClearFlag,
     {},
     Flag::kFastUnalignedLoad,
     {},
     {},
     {}},
    {"HTT", MaskAction::kClearFeature, Feature::kHtt, {}, {}, {}, {}},
    {"I586", MaskAction::kClearFlag, {}, Flag::kI586, {}, {}, {}},
    {"I686", MaskAction::kClearFlag, {}, Flag::kI686, {}, {}, {}},
    {"IBT",
     MaskAction::kClearFeature,
     Feature::kIbt,
     {},
     {},
     Change::kIbtShstkNames,
     {}},
    {"LZCNT", MaskAction::kClearFeature, Feature::kLzcnt, {}, {}, {}, {}},
    {"MOVBE", MaskAction::kClearFeature, Feature::kMovbe, {}, {}, {}, {}},
    {"MathVec_Prefer_No_AVX512",
     MaskAction::kSetClearFlag,
     {},
     Flag::kMathVecPreferNoAvx512,
     Feature::kAvx512f,
     Change::kMathVecPreferNoAvx512Name,
     {}},
    {"OSXSAVE", MaskAction::kClearFeature, Feature::kOsxsave, {}, {}, {}, {}},
    {"POPCNT", MaskAction::kClearFeature, Feature::kPopcnt, {}, {}, {}, {}},
    {"Prefer_AVX2_STRCMP",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferAvx2Strcmp,
     Feature::kAvx2,
     Change::kRtmAvoidsVzeroupper,
     Change::kNoPreferAvx2Strcmp},
    {"Prefer_ERMS",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferErms,
     {},
     {},
     {}},
    {"Prefer_FSRM",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferFsrm,
     {},
     Change::kPreferFsrm,
     {}},
    {"Prefer_MAP_32BIT_EXEC",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferMap32BitExec,
     {},
     {},
     Change::kNoPreferMap32BitName},
    {"Prefer_No_AVX512",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferNoAvx512,
     Feature::kAvx512f,
     {},
     {}},
    {"Prefer_No_VZEROUPPER",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferNoVzeroupper,
     Feature::kAvx,
     {},
     {}},
    {"Prefer_PMINUB_for_stringop",
     MaskAction::kSetClearFlag,
     {},
     Flag::kPreferPminubForStringop,
     Feature::kSse2,
     {},
     {}},
    {"RTM", MaskAction::kClearFeature, Feature::kRtm, {}, {}, {}, {}},
    {"SHSTK",
     MaskAction::kClearFeature,
     Feature::kShstk,
     {},
     {},
     Change::kIbtShstkNames,
     Change::kShstkSettable},
    {"SHSTK",
     MaskAction::kSetClearFeature,
     Feature::kShstk,
     {},
     {},
     Change::kShstkSettable,
     {}},
    {"SSE2", MaskAction::kClearFeature, Feature::kSse2, {}, {}, {}, {}},
    {"SSE4_1", MaskAction::kClearFeature, Feature::kSse4_1, {}, {}, {}, {}},
    {"SSE4_2", MaskAction::kClearFeature, Feature::kSse4_2, {}, {}, {}, {}},
    {"SSSE3", MaskAction::kClearFeature, Feature::kSsse3, {}, {}, {}, {}},
    {"Slow_BSF", MaskAction::kSetClearFlag, {}, Flag::kSlowBsf, {}, {}, {}},
    {"Slow_SSE4_2",
     MaskAction::kSetClearFlag,
     {},
     Flag::kSlowSse42,
     Feature::kSse4_2,
     {},
     {}},
    {"Use_dl_runtime_resolve_slow",
     MaskAction::kNothing,
     {},
     {},
     {},
     {},
     Change::kXsavecUsableName},
    {"XSAVE",
     MaskAction::kClearFeature,
     Feature::kXsave,
     {},
     {},
     Change::kXsaveDependents,
     {}},
    {"XSAVEC",
     MaskAction::kClearFeature,
     Feature::kXsavec,
     {},
     {},
     Change::kUsableBits,
     {}},
    {"XSAVEC_Usable",
     MaskAction::kNothing,
     {},
     {},
     {},
     Change::kXsavecUsableName,
     Change::kUsableBits},
};

bool ApplyFeature(const MaskNameRow& row, bool clear, const GlibcBuild& build,
                  CpuFeatures& features) {
  const Feature feature = *row.feature;
  // Before usable bits, a mask cleared the CPUID bit and left the other alone.
  const bool cpuid_bit = row.action == MaskAction::kClearFeature &&
                         !build.Has(Change::kUsableBits);
  EnumSet<Feature>& bits = cpuid_bit ? features.cpuid : features.usable;
  const bool before = bits.Contains(feature);
  bits.Set(feature, !clear && features.cpuid.Contains(feature));
  return bits.Contains(feature) != before;
}

bool ApplyFlag(const MaskNameRow& row, bool clear, CpuFeatures& features) {
  if (!clear && row.needs.has_value() && !features.Active(*row.needs)) {
    return false;
  }
  const bool before = features.flags.Contains(*row.flag);
  features.flags.Set(*row.flag, !clear);
  return before == clear;
}

MaskItem ApplyItem(absl::string_view text, const GlibcBuild& build,
                   CpuFeatures& features) {
  MaskItem item;
  item.text = std::string(text);
  absl::string_view name = text;
  const bool clear = absl::ConsumePrefix(&name, "-");
  const MaskNameRow* row = FindMaskName(name, build);
  if (row == nullptr) return item;
  switch (row->action) {
    case MaskAction::kClearFeature:
    case MaskAction::kClearUsable:
      item.accepted = clear;
      if (clear) item.effective = ApplyFeature(*row, clear, build, features);
      break;
    case MaskAction::kSetClearFeature:
      item.accepted = true;
      item.effective = ApplyFeature(*row, clear, build, features);
      break;
    case MaskAction::kClearFlag:
      item.accepted = clear;
      if (clear) item.effective = ApplyFlag(*row, clear, features);
      break;
    case MaskAction::kSetClearFlag:
      item.accepted = true;
      item.effective = ApplyFlag(*row, clear, features);
      break;
    case MaskAction::kNothing:
      item.accepted = true;
      break;
  }
  return item;
}

}  // namespace

absl::Span<const MaskNameRow> AllMaskNames() { return kNames; }

const MaskNameRow* FindMaskName(absl::string_view name,
                                const GlibcBuild& build) {
  for (const MaskNameRow& row : kNames) {
    if (row.name == name && (!row.since.has_value() || build.Has(*row.since)) &&
        (!row.until.has_value() || !build.Has(*row.until))) {
      return &row;
    }
  }
  return nullptr;
}

std::vector<MaskItem> ApplyHwcapsMask(absl::string_view mask,
                                      absl::string_view behind,
                                      const GlibcBuild& build,
                                      CpuFeatures& features) {
  std::vector<MaskItem> items;
  std::string memory(mask);
  if (!build.Has(Change::kMaskEndsAtNul) && !behind.empty()) {
    memory.push_back('\0');
    memory.append(behind.data(), behind.size());
  }
  // An old parser looks for its end in the byte after a NUL, not in the NUL.
  constexpr absl::string_view kSeparators(",\0", 2);
  for (size_t position = 0; position <= memory.size();) {
    if (position > 0 &&
        (position == memory.size() || memory[position] == '\0')) {
      break;
    }
    size_t end =
        memory.find_first_of(kSeparators.data(), position, kSeparators.size());
    if (end == std::string::npos) end = memory.size();
    items.push_back(
        ApplyItem(absl::string_view(memory).substr(position, end - position),
                  build, features));
    items.back().behind_end = position > mask.size();
    position = end + 1;
  }
  return items;
}

}  // namespace advisor
