#include "advisor/glibc/intel_models.h"

#include <algorithm>
#include <iterator>

namespace advisor {
namespace {

// {model, micro-architecture, tuning, in all builds, else since this change}
constexpr IntelModelRow kModels[] = {
    {0x0f, "Merom", IntelTuning::kDefault, true, Change::kMicroarchTable},
    {0x16, "Merom", IntelTuning::kDefault, true, Change::kMicroarchTable},
    {0x17, "Penryn", IntelTuning::kDefault, true, Change::kMicroarchTable},
    {0x1a, "Nehalem", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x1c, "Bonnell", IntelTuning::kBonnell, true, Change::kMicroarchTable},
    {0x1d, "Dunnington", IntelTuning::kDefault, true, Change::kMicroarchTable},
    {0x1e, "Nehalem", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x1f, "Nehalem", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x25, "Westmere", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x26, "Bonnell", IntelTuning::kBonnell, true, Change::kMicroarchTable},
    {0x27, "Bonnell", IntelTuning::kBonnell, false, Change::kMicroarchTable},
    {0x2a, "Sandy Bridge", IntelTuning::kOlderCore, true,
     Change::kMicroarchTable},
    {0x2c, "Westmere", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x2d, "Sandy Bridge", IntelTuning::kOlderCore, true,
     Change::kMicroarchTable},
    {0x2e, "Nehalem", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x2f, "Westmere", IntelTuning::kNehalem, true, Change::kMicroarchTable},
    {0x35, "Bonnell", IntelTuning::kBonnell, false, Change::kMicroarchTable},
    {0x36, "Bonnell", IntelTuning::kBonnell, false, Change::kMicroarchTable},
    {0x37, "Silvermont", IntelTuning::kSilvermont, true,
     Change::kMicroarchTable},
    {0x3a, "Ivy Bridge", IntelTuning::kOlderCore, true,
     Change::kMicroarchTable},
    {0x3c, "Haswell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x3d, "Broadwell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x3e, "Ivy Bridge", IntelTuning::kOlderCore, true,
     Change::kMicroarchTable},
    {0x3f, "Haswell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x45, "Haswell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x46, "Haswell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x47, "Broadwell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x4a, "Silvermont", IntelTuning::kSilvermont, true,
     Change::kMicroarchTable},
    {0x4c, "Airmont", IntelTuning::kSilvermont, true, Change::kMicroarchTable},
    {0x4d, "Silvermont", IntelTuning::kSilvermont, true,
     Change::kMicroarchTable},
    {0x4e, "Skylake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x4f, "Broadwell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x55, "Skylake-SP", IntelTuning::kSkylakeSp, true,
     Change::kMicroarchTable},
    {0x56, "Broadwell", IntelTuning::kOlderCore, true, Change::kMicroarchTable},
    {0x57, "Knights Landing", IntelTuning::kSilvermont, true,
     Change::kMicroarchTable},
    {0x5a, "Airmont", IntelTuning::kSilvermont, true, Change::kMicroarchTable},
    {0x5c, "Goldmont", IntelTuning::kSilvermont, true, Change::kMicroarchTable},
    {0x5d, "Silvermont", IntelTuning::kSilvermont, true,
     Change::kMicroarchTable},
    {0x5e, "Skylake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x5f, "Goldmont", IntelTuning::kSilvermont, true, Change::kMicroarchTable},
    {0x66, "Cannon Lake", IntelTuning::kSkylakeSp, true,
     Change::kMicroarchTable},
    {0x6a, "Ice Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x6c, "Ice Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x75, "Airmont", IntelTuning::kSilvermont, false, Change::kAtomTable},
    {0x7a, "Goldmont Plus", IntelTuning::kSilvermont, false,
     Change::kAtomTable},
    {0x7d, "Ice Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x7e, "Ice Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x85, "Knights Mill", IntelTuning::kDefault, true,
     Change::kMicroarchTable},
    {0x86, "Tremont", IntelTuning::kTremont, false, Change::kAtomTable},
    {0x8a, "Lakefield", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x8c, "Tiger Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0x8d, "Tiger Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0x8e, "Kaby Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x8f, "Sapphire Rapids", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0x96, "Tremont", IntelTuning::kTremont, false, Change::kAtomTable},
    {0x97, "Alder Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0x9a, "Alder Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0x9c, "Tremont", IntelTuning::kTremont, false, Change::kAtomTable},
    {0x9d, "Ice Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0x9e, "Kaby Lake", IntelTuning::kNewerCore, true, Change::kMicroarchTable},
    {0xa5, "Comet Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xa6, "Comet Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xa7, "Rocket Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xaa, "Meteor Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xac, "Meteor Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xad, "Granite Rapids", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xae, "Granite Rapids", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xaf, "Sierra Forest", IntelTuning::kDefault, true,
     Change::kMicroarchTable},
    {0xb5, "Arrow Lake", IntelTuning::kNewerCore, false, Change::kArrowLake},
    {0xb6, "Grand Ridge", IntelTuning::kDefault, true, Change::kMicroarchTable},
    {0xb7, "Raptor Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xba, "Raptor Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xbd, "Lunar Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xbe, "Alder Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xbf, "Raptor Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xc5, "Arrow Lake", IntelTuning::kNewerCore, false, Change::kArrowLake},
    {0xc6, "Arrow Lake", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xcc, "Panther Lake", IntelTuning::kNewerCore, false, Change::kArrowLake},
    {0xcf, "Emerald Rapids", IntelTuning::kNewerCore, true,
     Change::kMicroarchTable},
    {0xd5, "Wildcat Lake", IntelTuning::kNewerCore, false,
     Change::kWildcatLake},
    {0xdd, "Clearwater Forest", IntelTuning::kDefault, true,
     Change::kMicroarchTable},
};

constexpr IntelModel kUnknown = {"unknown", IntelTuning::kDefault};

}  // namespace

absl::Span<const IntelModelRow> AllIntelModels() { return kModels; }

IntelModel FindIntelModel(uint32_t family, uint32_t model,
                          const GlibcBuild& build) {
  if (family == 0x12 && (model == 1 || model == 3) &&
      build.Has(Change::kNovaLake)) {
    return {"Nova Lake", IntelTuning::kNewerCore};
  }
  if (family == 0x13 && model == 1 && build.Has(Change::kDiamondRapids)) {
    return {"Diamond Rapids", IntelTuning::kNewerCore};
  }
  if (family != 6) return kUnknown;
  const auto* row =
      std::lower_bound(std::begin(kModels), std::end(kModels), model,
                       [](const IntelModelRow& candidate, uint32_t wanted) {
                         return candidate.model < wanted;
                       });
  if (row == std::end(kModels) || row->model != model) return kUnknown;
  if (!row->always && !build.Has(row->since)) {
    return {row->microarch, IntelTuning::kDefault};
  }
  return {row->microarch, row->tuning};
}

}  // namespace advisor
