#include "advisor/glibc/cpu_features.h"

#include <iterator>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/intel_models.h"

namespace advisor {
namespace {

enum class Register { kEax, kEbx, kEcx, kEdx };

// What besides the CPUID bit makes a feature usable.
enum class Needs {
  kNothing,
  kXsaveEnabled,    // OSXSAVE.
  kYmm,             // and XCR0[2:1], and AVX in CPUID.
  kZmm,             // and XCR0[7:5], and AVX512F in CPUID.
  kAmdYmm,          // as kYmm, looked at for AMD only.
  kNotAlwaysAbort,  // no RTM_ALWAYS_ABORT, where the build looks at it.
};

struct FeatureRow {
  Feature feature;
  absl::string_view name;
  uint32_t leaf;
  uint32_t subleaf;
  Register reg;
  int bit;
  Needs needs;
};

// {feature, glibc's name, leaf, subleaf, register, bit, needs}, in the order of
// the enumeration. Source: Intel SDM volume 2A, CPUID; AMD APM volume 3,
// appendix E (FMA4).
constexpr FeatureRow kFeatures[] = {
    {Feature::kCx8, "CX8", 1, 0, Register::kEdx, 8, Needs::kNothing},
    {Feature::kCmov, "CMOV", 1, 0, Register::kEdx, 15, Needs::kNothing},
    {Feature::kSse2, "SSE2", 1, 0, Register::kEdx, 26, Needs::kNothing},
    {Feature::kHtt, "HTT", 1, 0, Register::kEdx, 28, Needs::kNothing},
    {Feature::kSsse3, "SSSE3", 1, 0, Register::kEcx, 9, Needs::kNothing},
    {Feature::kFma, "FMA", 1, 0, Register::kEcx, 12, Needs::kYmm},
    {Feature::kSse4_1, "SSE4_1", 1, 0, Register::kEcx, 19, Needs::kNothing},
    {Feature::kSse4_2, "SSE4_2", 1, 0, Register::kEcx, 20, Needs::kNothing},
    {Feature::kMovbe, "MOVBE", 1, 0, Register::kEcx, 22, Needs::kNothing},
    {Feature::kPopcnt, "POPCNT", 1, 0, Register::kEcx, 23, Needs::kNothing},
    {Feature::kXsave, "XSAVE", 1, 0, Register::kEcx, 26, Needs::kXsaveEnabled},
    {Feature::kOsxsave, "OSXSAVE", 1, 0, Register::kEcx, 27, Needs::kNothing},
    {Feature::kAvx, "AVX", 1, 0, Register::kEcx, 28, Needs::kYmm},
    {Feature::kBmi1, "BMI1", 7, 0, Register::kEbx, 3, Needs::kNothing},
    {Feature::kAvx2, "AVX2", 7, 0, Register::kEbx, 5, Needs::kYmm},
    {Feature::kBmi2, "BMI2", 7, 0, Register::kEbx, 8, Needs::kNothing},
    {Feature::kErms, "ERMS", 7, 0, Register::kEbx, 9, Needs::kNothing},
    {Feature::kRtm, "RTM", 7, 0, Register::kEbx, 11, Needs::kNotAlwaysAbort},
    {Feature::kAvx512f, "AVX512F", 7, 0, Register::kEbx, 16, Needs::kZmm},
    {Feature::kAvx512dq, "AVX512DQ", 7, 0, Register::kEbx, 17, Needs::kZmm},
    {Feature::kAvx512pf, "AVX512PF", 7, 0, Register::kEbx, 26, Needs::kZmm},
    {Feature::kAvx512er, "AVX512ER", 7, 0, Register::kEbx, 27, Needs::kZmm},
    {Feature::kAvx512cd, "AVX512CD", 7, 0, Register::kEbx, 28, Needs::kZmm},
    {Feature::kAvx512bw, "AVX512BW", 7, 0, Register::kEbx, 30, Needs::kZmm},
    {Feature::kAvx512vl, "AVX512VL", 7, 0, Register::kEbx, 31, Needs::kZmm},
    {Feature::kShstk, "SHSTK", 7, 0, Register::kEcx, 7, Needs::kNothing},
    {Feature::kFsrm, "FSRM", 7, 0, Register::kEdx, 4, Needs::kNothing},
    {Feature::kRtmAlwaysAbort, "RTM_ALWAYS_ABORT", 7, 0, Register::kEdx, 11,
     Needs::kNothing},
    {Feature::kIbt, "IBT", 7, 0, Register::kEdx, 20, Needs::kNothing},
    {Feature::kAvxVnni, "AVX_VNNI", 7, 1, Register::kEax, 4, Needs::kYmm},
    {Feature::kXsavec, "XSAVEC", 0xd, 1, Register::kEax, 1,
     Needs::kXsaveEnabled},
    {Feature::kLzcnt, "LZCNT", 0x80000001, 0, Register::kEcx, 5,
     Needs::kNothing},
    {Feature::kFma4, "FMA4", 0x80000001, 0, Register::kEcx, 16, Needs::kAmdYmm},
};
static_assert(std::size(kFeatures) == kFeatureCount);

// In the order of the enumeration.
constexpr absl::string_view kFlagNames[] = {
    "I586",
    "I686",
    "Slow_BSF",
    "Slow_SSE4_2",
    "Fast_Rep_String",
    "Fast_Unaligned_Load",
    "Fast_Unaligned_Copy",
    "Fast_Copy_Backward",
    "Prefer_PMINUB_for_stringop",
    "AVX_Fast_Unaligned_Load",
    "Prefer_No_VZEROUPPER",
    "Prefer_No_AVX512",
    "MathVec_Prefer_No_AVX512",
    "Prefer_ERMS",
    "Prefer_FSRM",
    "Prefer_AVX2_STRCMP",
    "Prefer_MAP_32BIT_EXEC",
    "Avoid_Short_Distance_REP_MOVSB",
    "Avoid_Non_Temporal_Memset",
    "Avoid_STOSB",
};
static_assert(std::size(kFlagNames) == kFlagCount);

const FeatureRow& RowOf(Feature feature) {
  return kFeatures[static_cast<int>(feature)];
}

absl::string_view RegisterName(Register reg) {
  switch (reg) {
    case Register::kEax:
      return "EAX";
    case Register::kEbx:
      return "EBX";
    case Register::kEcx:
      return "ECX";
    case Register::kEdx:
      return "EDX";
  }
  return "";
}

uint32_t RegisterValue(const CpuidRegisters& registers, Register reg) {
  switch (reg) {
    case Register::kEax:
      return registers.eax;
    case Register::kEbx:
      return registers.ebx;
    case Register::kEcx:
      return registers.ecx;
    case Register::kEdx:
      return registers.edx;
  }
  return 0;
}

// The twelve characters in the order EBX, EDX, ECX.
std::string VendorText(const CpuidRegisters& leaf0) {
  std::string text;
  for (uint32_t word : {leaf0.ebx, leaf0.edx, leaf0.ecx}) {
    for (int shift = 0; shift < 32; shift += 8) {
      text.push_back(static_cast<char>(word >> shift));
    }
  }
  return text;
}

bool IsVendor(const CpuidRegisters& leaf0, uint32_t ebx, uint32_t edx,
              uint32_t ecx) {
  return leaf0.ebx == ebx && leaf0.edx == edx && leaf0.ecx == ecx;
}

CpuKind DetectKind(const CpuidRegisters& leaf0, const GlibcBuild& build) {
  // "GenuineIntel"
  if (IsVendor(leaf0, 0x756e6547, 0x49656e69, 0x6c65746e)) {
    return CpuKind::kIntel;
  }
  // "AuthenticAMD"
  if (IsVendor(leaf0, 0x68747541, 0x69746e65, 0x444d4163)) {
    return CpuKind::kAmd;
  }
  // "HygonGenuine"
  if (IsVendor(leaf0, 0x6f677948, 0x6e65476e, 0x656e6975)) {
    if (build.Has(Change::kHygonKind)) return CpuKind::kHygon;
    if (build.Has(Change::kHygonAsAmd)) return CpuKind::kAmd;
  }
  // "CentaurHauls", "  Shanghai  "
  if (build.Has(Change::kZhaoxin) &&
      (IsVendor(leaf0, 0x746e6543, 0x48727561, 0x736c7561) ||
       IsVendor(leaf0, 0x68532020, 0x68676e61, 0x20206961))) {
    return CpuKind::kZhaoxin;
  }
  return CpuKind::kOther;
}

// The leaves that hold feature bits, as far as start-up reads them.
struct Leaves {
  CpuidRegisters leaf1;
  CpuidRegisters leaf7;
  CpuidRegisters leaf7_1;
  CpuidRegisters leaf_d_1;
  CpuidRegisters leaf_80000001;

  const CpuidRegisters& Of(const FeatureRow& row) const {
    switch (row.leaf) {
      case 1:
        return leaf1;
      case 7:
        return row.subleaf == 0 ? leaf7 : leaf7_1;
      case 0xd:
        return leaf_d_1;
      default:
        return leaf_80000001;
    }
  }
};

Leaves ReadLeaves(const CpuidSource& cpu, const CpuFeatures& features) {
  Leaves leaves;
  // An unknown vendor's leaf 1 and extended leaves are never read.
  if (features.kind != CpuKind::kOther) {
    leaves.leaf1 = cpu.Execute(1);
    if (cpu.Execute(0x80000000).eax >= 0x80000001) {
      leaves.leaf_80000001 = cpu.Execute(0x80000001);
    }
  }
  if (features.max_leaf >= 7) {
    leaves.leaf7 = cpu.Execute(7, 0);
    leaves.leaf7_1 = cpu.Execute(7, 1);
  }
  if (features.max_leaf >= 0xd) leaves.leaf_d_1 = cpu.Execute(0xd, 1);
  return leaves;
}

void SetFamilyAndModel(uint32_t eax, CpuFeatures& features) {
  features.family = (eax >> 8) & 0xf;
  features.model = (eax >> 4) & 0xf;
  features.stepping = eax & 0xf;
  const uint32_t extended_model = (eax >> 12) & 0xf0;
  const bool extended_family = features.family == 0xf;
  if (extended_family) {
    features.family += (eax >> 20) & 0xff;
    features.model += extended_model;
  }
  // Zhaoxin's code adds the extension for every family, so twice for 0xf.
  if ((features.kind == CpuKind::kIntel && features.family == 6) ||
      features.kind == CpuKind::kZhaoxin) {
    features.model += extended_model;
  }
}

void SetUsable(const GlibcBuild& build, uint64_t xcr0, CpuFeatures& features) {
  const EnumSet<Feature>& cpuid = features.cpuid;
  const bool osxsave = cpuid.Contains(Feature::kOsxsave);
  const bool ymm =
      osxsave && (xcr0 & 0x6) == 0x6 && cpuid.Contains(Feature::kAvx);
  const bool zmm = osxsave && (xcr0 & 0x6) == 0x6 && (xcr0 & 0xe0) == 0xe0 &&
                   cpuid.Contains(Feature::kAvx512f);
  const bool abort = build.Has(Change::kRtmAlwaysAbort) &&
                     cpuid.Contains(Feature::kRtmAlwaysAbort);
  for (const FeatureRow& row : kFeatures) {
    if (!cpuid.Contains(row.feature)) continue;
    bool usable = true;
    switch (row.needs) {
      case Needs::kNothing:
        break;
      case Needs::kXsaveEnabled:
        usable = osxsave;
        break;
      case Needs::kYmm:
        usable = ymm;
        break;
      case Needs::kZmm:
        usable = zmm;
        break;
      case Needs::kAmdYmm:
        usable = ymm && features.kind == CpuKind::kAmd;
        break;
      case Needs::kNotAlwaysAbort:
        usable = !abort;
        break;
    }
    features.usable.Set(row.feature, usable);
  }
  // Start-up sets XSAVE without a look at its CPUID bit.
  if (osxsave) features.usable.Set(Feature::kXsave, true);
  // Before usable bits existed, Intel's CPUID bit itself was cleared.
  if (!build.Has(Change::kUsableBits) && features.kind == CpuKind::kIntel &&
      abort) {
    features.cpuid.Clear(Feature::kRtm);
  }
}

// Models whose transactional memory start-up treats as absent.
bool TsxDisabled(const CpuFeatures& features, const GlibcBuild& build) {
  const uint32_t stepping = features.stepping;
  switch (features.model) {
    case 0x3f:
      return stepping < 4;
    case 0x3c:
    case 0x45:
    case 0x46:
      return true;
    case 0x55:
      return build.Has(Change::kTsxList) && stepping <= 5;
    case 0x8e:
    case 0x9e:
      return build.Has(Change::kTsxList) && stepping <= 0xc;
    case 0x4e:
    case 0x5e:
      return build.Has(Change::kTsxList);
    default:
      return false;
  }
}

void SetFastUnaligned(CpuFeatures& features) {
  features.flags.Set(Flag::kFastUnalignedLoad);
  features.flags.Set(Flag::kFastUnalignedCopy);
  features.flags.Set(Flag::kPreferPminubForStringop);
}

void SetIntelTuning(IntelTuning tuning, const GlibcBuild& build,
                    CpuFeatures& features) {
  switch (tuning) {
    case IntelTuning::kBonnell:
      features.flags.Set(Flag::kSlowBsf);
      return;
    case IntelTuning::kSilvermont:
      SetFastUnaligned(features);
      features.flags.Set(Flag::kSlowSse42);
      return;
    case IntelTuning::kTremont:
      SetFastUnaligned(features);
      features.flags.Set(Flag::kSlowSse42);
      features.flags.Set(Flag::kFastRepString);
      return;
    case IntelTuning::kNehalem:
    case IntelTuning::kOlderCore:
      features.non_temporal_divisor = 8;
      break;
    case IntelTuning::kSkylakeSp:
      if (build.Has(Change::kAvoidNonTemporalMemset)) {
        features.flags.Set(Flag::kAvoidNonTemporalMemset);
      }
      features.non_temporal_divisor = 2;
      break;
    case IntelTuning::kNewerCore:
      features.non_temporal_divisor = 2;
      break;
    case IntelTuning::kDefault:
      break;
  }
  if (tuning == IntelTuning::kNehalem ||
      features.cpuid.Contains(Feature::kAvx)) {
    SetFastUnaligned(features);
    features.flags.Set(Flag::kFastRepString);
  }
}

bool IsHaswell(uint32_t model) {
  return model == 0x3c || model == 0x3f || model == 0x45 || model == 0x46;
}

void SetIntelFlags(const GlibcBuild& build, CpuFeatures& features) {
  const IntelModel model =
      FindIntelModel(features.family, features.model, build);
  features.microarch = model.microarch;
  const bool family6 = features.family == 6;
  const bool haswell_bug =
      family6 && IsHaswell(features.model) && !build.Has(Change::kHaswellFlags);
  if ((family6 || build.Has(Change::kUnknownIntelDefault)) && !haswell_bug) {
    SetIntelTuning(model.tuning, build, features);
  }
  if (family6 && TsxDisabled(features, build)) {
    features.Deactivate(Feature::kRtm);
  }

  if (features.cpuid.Contains(Feature::kAvx512er)) {
    features.flags.Set(Flag::kPreferNoVzeroupper);
  } else {
    if (!build.Has(Change::kAvxVnniAllowsAvx512) ||
        !features.cpuid.Contains(Feature::kAvxVnni)) {
      features.flags.Set(Flag::kPreferNoAvx512);
    }
    if (build.Has(Change::kRtmAvoidsVzeroupper)) {
      if (features.Active(Feature::kRtm)) {
        features.flags.Set(Flag::kPreferNoVzeroupper);
      }
      if (!build.Has(Change::kNoPreferAvx2Strcmp) &&
          features.Active(Feature::kAvx2)) {
        features.flags.Set(Flag::kPreferAvx2Strcmp);
      }
    }
  }
  if (build.Has(Change::kAvoidShortDistance) &&
      features.cpuid.Contains(Feature::kFsrm)) {
    features.flags.Set(Flag::kAvoidShortDistanceRepMovsb);
  }
}

void SetAmdFlags(CpuFeatures& features) {
  // Excavator.
  if (features.family == 0x15 && features.model >= 0x60 &&
      features.model <= 0x7f) {
    features.flags.Set(Flag::kFastUnalignedLoad);
    features.flags.Set(Flag::kFastCopyBackward);
    features.flags.Clear(Flag::kAvxFastUnalignedLoad);
  }
}

void SetZhaoxinFlags(const GlibcBuild& build, CpuFeatures& features) {
  const uint32_t model = features.model;
  const bool family6 = features.family == 6 && (model == 0x0f || model == 0x19);
  const bool family7 = features.family == 7 && (model == 0x1b || model == 0x3b);
  if (family6 || family7) {
    features.usable.Clear(Feature::kAvx);
    features.usable.Clear(Feature::kAvx2);
    features.flags.Clear(Flag::kAvxFastUnalignedLoad);
    if (model != 0x3b) features.flags.Set(Flag::kSlowSse42);
  }
  if (build.Has(Change::kZhaoxinKh40000) && features.family == 7 &&
      (model == 0x5b || model == 0x6b)) {
    if (model == 0x5b) features.non_temporal_divisor = 2;
    features.flags.Clear(Flag::kAvxFastUnalignedLoad);
    features.flags.Set(Flag::kPreferNoVzeroupper);
    features.flags.Set(Flag::kFastUnalignedLoad);
  }
}

void SetFlags(const GlibcBuild& build, CpuFeatures& features) {
  if (build.Has(Change::kAvoidNonTemporalMemsetDefault) &&
      (features.kind == CpuKind::kZhaoxin ||
       features.kind == CpuKind::kOther)) {
    features.flags.Set(Flag::kAvoidNonTemporalMemset);
  }
  if (features.usable.Contains(Feature::kAvx2) &&
      (build.Has(Change::kAvxFastUnalignedLoadAnyVendor) ||
       features.kind == CpuKind::kIntel)) {
    features.flags.Set(Flag::kAvxFastUnalignedLoad);
  }
  switch (features.kind) {
    case CpuKind::kIntel:
      SetIntelFlags(build, features);
      break;
    case CpuKind::kAmd:
      // 2.26 and 2.27 know no AVX_Fast_Unaligned_Load there to clear.
      SetAmdFlags(features);
      break;
    case CpuKind::kZhaoxin:
      SetZhaoxinFlags(build, features);
      break;
    case CpuKind::kHygon:
    case CpuKind::kOther:
      break;
  }
  features.flags.Set(Flag::kI586, features.cpuid.Contains(Feature::kCx8));
  features.flags.Set(Flag::kI686, features.cpuid.Contains(Feature::kCmov));
  if (build.Has(Change::kAvoidStosb) && !features.Active(Feature::kErms)) {
    features.flags.Set(Flag::kAvoidStosb);
  }
}

std::string FlagList(const CpuFeatures& features) {
  std::string list;
  for (int i = 0; i < kFlagCount; ++i) {
    const Flag flag = static_cast<Flag>(i);
    if (features.flags.Contains(flag)) {
      absl::StrAppend(&list, list.empty() ? "" : " ", FlagName(flag));
    }
  }
  return list.empty() ? "none" : list;
}

void RecordFeatures(const CpuidRegisters& leaf0, const CpuFeatures& features,
                    const StepRecorder& steps) {
  steps.Add([&] {
    return Step{
        "vendor kind", std::string(CpuKindName(features.kind)),
        absl::StrCat("\"", VendorText(leaf0), "\"",
                     features.kind == CpuKind::kOther
                         ? " is not known to this build: family, model, and "
                           "all of leaf 1 count as 0"
                         : ""),
        "0:0:EBX,EDX,ECX"};
  });
  if (features.kind != CpuKind::kOther) {
    steps.Add([&] {
      return Step{
          "family, model, stepping",
          absl::StrFormat("0x%x, 0x%x, %d", features.family, features.model,
                          features.stepping),
          features.microarch.empty() ? "" : absl::StrCat(features.microarch),
          "1:0:EAX[27:0]"};
    });
  }
  steps.Add([&] {
    return Step{"preferred flags", FlagList(features), "", ""};
  });
}

}  // namespace

absl::string_view CpuKindName(CpuKind kind) {
  switch (kind) {
    case CpuKind::kIntel:
      return "Intel";
    case CpuKind::kAmd:
      return "AMD";
    case CpuKind::kZhaoxin:
      return "Zhaoxin";
    case CpuKind::kHygon:
      return "Hygon";
    case CpuKind::kOther:
      return "other";
  }
  return "";
}

int CpuKindNumber(CpuKind kind, const GlibcBuild& build) {
  switch (kind) {
    case CpuKind::kIntel:
      return 1;
    case CpuKind::kAmd:
      return 2;
    case CpuKind::kZhaoxin:
      return 3;
    case CpuKind::kHygon:
      return 4;
    case CpuKind::kOther:
      if (build.Has(Change::kHygonKind)) return 5;
      return build.Has(Change::kZhaoxin) ? 4 : 3;
  }
  return 0;
}

absl::string_view FeatureName(Feature feature) { return RowOf(feature).name; }

std::string FeatureSource(Feature feature) {
  const FeatureRow& row = RowOf(feature);
  return absl::StrFormat("%x:%x:%s[%d]", row.leaf, row.subleaf,
                         RegisterName(row.reg), row.bit);
}

std::optional<Feature> FeatureByName(absl::string_view name) {
  for (const FeatureRow& row : kFeatures) {
    if (row.name == name) return row.feature;
  }
  return std::nullopt;
}

absl::string_view FlagName(Flag flag) {
  return kFlagNames[static_cast<int>(flag)];
}

std::optional<Flag> FlagByName(absl::string_view name) {
  for (int i = 0; i < kFlagCount; ++i) {
    if (kFlagNames[i] == name) return static_cast<Flag>(i);
  }
  return std::nullopt;
}

bool CpuFeatures::Active(Feature feature) const {
  if (one_usable_bit) return usable.Contains(feature);
  switch (RowOf(feature).needs) {
    case Needs::kYmm:
    case Needs::kZmm:
    case Needs::kAmdYmm:
      return usable.Contains(feature);
    default:
      return cpuid.Contains(feature);
  }
}

void CpuFeatures::Deactivate(Feature feature) {
  usable.Clear(feature);
  if (!one_usable_bit) cpuid.Clear(feature);
}

CpuFeatures DetectCpuFeatures(const CpuidSource& cpu, const GlibcBuild& build,
                              const StepRecorder& steps) {
  const CpuidRegisters leaf0 = cpu.Execute(0);
  CpuFeatures features;
  features.one_usable_bit = build.Has(Change::kUsableBits);
  features.kind = DetectKind(leaf0, build);
  features.max_leaf = leaf0.eax;

  const Leaves leaves = ReadLeaves(cpu, features);
  if (features.kind != CpuKind::kOther) {
    SetFamilyAndModel(leaves.leaf1.eax, features);
    features.logical_processor_count = (leaves.leaf1.ebx >> 16) & 0xff;
  }
  for (const FeatureRow& row : kFeatures) {
    const uint32_t value = RegisterValue(leaves.Of(row), row.reg);
    features.cpuid.Set(row.feature, (value >> row.bit) & 1);
  }
  SetUsable(build, cpu.Xcr0().value_or(0), features);
  SetFlags(build, features);
  if (steps.enabled()) RecordFeatures(leaf0, features, steps);
  return features;
}

void ClearXsaveDependents(const GlibcBuild& build, CpuFeatures& features) {
  if (!build.Has(Change::kXsaveDependents)) return;
  if (features.usable.Contains(Feature::kOsxsave) &&
      (features.usable.Contains(Feature::kXsave) ||
       features.usable.Contains(Feature::kXsavec))) {
    return;
  }
  for (const FeatureRow& row : kFeatures) {
    if (row.needs == Needs::kYmm || row.needs == Needs::kZmm ||
        row.needs == Needs::kAmdYmm) {
      features.usable.Clear(row.feature);
    }
  }
  features.usable.Clear(Feature::kXsave);
  features.usable.Clear(Feature::kXsavec);
}

}  // namespace advisor
