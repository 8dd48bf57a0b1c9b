#include "advisor/input/core_kinds.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace advisor {
namespace {

// Sorted.
constexpr uint32_t kLeavesOfGlibc[] = {
    0,          1,          2,          4,          7,
    0xb,        0xd,        0x80000000, 0x80000001, 0x80000005,
    0x80000006, 0x80000007, 0x80000008, 0x8000001d};

// What glibc could see of a CPU, apart from which CPU it is.
std::map<CpuidInput, CpuidRegisters> Visible(const CpuidTable& cpu) {
  std::map<CpuidInput, CpuidRegisters> visible;
  for (const auto& [input, registers] : cpu.entries()) {
    if (!std::binary_search(std::begin(kLeavesOfGlibc),
                            std::end(kLeavesOfGlibc), input.leaf)) {
      continue;
    }
    CpuidRegisters kept = registers;
    if (input.leaf == 1) kept.ebx &= 0x00ffffff;
    if (input.leaf == 0xb) kept.edx = 0;
    visible.emplace(input, kept);
  }
  return visible;
}

std::string KeyOf(const CpuidTable& cpu) {
  std::string key =
      cpu.Xcr0().has_value() ? absl::StrCat(absl::Hex(*cpu.Xcr0())) : "none";
  for (const auto& [input, registers] : Visible(cpu)) {
    absl::StrAppend(&key, ";", absl::Hex(input.leaf), ":",
                    absl::Hex(input.subleaf), ":", absl::Hex(registers.eax),
                    ",", absl::Hex(registers.ebx), ",",
                    absl::Hex(registers.ecx), ",", absl::Hex(registers.edx));
  }
  return key;
}

absl::string_view HybridName(const CpuidTable& cpu) {
  switch (cpu.Execute(0x1a).eax >> 24) {
    case 0x20:
      return "atom";
    case 0x40:
      return "core";
    default:
      return "";
  }
}

void NameKinds(std::vector<CoreKind>* kinds) {
  size_t count = 0;
  for (const CoreKind& kind : *kinds) count += kind.cpus.size();
  if (count <= 1) return;
  for (CoreKind& kind : *kinds) {
    const std::string list = absl::StrCat("CPU ", FormatCpuList(kind.cpus));
    const absl::string_view hybrid = HybridName(kind.cpuid);
    kind.name = kinds->size() == 1 || hybrid.empty()
                    ? list
                    : absl::StrCat(hybrid, " (", list, ")");
  }
}

std::string DifferingLeaves(const CpuidTable& one, const CpuidTable& other) {
  const auto left = Visible(one);
  const auto right = Visible(other);
  std::set<uint32_t> leaves;
  const auto compare = [&](const auto& from, const auto& to) {
    for (const auto& [input, registers] : from) {
      const auto match = to.find(input);
      if (match == to.end() || match->second != registers) {
        leaves.insert(input.leaf);
      }
    }
  };
  compare(left, right);
  compare(right, left);
  std::vector<std::string> words;
  for (const uint32_t leaf : leaves) {
    words.push_back(absl::StrFormat("leaf 0x%x", leaf));
  }
  if (one.Xcr0() != other.Xcr0()) words.push_back("XCR0");
  return absl::StrJoin(words, ", ");
}

}  // namespace

std::vector<CoreKind> GroupIntoKinds(std::vector<NumberedCpu> cpus) {
  std::vector<CoreKind> kinds;
  std::map<std::string, size_t> index_of;
  for (NumberedCpu& cpu : cpus) {
    const auto [place, is_new] =
        index_of.emplace(KeyOf(cpu.cpuid), kinds.size());
    if (is_new) {
      kinds.emplace_back();
      kinds.back().cpuid = std::move(cpu.cpuid);
    }
    kinds[place->second].cpus.push_back(cpu.number);
  }
  for (CoreKind& kind : kinds) std::sort(kind.cpus.begin(), kind.cpus.end());
  NameKinds(&kinds);
  return kinds;
}

void AddCores(std::vector<NumberedCpu> cpus, MachineInput* input) {
  input->cores = GroupIntoKinds(std::move(cpus));
  for (size_t i = 1; i < input->cores.size(); ++i) {
    const CoreKind& first = input->cores[0];
    const CoreKind& kind = input->cores[i];
    input->warnings.push_back(
        absl::StrCat(kind.name, " and ", first.name, " differ in ",
                     DifferingLeaves(first.cpuid, kind.cpuid),
                     ": glibc computes from the CPU that a program starts on"));
  }
}

std::string FormatCpuList(absl::Span<const uint32_t> cpus) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < cpus.size();) {
    size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] - cpus[last] == 1) ++last;
    ranges.push_back(last == i ? absl::StrCat(cpus[i])
                               : absl::StrCat(cpus[i], "-", cpus[last]));
    i = last + 1;
  }
  return absl::StrJoin(ranges, ",");
}

}  // namespace advisor
