#include "advisor/evidence/cpuid_difference.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/prediction.h"

namespace advisor {
namespace {

constexpr uint32_t kAll = 0xffffffff;
constexpr uint32_t kSharing = 0x03ffc000;  // EAX[25:14]
constexpr int kEax = 0;
constexpr int kEbx = 1;
constexpr int kEcx = 2;
constexpr int kEdx = 3;
constexpr uint32_t kCacheSubleaves = 6;
constexpr uint32_t kTopologySubleaves = 4;

uint32_t Register(const CpuidRegisters& registers, int reg) {
  switch (reg) {
    case kEax:
      return registers.eax;
    case kEbx:
      return registers.ebx;
    case kEcx:
      return registers.ecx;
    default:
      return registers.edx;
  }
}

uint32_t& Register(CpuidRegisters& registers, int reg) {
  switch (reg) {
    case kEax:
      return registers.eax;
    case kEbx:
      return registers.ebx;
    case kEcx:
      return registers.ecx;
    default:
      return registers.edx;
  }
}

// "7:0:EBX[31]" as a field.
CpuidField ParseSource(absl::string_view source) {
  const std::vector<std::string> words = absl::StrSplit(source, ':');
  CpuidField field;
  (void)absl::SimpleHexAtoi(words[0], &field.leaf);
  (void)absl::SimpleHexAtoi(words[1], &field.subleaf);
  const absl::string_view reg = words[2];
  for (const auto& [name, number] :
       {std::pair("EAX", kEax), std::pair("EBX", kEbx), std::pair("ECX", kEcx),
        std::pair("EDX", kEdx)}) {
    if (reg.substr(0, 3) == name) field.reg = number;
  }
  int bit = 0;
  (void)absl::SimpleAtoi(absl::StripSuffix(reg.substr(4), "]"), &bit);
  field.mask = 1u << bit;
  return field;
}

std::vector<CpuidPart> MakeParts() {
  using S = GuestSetting;
  std::vector<CpuidPart> parts = {
      {"vendor",
       "0:0:EBX,EDX,ECX",
       S::kVendor,
       {{0, 0, kEbx, kAll}, {0, 0, kEcx, kAll}, {0, 0, kEdx, kAll}}},
      {"highest leaf", "0:0:EAX", S::kHighestLeaves, {{0, 0, kEax, kAll}}},
      {"highest extended leaf",
       "80000000:0:EAX",
       S::kHighestLeaves,
       {{0x80000000, 0, kEax, kAll}}},
      {"family, model, stepping",
       "1:0:EAX",
       S::kCpuModel,
       {{1, 0, kEax, kAll}}},
      {"HTT", "1:0:EDX[28]", S::kTopology, {{1, 0, kEdx, 1u << 28}}},
      {"logical processors",
       "1:0:EBX[23:16]",
       S::kTopology,
       {{1, 0, kEbx, 0x00ff0000}}},
  };
  for (int i = 0; i < kFeatureCount; ++i) {
    const Feature feature = static_cast<Feature>(i);
    if (feature == Feature::kHtt) continue;
    const std::string source = FeatureSource(feature);
    parts.push_back({std::string(FeatureName(feature)),
                     source,
                     S::kFeatures,
                     {ParseSource(source)}});
  }
  CpuidPart xcr0 = {"XCR0", "xgetbv(0)", S::kFeatures, {}, true};
  for (int reg = kEax; reg <= kEdx; ++reg) {
    xcr0.fields.push_back({0xd, 0, reg, kAll});
  }
  parts.push_back(xcr0);
  parts.push_back({"cache descriptors",
                   "2:0",
                   S::kCacheSizes,
                   {{2, 0, kEax, kAll},
                    {2, 0, kEbx, kAll},
                    {2, 0, kEcx, kAll},
                    {2, 0, kEdx, kAll}}});
  for (const uint32_t leaf : {4u, 0x8000001du}) {
    for (uint32_t i = 0; i < kCacheSubleaves; ++i) {
      parts.push_back({"size of a cache",
                       absl::StrFormat("%x:%x:EBX,ECX", leaf, i),
                       leaf == 4 ? S::kCacheSizes : S::kAmdCacheLeaf,
                       {{leaf, i, kEax, ~kSharing},
                        {leaf, i, kEbx, kAll},
                        {leaf, i, kEcx, kAll},
                        {leaf, i, kEdx, kAll}}});
      parts.push_back({"sharers of a cache",
                       absl::StrFormat("%x:%x:EAX[25:14]", leaf, i),
                       leaf == 4 ? S::kTopology : S::kAmdCacheLeaf,
                       {{leaf, i, kEax, kSharing}}});
    }
  }
  for (uint32_t i = 0; i < kTopologySubleaves; ++i) {
    parts.push_back(
        {"processors of a level",
         absl::StrFormat("b:%x:EBX[15:0],ECX", i),
         S::kTopology,
         {{0xb, i, kEax, kAll}, {0xb, i, kEbx, kAll}, {0xb, i, kEcx, kAll}}});
  }
  parts.push_back({"L1 size",
                   "80000005:0:ECX,EDX",
                   S::kCacheSizes,
                   {{0x80000005, 0, kEcx, kAll}, {0x80000005, 0, kEdx, kAll}}});
  parts.push_back({"L2 size",
                   "80000006:0:ECX",
                   S::kCacheSizes,
                   {{0x80000006, 0, kEcx, kAll}}});
  parts.push_back({"L3 size",
                   "80000006:0:EDX",
                   S::kCacheSizes,
                   {{0x80000006, 0, kEdx, kAll}}});
  parts.push_back({"threads of the package",
                   "80000008:0:ECX",
                   S::kTopology,
                   {{0x80000008, 0, kEcx, kAll}}});
  return parts;
}

using Values = std::map<std::string, std::string>;

Values ValuesOf(const CpuidTable& cpu, const GlibcBuild& build,
                absl::string_view glibc_tunables) {
  const Prediction prediction =
      Predict(cpu, build, glibc_tunables, Reasoning::kOmitted);
  if (prediction.hangs) return {{"hangs", "yes"}};
  Values values = {{"hangs", "no"}};
  const std::vector<std::string> names =
      absl::StrSplit(PredictionCsvHeader(), ',');
  const std::vector<std::string> fields =
      absl::StrSplit(FormatPredictionCsv("", prediction), ',');
  for (size_t i = 2; i < names.size(); ++i) values[names[i]] = fields[i];
  return values;
}

std::string ValueOf(const Values& values, const std::string& name) {
  const auto value = values.find(name);
  return value == values.end() ? "" : value->second;
}

class CauseFinder {
 public:
  CauseFinder(const CpuidTable& host, const CpuidTable& guest,
              const GlibcBuild& build, absl::string_view glibc_tunables)
      : host_(host),
        guest_(guest),
        build_(build),
        glibc_tunables_(glibc_tunables) {
    for (const CpuidPart& part : AllCpuidParts()) {
      if (PartDiffers(part, host, guest)) parts_.push_back(&part);
    }
  }

  std::vector<const CpuidPart*> Find(const std::string& name,
                                     const std::string& wanted) {
    for (const CpuidPart* one : parts_) {
      if (Restores({one}, name, wanted)) return {one};
    }
    for (size_t i = 0; i < parts_.size(); ++i) {
      for (size_t j = i + 1; j < parts_.size(); ++j) {
        if (Restores({parts_[i], parts_[j]}, name, wanted)) {
          return {parts_[i], parts_[j]};
        }
      }
    }
    std::vector<const CpuidPart*> set = parts_;
    if (!Restores(set, name, wanted)) return {};
    for (const CpuidPart* part : parts_) {
      std::vector<const CpuidPart*> without;
      std::copy_if(set.begin(), set.end(), std::back_inserter(without),
                   [&](const CpuidPart* other) { return other != part; });
      if (Restores(without, name, wanted)) set = std::move(without);
    }
    return set;
  }

 private:
  bool Restores(const std::vector<const CpuidPart*>& parts,
                const std::string& name, const std::string& wanted) {
    auto [known, is_new] = known_.try_emplace(parts);
    if (is_new) {
      CpuidTable table = guest_;
      for (const CpuidPart* part : parts) CopyPart(*part, host_, &table);
      known->second = ValuesOf(table, build_, glibc_tunables_);
    }
    return ValueOf(known->second, name) == wanted;
  }

  const CpuidTable& host_;
  const CpuidTable& guest_;
  const GlibcBuild& build_;
  const absl::string_view glibc_tunables_;
  std::vector<const CpuidPart*> parts_;
  std::map<std::vector<const CpuidPart*>, Values> known_;
};

}  // namespace

const std::vector<CpuidPart>& AllCpuidParts() {
  static const auto* const parts = new std::vector<CpuidPart>(MakeParts());
  return *parts;
}

bool PartDiffers(const CpuidPart& part, const CpuidTable& a,
                 const CpuidTable& b) {
  if (part.is_xcr0 && a.Xcr0() != b.Xcr0()) return true;
  return std::any_of(
      part.fields.begin(), part.fields.end(), [&](const CpuidField& field) {
        const uint32_t in_a =
            Register(a.Execute(field.leaf, field.subleaf), field.reg);
        const uint32_t in_b =
            Register(b.Execute(field.leaf, field.subleaf), field.reg);
        return ((in_a ^ in_b) & field.mask) != 0;
      });
}

void CopyPart(const CpuidPart& part, const CpuidTable& from, CpuidTable* to) {
  if (part.is_xcr0) to->SetXcr0(from.Xcr0());
  for (const CpuidField& field : part.fields) {
    CpuidRegisters registers = to->Execute(field.leaf, field.subleaf);
    uint32_t& value = Register(registers, field.reg);
    const uint32_t other =
        Register(from.Execute(field.leaf, field.subleaf), field.reg);
    value = (value & ~field.mask) | (other & field.mask);
    to->Set(field.leaf, field.subleaf, registers);
  }
}

std::string PartValue(const CpuidPart& part, const CpuidTable& cpu) {
  if (part.is_xcr0) {
    return cpu.Xcr0().has_value() ? absl::StrFormat("%#x", *cpu.Xcr0())
                                  : "none";
  }
  std::vector<std::string> words;
  for (const CpuidField& field : part.fields) {
    const uint32_t value =
        Register(cpu.Execute(field.leaf, field.subleaf), field.reg) &
        field.mask;
    if (field.mask == kAll || field.mask == ~kSharing) {
      words.push_back(absl::StrFormat("%08x", value));
    } else {
      words.push_back(absl::StrCat(value >> __builtin_ctz(field.mask)));
    }
  }
  return absl::StrJoin(words, " ");
}

std::vector<ValueDifference> CompareMachines(const CpuidTable& host,
                                             const CpuidTable& guest,
                                             const GlibcBuild& build,
                                             absl::string_view glibc_tunables) {
  const Values of_host = ValuesOf(host, build, glibc_tunables);
  const Values of_guest = ValuesOf(guest, build, glibc_tunables);
  CauseFinder finder(host, guest, build, glibc_tunables);
  std::vector<std::string> names = absl::StrSplit(PredictionCsvHeader(), ',');
  names.erase(names.begin(), names.begin() + 2);
  names.push_back("hangs");
  const bool either_hangs =
      ValueOf(of_host, "hangs") == "yes" || ValueOf(of_guest, "hangs") == "yes";
  std::vector<ValueDifference> differences;
  for (const std::string& name : names) {
    if (either_hangs && name != "hangs") continue;
    ValueDifference difference = {
        name, ValueOf(of_host, name), ValueOf(of_guest, name), {}};
    if (difference.host == difference.guest) continue;
    difference.causes = finder.Find(name, difference.host);
    differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace advisor
