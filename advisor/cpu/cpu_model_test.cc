#include "advisor/cpu/cpu_model.h"

#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/host/file_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;

CpuidDump ReadDump(const std::string& path) {
  const auto text = RealFileReader().Read(path);
  EXPECT_TRUE(text.ok()) << text.status();
  auto dump = ParseCpuidDump(*text, path);
  EXPECT_TRUE(dump.ok()) << dump.status();
  return *std::move(dump);
}

CpuModel Model(absl::string_view name) {
  return DecodeCpuModel(
      ReadDump(absl::StrCat("testdata/cpuid/", name, ".txt")).cpus[0]);
}

std::vector<std::string> AllDumps() {
  std::vector<std::string> paths;
  for (const std::string& folder :
       {std::string("testdata/cpuid"), std::string("testdata/cpuid/field")}) {
    const auto names = RealFileReader().List(folder);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      if (absl::EndsWith(name, ".txt")) {
        paths.push_back(absl::StrCat(folder, "/", name));
      }
    }
  }
  return paths;
}

// Sizes as the headers of the dumps write them: "32K", "16M".
std::string HeaderSize(uint64_t bytes) {
  if (bytes % (1 << 20) == 0) return absl::StrCat(bytes >> 20, "M");
  return absl::StrCat(bytes >> 10, "K");
}

std::string HeaderCaches(const CacheLeaf& leaf) {
  std::vector<std::string> words;
  for (const CacheClaim& claim : leaf.claims) {
    const char type = claim.type == CacheType::kData          ? 'd'
                      : claim.type == CacheType::kInstruction ? 'i'
                                                              : 'u';
    words.push_back(absl::StrFormat(
        "L%d%c %s %d-way line %d share %d", claim.level, type,
        HeaderSize(claim.size), *claim.ways, *claim.line, *claim.sharers()));
  }
  return words.empty() ? "absent or empty" : absl::StrJoin(words, "; ");
}

std::string HeaderOldCaches(const CacheClaims& claims) {
  const auto size = [&](CacheSource source, int level) {
    const CacheClaim* claim = claims.Find(source, level);
    return claim == nullptr ? "-" : HeaderSize(claim->size);
  };
  return absl::StrCat("L1d ", size(CacheSource::kLeaf80000005, 1), " L2 ",
                      size(CacheSource::kLeaf80000006, 2), " L3 ",
                      size(CacheSource::kLeaf80000006, 3));
}

class DumpTest : public ::testing::TestWithParam<std::string> {};

// The heads were written by other tools than ours.
TEST_P(DumpTest, SaysWhatTheHeadOfTheFileSays) {
  const CpuidDump dump = ReadDump(GetParam());
  const CpuModel model = DecodeCpuModel(dump.cpus[0]);
  const auto note = [&](const char* key) { return dump.notes.at(key); };
  // The heads have one blank where Intel's brand strings have several.
  std::string brand = model.brand;
  absl::RemoveExtraAsciiWhitespace(&brand);
  EXPECT_EQ(absl::StrFormat("%s  family/model/stepping: %d/%d/%d  brand: %s",
                            model.vendor, model.architectural.family,
                            model.architectural.model,
                            model.architectural.stepping, brand),
            note("vendor"));
  EXPECT_EQ(HeaderCaches(model.caches.leaf(CacheSource::kLeaf4)),
            note("caches (leaf 4)"));
  EXPECT_EQ(HeaderCaches(model.caches.leaf(CacheSource::kLeaf8000001D)),
            note("caches (leaf 0x8000001D)"));
  EXPECT_EQ(HeaderOldCaches(model.caches), note("caches (0x80000005/6)"));
  if (absl::StartsWith(note("xcr0"), "none")) {
    EXPECT_EQ(model.xcr0, std::nullopt);
    EXPECT_FALSE(model.HasCpuidBit("OSXSAVE"));
  } else {
    uint64_t xcr0;
    ASSERT_TRUE(absl::SimpleHexAtoi(note("xcr0"), &xcr0));
    EXPECT_THAT(model.xcr0, Optional(xcr0));
    EXPECT_TRUE(model.HasCpuidBit("OSXSAVE"));
  }
}

TEST_P(DumpTest, FindsTheHypervisorOfTheHead) {
  const CpuidDump dump = ReadDump(GetParam());
  const CpuModel model = DecodeCpuModel(dump.cpus[0]);
  const std::string wanted = dump.notes.at("hypervisor");
  EXPECT_EQ(model.is_guest(), dump.notes.at("role") != "host");
  if (model.hypervisor.guest_bit && model.hypervisor.ranges.empty()) {
    // Machine types up to pc-2.6: leaf 0x40000000 is zero.
    EXPECT_THAT(GetParam(), HasSubstr("_qemu72-tcg-"));
    EXPECT_EQ(model.hypervisor.kind, HypervisorKind::kUnknown);
  } else if (absl::StrContains(wanted, "TCG") ||
             absl::StrContains(wanted, "qemu-user")) {
    EXPECT_EQ(model.hypervisor.kind, HypervisorKind::kQemuTcg);
  } else {
    EXPECT_TRUE(absl::StartsWith(wanted, model.hypervisor.name))
        << wanted << " is not " << model.hypervisor.name;
  }
  EXPECT_EQ(model.hypervisor.tdx, absl::StrContains(wanted, "TDX"));
  EXPECT_EQ(!model.hypervisor.hint.empty(),
            absl::StrContains(wanted, "Firecracker"));
}

TEST_P(DumpTest, HasAMicroarchitectureAndPlausibleFeatures) {
  const CpuModel model = DecodeCpuModel(ReadDump(GetParam()).cpus[0]);
  EXPECT_TRUE(model.IsUsable("SSE2"));
  for (const FeatureState& feature : model.features) {
    EXPECT_TRUE(feature.cpuid || !feature.usable) << feature.name();
    EXPECT_THAT(DescribeFeature(feature), Not(IsEmpty()));
  }
  EXPECT_THAT(DescribeCpuModel(model), HasSubstr(model.vendor));
  // QEMU's made-up "qemu64" of old is an AMD of family 6, which none was.
  const bool is_made_up =
      model.vendor_kind == VendorKind::kAmd && model.architectural.family == 6;
  EXPECT_EQ(model.microarchitecture == nullptr, is_made_up)
      << DescribeCpuModel(model);
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, DumpTest, ::testing::ValuesIn(AllDumps()), [](const auto& info) {
      return absl::StrReplaceAll(
          info.param.substr(info.param.rfind('/') + 1),
          {{".txt", ""}, {"-", "_"}, {".", "_"}, {"+", "p"}});
    });

TEST(DumpTest, ThereAreDumps) { EXPECT_GE(AllDumps().size(), 66); }

TEST(SignatureTest, GlibcAndTheManualsCountDifferently) {
  // Ivy Bridge EX, stepping 7.
  EXPECT_EQ(GlibcSignature(VendorKind::kIntel, 0x306e7),
            (FamilyModelStepping{6, 62, 7}));
  EXPECT_EQ(GlibcSignature(VendorKind::kOther, 0x306e7),
            (FamilyModelStepping{}));
  EXPECT_EQ(ArchitecturalSignature(VendorKind::kOther, 0x306e7),
            (FamilyModelStepping{6, 62, 7}));
  // Zen 5, and Diamond Rapids.
  EXPECT_EQ(GlibcSignature(VendorKind::kAmd, 0xb00f21),
            (FamilyModelStepping{0x1a, 2, 1}));
  EXPECT_EQ(GlibcSignature(VendorKind::kIntel, 0x400f10),
            (FamilyModelStepping{19, 1, 0}));
  // Zhaoxin family 7 model 0x5b: the extended model counts there.
  EXPECT_EQ(GlibcSignature(VendorKind::kZhaoxin, 0x507b0),
            (FamilyModelStepping{7, 0x5b, 0}));
  EXPECT_EQ(ArchitecturalSignature(VendorKind::kZhaoxin, 0x507b0),
            (FamilyModelStepping{7, 0x5b, 0}));
  // Below 15 an AMD has no extended model.
  EXPECT_EQ(GlibcSignature(VendorKind::kAmd, 0x10663),
            (FamilyModelStepping{6, 6, 3}));
  // A family of Intel's beyond 6 and below 15 gets none from glibc.
  EXPECT_EQ(GlibcSignature(VendorKind::kIntel, 0x10763),
            (FamilyModelStepping{7, 6, 3}));
}

TEST(DecodeCpuModelTest, SeedGuestHasNoHttAndQemusCaches) {
  const CpuModel guest = Model("field/seed_guest_htt0");
  EXPECT_FALSE(guest.topology.htt);
  EXPECT_FALSE(guest.IsUsable("HTT"));
  EXPECT_TRUE(guest.is_guest());
  EXPECT_EQ(guest.microarchitecture_name(), "Ivy Bridge");
  EXPECT_EQ(guest.caches.Find(CacheSource::kLeaf2, 3)->size, 16u << 20);
  EXPECT_THAT(guest.caches.Find(CacheSource::kLeaf4, 3)->sharing_field,
              Optional(0));
  const CpuModel host = Model("field/seed_host_37m");
  EXPECT_TRUE(host.topology.htt);
  EXPECT_EQ(host.caches.Find(CacheSource::kLeaf4, 3)->size, 39321600);
  EXPECT_TRUE(host.caches.leaf_2_defers_to_leaf_4);
  EXPECT_EQ(host.topology.leaf_b.Find(2)->logical_cpus, 30);
}

TEST(DecodeCpuModelTest, HolesOfGuestsKeepTheirKind) {
  const CpuModel tdx = Model("field/tdx_guest_leaf_2_zero");
  EXPECT_EQ(tdx.StateOf(2), LeafState::kZero);
  EXPECT_EQ(tdx.StateOf(4), LeafState::kGood);
  const CpuModel turin = Model("field/turin_guest_80000006_zero");
  EXPECT_EQ(turin.StateOf(0x80000006), LeafState::kZero);
  EXPECT_EQ(turin.StateOf(0x8000001d), LeafState::kGood);
  const CpuModel zen = Model("field/zen_guest_8000001d_zero");
  EXPECT_EQ(zen.StateOf(0x80000006), LeafState::kGood);
  EXPECT_EQ(zen.StateOf(0x8000001d), LeafState::kZero);
  EXPECT_TRUE(Model("field/gvisor_amd_no_cache_leaves").caches.empty());
  EXPECT_TRUE(Model("field/gvisor_intel_no_cache_leaves").caches.empty());
  EXPECT_FALSE(Model("field/seed_guest_htt0").caches.empty());
  // A K8 has no leaf 0x8000001D at all.
  const CpuModel k8 = Model(
      "amd_0f-06-01_opteron-240-gen-1-class-opteron_qemu-tcg_"
      "qemu72-tcg-opteron-g1");
  EXPECT_EQ(k8.StateOf(0x8000001d), LeafState::kAbsent);
}

TEST(DecodeCpuModelTest, AnEmptySourceIsUnknown) {
  const CpuModel model = DecodeCpuModel(CpuidTable());
  EXPECT_EQ(model.vendor_kind, VendorKind::kOther);
  EXPECT_EQ(model.microarchitecture_name(), "unknown");
  EXPECT_EQ(model.max_extended_leaf, std::nullopt);
  EXPECT_TRUE(model.caches.empty());
  EXPECT_FALSE(model.IsUsable("SSE2"));
  EXPECT_FALSE(model.is_guest());
  EXPECT_EQ(model.brand, "");
  EXPECT_EQ(model.StateOf(4), LeafState::kAbsent);
}

TEST(DecodeCpuModelTest, NamesTheLeavesThatADumpLeavesOut) {
  EXPECT_THAT(Model("amd_1a-02-01_oxide-virtual-turin-like_local_"
                    "bhyve-this-machine")
                  .untold_leaves,
              IsEmpty());
  EXPECT_THAT(Model("field/seed_guest_htt0").untold_leaves,
              ::testing::Contains(5));
}

// A field of /proc/cpuinfo's first CPU.
std::string CpuinfoField(absl::string_view key) {
  const auto text = RealFileReader().Read("/proc/cpuinfo");
  if (!text.ok()) return "";
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    if (parts.size() == 2 && absl::StripAsciiWhitespace(parts[0]) == key) {
      return std::string(absl::StripAsciiWhitespace(parts[1]));
    }
  }
  return "";
}

TEST(DecodeCpuModelTest, AgreesWithLinuxAboutThisProcessor) {
  const std::string vendor = CpuinfoField("vendor_id");
  if (vendor.empty()) GTEST_SKIP() << "/proc/cpuinfo has no vendor_id";
  const CpuModel model = DecodeCpuModel(ReadNativeCpuid());
  EXPECT_EQ(absl::StripAsciiWhitespace(model.vendor), vendor);
  EXPECT_EQ(absl::StrCat(model.architectural.family),
            CpuinfoField("cpu family"));
  EXPECT_EQ(absl::StrCat(model.architectural.model), CpuinfoField("model"));
  const std::string flags = absl::StrCat(" ", CpuinfoField("flags"), " ");
  EXPECT_EQ(model.is_guest(), absl::StrContains(flags, " hypervisor "));
  EXPECT_EQ(model.IsUsable("ERMS"), absl::StrContains(flags, " erms "));
  EXPECT_EQ(model.IsUsable("FSRM"), absl::StrContains(flags, " fsrm "));
  EXPECT_EQ(model.IsUsable("AVX2"), absl::StrContains(flags, " avx2 "));
  EXPECT_EQ(model.IsUsable("AVX512VL"), absl::StrContains(flags, " avx512vl "));
  EXPECT_EQ(model.topology.htt, absl::StrContains(flags, " ht "));
}

}  // namespace
}  // namespace advisor
