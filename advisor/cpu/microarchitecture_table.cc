#include "advisor/cpu/microarchitecture_table.h"

namespace advisor {
namespace {

using V = VendorKind;

// Where the numbers come from.
constexpr absl::string_view kGlibc =
    "glibc sysdeps/x86/cpu-features.c, intel_get_fam6_microarch (2.38 and "
    "later) and its comments on steppings";
constexpr absl::string_view kIntelSdm =
    "Intel SDM volume 4, table 2-1 (CPUID signatures)";
constexpr absl::string_view kAmdRevision =
    "AMD BIOS and kernel developer's guides and revision guides, by family";
constexpr absl::string_view kLinuxAmd =
    "Linux arch/x86/kernel/cpu/amd.c, the ranges of X86_FEATURE_ZEN1 to ZEN5; "
    "Zen+ by AMD's revision guide 55449";
constexpr absl::string_view kHygonGlibc =
    "glibc commits d14aecbffc and ca90758b2a (2.41); from model 4 on GCC's "
    "-march=c86-4g-m4, -m6 and -m7";
constexpr absl::string_view kZhaoxinGlibc =
    "glibc commits 32ac0b988466 (2.32) and 44d757eb9f (2.40); names as GCC's "
    "-march values";

// vendor, family, first and last model, first and last stepping, name, glibc's
// word, source. A processor that a guest pretends to be is found by what it
// pretends.
constexpr MicroarchitectureRow kRows[] = {
    // clang-format off
    {V::kIntel, 0x06, 0x0f, 0x0f, 0, 15, "Merom", "merom", kGlibc},
    {V::kIntel, 0x06, 0x16, 0x16, 0, 15, "Merom", "merom", kGlibc},
    {V::kIntel, 0x06, 0x17, 0x17, 0, 15, "Penryn", "penryn", kGlibc},
    {V::kIntel, 0x06, 0x1a, 0x1a, 0, 15, "Nehalem", "nehalem", kGlibc},
    {V::kIntel, 0x06, 0x1c, 0x1c, 0, 15, "Bonnell", "bonnell", kGlibc},
    {V::kIntel, 0x06, 0x1d, 0x1d, 0, 15, "Dunnington", "dunnington", kGlibc},
    {V::kIntel, 0x06, 0x1e, 0x1e, 0, 15, "Nehalem", "nehalem", kGlibc},
    {V::kIntel, 0x06, 0x1f, 0x1f, 0, 15, "Nehalem", "nehalem", kGlibc},
    {V::kIntel, 0x06, 0x25, 0x25, 0, 15, "Westmere", "westmere", kGlibc},
    {V::kIntel, 0x06, 0x26, 0x26, 0, 15, "Bonnell", "bonnell", kGlibc},
    {V::kIntel, 0x06, 0x27, 0x27, 0, 15, "Saltwell", "bonnell", kGlibc},
    {V::kIntel, 0x06, 0x2a, 0x2a, 0, 15, "Sandy Bridge", "sandybridge", kGlibc},
    {V::kIntel, 0x06, 0x2c, 0x2c, 0, 15, "Westmere", "westmere", kGlibc},
    {V::kIntel, 0x06, 0x2d, 0x2d, 0, 15, "Sandy Bridge", "sandybridge", kGlibc},
    {V::kIntel, 0x06, 0x2e, 0x2e, 0, 15, "Nehalem", "nehalem", kGlibc},
    {V::kIntel, 0x06, 0x2f, 0x2f, 0, 15, "Westmere", "westmere", kGlibc},
    {V::kIntel, 0x06, 0x35, 0x35, 0, 15, "Saltwell", "bonnell", kGlibc},
    {V::kIntel, 0x06, 0x36, 0x36, 0, 15, "Saltwell", "bonnell", kGlibc},
    {V::kIntel, 0x06, 0x37, 0x37, 0, 15, "Silvermont", "silvermont", kGlibc},
    {V::kIntel, 0x06, 0x3a, 0x3a, 0, 15, "Ivy Bridge", "ivybridge", kGlibc},
    {V::kIntel, 0x06, 0x3c, 0x3c, 0, 15, "Haswell", "haswell", kGlibc},
    {V::kIntel, 0x06, 0x3d, 0x3d, 0, 15, "Broadwell", "broadwell", kGlibc},
    {V::kIntel, 0x06, 0x3e, 0x3e, 0, 15, "Ivy Bridge", "ivybridge", kGlibc},
    {V::kIntel, 0x06, 0x3f, 0x3f, 0, 15, "Haswell", "haswell", kGlibc},
    {V::kIntel, 0x06, 0x45, 0x45, 0, 15, "Haswell", "haswell", kGlibc},
    {V::kIntel, 0x06, 0x46, 0x46, 0, 15, "Haswell", "haswell", kGlibc},
    {V::kIntel, 0x06, 0x47, 0x47, 0, 15, "Broadwell", "broadwell", kGlibc},
    {V::kIntel, 0x06, 0x4a, 0x4a, 0, 15, "Silvermont", "silvermont", kGlibc},
    {V::kIntel, 0x06, 0x4c, 0x4c, 0, 15, "Airmont", "airmont", kGlibc},
    {V::kIntel, 0x06, 0x4d, 0x4d, 0, 15, "Silvermont", "silvermont", kGlibc},
    {V::kIntel, 0x06, 0x4e, 0x4e, 0, 15, "Skylake", "skylake", kGlibc},
    {V::kIntel, 0x06, 0x4f, 0x4f, 0, 15, "Broadwell", "broadwell", kGlibc},
    {V::kIntel, 0x06, 0x55, 0x55, 0, 4, "Skylake-SP", "skylake_avx512", kGlibc},
    {V::kIntel, 0x06, 0x55, 0x55, 5, 9, "Cascade Lake", "skylake_avx512",
     kGlibc},
    {V::kIntel, 0x06, 0x55, 0x55, 10, 15, "Cooper Lake", "skylake_avx512",
     kGlibc},
    {V::kIntel, 0x06, 0x56, 0x56, 0, 15, "Broadwell", "broadwell", kGlibc},
    {V::kIntel, 0x06, 0x57, 0x57, 0, 15, "Knights Landing", "knights_landing",
     kGlibc},
    {V::kIntel, 0x06, 0x5a, 0x5a, 0, 15, "Airmont", "airmont", kGlibc},
    {V::kIntel, 0x06, 0x5c, 0x5c, 0, 15, "Goldmont", "goldmont", kGlibc},
    {V::kIntel, 0x06, 0x5d, 0x5d, 0, 15, "Silvermont", "silvermont", kGlibc},
    {V::kIntel, 0x06, 0x5e, 0x5e, 0, 15, "Skylake", "skylake", kGlibc},
    {V::kIntel, 0x06, 0x5f, 0x5f, 0, 15, "Goldmont", "goldmont", kGlibc},
    {V::kIntel, 0x06, 0x66, 0x66, 0, 15, "Cannon Lake", "cannonlake", kGlibc},
    {V::kIntel, 0x06, 0x6a, 0x6a, 0, 15, "Ice Lake", "icelake", kGlibc},
    {V::kIntel, 0x06, 0x6c, 0x6c, 0, 15, "Ice Lake", "icelake", kGlibc},
    {V::kIntel, 0x06, 0x75, 0x75, 0, 15, "Airmont", "airmont", kGlibc},
    {V::kIntel, 0x06, 0x7a, 0x7a, 0, 15, "Goldmont Plus", "goldmont_plus",
     kGlibc},
    {V::kIntel, 0x06, 0x7d, 0x7d, 0, 15, "Ice Lake", "icelake", kGlibc},
    {V::kIntel, 0x06, 0x7e, 0x7e, 0, 15, "Ice Lake", "icelake", kGlibc},
    {V::kIntel, 0x06, 0x85, 0x85, 0, 15, "Knights Mill", "knights_mill",
     kGlibc},
    {V::kIntel, 0x06, 0x86, 0x86, 0, 15, "Tremont", "tremont", kGlibc},
    {V::kIntel, 0x06, 0x8a, 0x8a, 0, 15, "Lakefield", "lakefield", kGlibc},
    {V::kIntel, 0x06, 0x8c, 0x8c, 0, 15, "Tiger Lake", "tigerlake", kGlibc},
    {V::kIntel, 0x06, 0x8d, 0x8d, 0, 15, "Tiger Lake", "tigerlake", kGlibc},
    {V::kIntel, 0x06, 0x8e, 0x8e, 0, 9, "Kaby Lake", "kabylake", kGlibc},
    {V::kIntel, 0x06, 0x8e, 0x8e, 10, 10, "Coffee Lake", "kabylake", kGlibc},
    {V::kIntel, 0x06, 0x8e, 0x8e, 11, 15, "Whiskey Lake", "kabylake", kGlibc},
    {V::kIntel, 0x06, 0x8f, 0x8f, 0, 15, "Sapphire Rapids", "sapphirerapids",
     kGlibc},
    {V::kIntel, 0x06, 0x96, 0x96, 0, 15, "Tremont", "tremont", kGlibc},
    {V::kIntel, 0x06, 0x97, 0x97, 0, 15, "Alder Lake", "alderlake", kGlibc},
    {V::kIntel, 0x06, 0x9a, 0x9a, 0, 15, "Alder Lake", "alderlake", kGlibc},
    {V::kIntel, 0x06, 0x9c, 0x9c, 0, 15, "Tremont", "tremont", kGlibc},
    {V::kIntel, 0x06, 0x9d, 0x9d, 0, 15, "Ice Lake", "icelake", kGlibc},
    {V::kIntel, 0x06, 0x9e, 0x9e, 0, 9, "Kaby Lake", "kabylake", kGlibc},
    {V::kIntel, 0x06, 0x9e, 0x9e, 10, 15, "Coffee Lake", "kabylake", kGlibc},
    {V::kIntel, 0x06, 0xa5, 0xa5, 0, 15, "Comet Lake", "cometlake", kGlibc},
    {V::kIntel, 0x06, 0xa6, 0xa6, 0, 15, "Comet Lake", "cometlake", kGlibc},
    {V::kIntel, 0x06, 0xa7, 0xa7, 0, 15, "Rocket Lake", "rocketlake", kGlibc},
    {V::kIntel, 0x06, 0xaa, 0xaa, 0, 15, "Meteor Lake", "meteorlake", kGlibc},
    {V::kIntel, 0x06, 0xac, 0xac, 0, 15, "Meteor Lake", "meteorlake", kGlibc},
    {V::kIntel, 0x06, 0xad, 0xad, 0, 15, "Granite Rapids", "graniterapids",
     kGlibc},
    {V::kIntel, 0x06, 0xae, 0xae, 0, 15, "Granite Rapids", "graniterapids",
     kGlibc},
    {V::kIntel, 0x06, 0xaf, 0xaf, 0, 15, "Sierra Forest", "sierraforest",
     kGlibc},
    {V::kIntel, 0x06, 0xb5, 0xb5, 0, 15, "Arrow Lake", "arrowlake", kGlibc},
    {V::kIntel, 0x06, 0xb6, 0xb6, 0, 15, "Grand Ridge", "grandridge", kGlibc},
    {V::kIntel, 0x06, 0xb7, 0xb7, 0, 15, "Raptor Lake", "raptorlake", kGlibc},
    {V::kIntel, 0x06, 0xba, 0xba, 0, 15, "Raptor Lake", "raptorlake", kGlibc},
    {V::kIntel, 0x06, 0xbd, 0xbd, 0, 15, "Lunar Lake", "lunarlake", kGlibc},
    {V::kIntel, 0x06, 0xbe, 0xbe, 0, 15, "Alder Lake-N", "alderlake", kGlibc},
    {V::kIntel, 0x06, 0xbf, 0xbf, 0, 15, "Raptor Lake", "raptorlake", kGlibc},
    {V::kIntel, 0x06, 0xc5, 0xc5, 0, 15, "Arrow Lake", "arrowlake", kGlibc},
    {V::kIntel, 0x06, 0xc6, 0xc6, 0, 15, "Arrow Lake", "arrowlake", kGlibc},
    {V::kIntel, 0x06, 0xcc, 0xcc, 0, 15, "Panther Lake", "pantherlake", kGlibc},
    {V::kIntel, 0x06, 0xcf, 0xcf, 0, 15, "Emerald Rapids", "emeraldrapids",
     kGlibc},
    {V::kIntel, 0x06, 0xd5, 0xd5, 0, 15, "Wildcat Lake", "wildcatlake", kGlibc},
    {V::kIntel, 0x06, 0xdd, 0xdd, 0, 15, "Clearwater Forest", "clearwaterforest",
     kGlibc},
    {V::kIntel, 0x0f, 0x03, 0x04, 0, 15, "NetBurst (Prescott)", "", kIntelSdm},
    {V::kIntel, 0x0f, 0x06, 0x06, 0, 15, "NetBurst (Cedar Mill)", "",
     kIntelSdm},
    {V::kIntel, 0x12, 0x01, 0x01, 0, 15, "Nova Lake", "novalake", kGlibc},
    {V::kIntel, 0x12, 0x03, 0x03, 0, 15, "Nova Lake", "novalake", kGlibc},
    {V::kIntel, 0x13, 0x01, 0x01, 0, 15, "Diamond Rapids", "diamondrapids",
     kGlibc},
    {V::kAmd, 0x0f, 0x04, 0x7f, 0, 15, "K8", "", kAmdRevision},
    {V::kAmd, 0x0f, 0xc1, 0xc1, 0, 15, "K8", "", kAmdRevision},
    {V::kAmd, 0x10, 0x00, 0x0f, 0, 15, "K10", "", kAmdRevision},
    {V::kAmd, 0x11, 0x00, 0x0f, 0, 15, "K8 (Griffin)", "", kAmdRevision},
    {V::kAmd, 0x12, 0x00, 0x0f, 0, 15, "K10 (Llano)", "", kAmdRevision},
    {V::kAmd, 0x14, 0x00, 0x0f, 0, 15, "Bobcat", "", kAmdRevision},
    {V::kAmd, 0x15, 0x00, 0x01, 0, 15, "Bulldozer", "", kAmdRevision},
    {V::kAmd, 0x15, 0x02, 0x02, 0, 15, "Piledriver", "", kAmdRevision},
    {V::kAmd, 0x15, 0x10, 0x1f, 0, 15, "Piledriver", "", kAmdRevision},
    {V::kAmd, 0x15, 0x30, 0x3f, 0, 15, "Steamroller", "", kAmdRevision},
    {V::kAmd, 0x15, 0x60, 0x7f, 0, 15, "Excavator", "", kAmdRevision},
    {V::kAmd, 0x16, 0x00, 0x0f, 0, 15, "Jaguar", "", kAmdRevision},
    {V::kAmd, 0x16, 0x30, 0x3f, 0, 15, "Puma", "", kAmdRevision},
    {V::kAmd, 0x17, 0x00, 0x07, 0, 15, "Zen", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x08, 0x0f, 0, 15, "Zen+", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x10, 0x17, 0, 15, "Zen", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x18, 0x1f, 0, 15, "Zen+", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x20, 0x2f, 0, 15, "Zen", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x30, 0x4f, 0, 15, "Zen 2", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x50, 0x5f, 0, 15, "Zen", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x60, 0x7f, 0, 15, "Zen 2", "", kLinuxAmd},
    {V::kAmd, 0x17, 0x90, 0x91, 0, 15, "Zen 2", "", kLinuxAmd},
    {V::kAmd, 0x17, 0xa0, 0xaf, 0, 15, "Zen 2", "", kLinuxAmd},
    {V::kAmd, 0x19, 0x00, 0x0f, 0, 15, "Zen 3", "", kLinuxAmd},
    {V::kAmd, 0x19, 0x10, 0x1f, 0, 15, "Zen 4", "", kLinuxAmd},
    {V::kAmd, 0x19, 0x20, 0x5f, 0, 15, "Zen 3", "", kLinuxAmd},
    {V::kAmd, 0x19, 0x60, 0xaf, 0, 15, "Zen 4", "", kLinuxAmd},
    {V::kAmd, 0x1a, 0x00, 0x2f, 0, 15, "Zen 5", "", kLinuxAmd},
    {V::kAmd, 0x1a, 0x40, 0x4f, 0, 15, "Zen 5", "", kLinuxAmd},
    {V::kAmd, 0x1a, 0x60, 0x7f, 0, 15, "Zen 5", "", kLinuxAmd},
    {V::kHygon, 0x18, 0x00, 0x03, 0, 15, "Dhyana", "", kHygonGlibc},
    {V::kHygon, 0x18, 0x04, 0x0f, 0, 15, "C86-4G", "", kHygonGlibc},
    {V::kZhaoxin, 0x06, 0x0f, 0x0f, 0, 15, "Isaiah", "", kZhaoxinGlibc},
    {V::kZhaoxin, 0x06, 0x19, 0x19, 0, 15, "ZhangJiang", "", kZhaoxinGlibc},
    {V::kZhaoxin, 0x07, 0x1b, 0x1b, 0, 15, "WuDaoKou", "", kZhaoxinGlibc},
    {V::kZhaoxin, 0x07, 0x3b, 0x3b, 0, 15, "LuJiaZui", "", kZhaoxinGlibc},
    {V::kZhaoxin, 0x07, 0x5b, 0x5b, 0, 15, "YongFeng", "", kZhaoxinGlibc},
    {V::kZhaoxin, 0x07, 0x6b, 0x6b, 0, 15, "ShiJiDaDao", "", kZhaoxinGlibc},
    // clang-format on
};

}  // namespace

absl::string_view VendorKindName(VendorKind kind) {
  switch (kind) {
    case VendorKind::kIntel:
      return "Intel";
    case VendorKind::kAmd:
      return "AMD";
    case VendorKind::kHygon:
      return "Hygon";
    case VendorKind::kZhaoxin:
      return "Zhaoxin";
    case VendorKind::kOther:
      return "other";
  }
  return "?";
}

VendorKind VendorKindOf(absl::string_view vendor) {
  if (vendor == "GenuineIntel") return VendorKind::kIntel;
  if (vendor == "AuthenticAMD") return VendorKind::kAmd;
  if (vendor == "HygonGenuine") return VendorKind::kHygon;
  if (vendor == "CentaurHauls" || vendor == "  Shanghai  ") {
    return VendorKind::kZhaoxin;
  }
  return VendorKind::kOther;
}

absl::Span<const MicroarchitectureRow> MicroarchitectureTable() {
  return kRows;
}

const MicroarchitectureRow* FindMicroarchitecture(VendorKind vendor,
                                                  uint32_t family,
                                                  uint32_t model,
                                                  uint32_t stepping) {
  for (const MicroarchitectureRow& row : kRows) {
    if (row.vendor == vendor && row.family == family &&
        row.first_model <= model && model <= row.last_model &&
        row.first_stepping <= stepping && stepping <= row.last_stepping) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace advisor
