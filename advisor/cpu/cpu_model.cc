#include "advisor/cpu/cpu_model.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

uint32_t Stepping(uint32_t eax) { return eax & 0xf; }
uint32_t BaseModel(uint32_t eax) { return eax >> 4 & 0xf; }
uint32_t BaseFamily(uint32_t eax) { return eax >> 8 & 0xf; }
uint32_t ExtendedModel(uint32_t eax) { return (eax >> 16 & 0xf) << 4; }
uint32_t ExtendedFamily(uint32_t eax) { return eax >> 20 & 0xff; }

void AppendWord(uint32_t word, std::string* text) {
  for (int shift = 0; shift < 32; shift += 8) {
    text->push_back(static_cast<char>(word >> shift));
  }
}

std::string DecodeVendor(const CpuidSource& cpu) {
  const CpuidRegisters answer = cpu.Execute(0);
  std::string vendor;
  AppendWord(answer.ebx, &vendor);
  AppendWord(answer.edx, &vendor);
  AppendWord(answer.ecx, &vendor);
  return vendor;
}

// Up to the first NUL, without the blanks that vendors pad with; any other
// byte that is not printable becomes '?'.
std::string DecodeBrand(const CpuidSource& cpu) {
  std::string brand;
  for (uint32_t leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const auto answer = QueryAnnounced(cpu, leaf);
    if (!answer.has_value()) return "";
    for (const uint32_t word :
         {answer->eax, answer->ebx, answer->ecx, answer->edx}) {
      AppendWord(word, &brand);
    }
  }
  brand.resize(std::min(brand.find('\0'), brand.size()));
  for (char& c : brand) {
    if (!absl::ascii_isprint(c)) c = '?';
  }
  return std::string(absl::StripAsciiWhitespace(brand));
}

std::vector<LeafFact> CollectLeafFacts(const CpuidSource& cpu,
                                       const CpuModel& model) {
  std::vector<LeafFact> facts;
  for (const CacheLeaf& leaf : model.caches.leaves) facts.push_back(leaf.fact);
  facts.push_back(model.topology.leaf_b.fact);
  facts.push_back(model.topology.leaf_1f.fact);
  facts.push_back(model.topology.leaf_80000008);
  facts.push_back(model.topology.leaf_8000001e);
  for (const uint32_t leaf : {0x7u, 0xdu, 0x21u, 0x8000001fu}) {
    facts.push_back(BasicLeafFact(cpu, leaf));
  }
  std::sort(facts.begin(), facts.end(),
            [](const LeafFact& left, const LeafFact& right) {
              return left.leaf < right.leaf;
            });
  return facts;
}

std::vector<uint32_t> FindUntoldLeaves(const CpuidSource& cpu) {
  // More leaves than any processor has would only be a wrong leaf 0.
  constexpr uint32_t kMostLeaves = 0x400;
  std::vector<uint32_t> untold;
  const uint32_t highest = HighestLeaf(cpu, 0).value_or(0);
  for (uint32_t leaf = 0; leaf <= std::min(highest, kMostLeaves); ++leaf) {
    if (!cpu.Query(leaf).has_value()) untold.push_back(leaf);
  }
  return untold;
}

const FeatureState* FindByName(const std::vector<FeatureState>& features,
                               absl::string_view name) {
  for (const FeatureState& feature : features) {
    if (feature.name() == name) return &feature;
  }
  return nullptr;
}

}  // namespace

FamilyModelStepping ArchitecturalSignature(VendorKind vendor, uint32_t eax) {
  FamilyModelStepping result{BaseFamily(eax), BaseModel(eax), Stepping(eax)};
  const bool has_extended_model =
      result.family == 15 ||
      (result.family == 6 && vendor != VendorKind::kAmd) ||
      vendor == VendorKind::kZhaoxin;
  if (has_extended_model) result.model += ExtendedModel(eax);
  if (result.family == 15) result.family += ExtendedFamily(eax);
  return result;
}

FamilyModelStepping GlibcSignature(VendorKind vendor, uint32_t eax) {
  if (vendor == VendorKind::kOther) return {};
  FamilyModelStepping result{BaseFamily(eax), BaseModel(eax), Stepping(eax)};
  if (result.family == 15) {
    result.family += ExtendedFamily(eax);
    result.model += ExtendedModel(eax);
  }
  if ((vendor == VendorKind::kIntel && result.family == 6) ||
      vendor == VendorKind::kZhaoxin) {
    result.model += ExtendedModel(eax);
  }
  return result;
}

bool CpuModel::HasCpuidBit(absl::string_view feature) const {
  const FeatureState* found = FindByName(features, feature);
  return found != nullptr && found->cpuid;
}

bool CpuModel::IsUsable(absl::string_view feature) const {
  const FeatureState* found = FindByName(features, feature);
  return found != nullptr && found->usable;
}

LeafState CpuModel::StateOf(uint32_t leaf) const {
  for (const LeafFact& fact : leaf_facts) {
    if (fact.leaf == leaf) return fact.state;
  }
  return LeafState::kAbsent;
}

absl::string_view CpuModel::microarchitecture_name() const {
  return microarchitecture == nullptr ? "unknown" : microarchitecture->name;
}

CpuModel DecodeCpuModel(const CpuidSource& cpu) {
  CpuModel model;
  model.vendor = DecodeVendor(cpu);
  model.vendor_kind = VendorKindOf(model.vendor);
  model.brand = DecodeBrand(cpu);
  model.max_leaf = cpu.Execute(0).eax;
  model.max_extended_leaf = HighestLeaf(cpu, 0x80000000);
  model.xcr0 = cpu.Xcr0();
  if (const auto leaf1 = QueryAnnounced(cpu, 1); leaf1.has_value()) {
    model.signature = leaf1->eax;
  }
  model.architectural =
      ArchitecturalSignature(model.vendor_kind, model.signature);
  model.glibc = GlibcSignature(model.vendor_kind, model.signature);
  model.microarchitecture = FindMicroarchitecture(
      model.vendor_kind, model.architectural.family, model.architectural.model,
      model.architectural.stepping);
  model.features = DecodeFeatures(cpu);
  model.caches = DecodeCacheClaims(cpu, model.architectural.family,
                                   model.architectural.model);
  const bool is_amd = model.vendor_kind == VendorKind::kAmd ||
                      model.vendor_kind == VendorKind::kHygon;
  model.topology = DecodeTopology(cpu, is_amd);
  model.hypervisor = DecodeHypervisor(cpu, model.brand);
  model.leaf_facts = CollectLeafFacts(cpu, model);
  model.untold_leaves = FindUntoldLeaves(cpu);
  return model;
}

std::string DescribeCpuModel(const CpuModel& model) {
  const FamilyModelStepping& name = model.architectural;
  std::string text = absl::StrFormat(
      "%s (%s %d/%d/%d, %s)", model.brand.empty() ? "CPU" : model.brand,
      absl::CHexEscape(model.vendor), name.family, name.model, name.stepping,
      model.microarchitecture_name());
  if (model.is_guest()) {
    absl::StrAppend(&text, ", guest of ", DescribeHypervisor(model.hypervisor));
  }
  return text;
}

}  // namespace advisor
