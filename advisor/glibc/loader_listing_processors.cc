#include "advisor/glibc/loader_listing_processors.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

// More leaves or subleaves than any CPU has; bounds the work that a damaged
// listing can ask for.
constexpr uint32_t kMaxLeaves = 1024;
constexpr uint32_t kMaxSubleaves = 512;

constexpr uint32_t kExtendedLeaves = 0x80000000;

uint32_t* RegisterOf(absl::string_view name, CpuidRegisters* registers) {
  if (name == "eax") return &registers->eax;
  if (name == "ebx") return &registers->ebx;
  if (name == "ecx") return &registers->ecx;
  if (name == "edx") return &registers->edx;
  return nullptr;
}

// One past the last subleaf of `leaf` that the table has, at least 1.
uint32_t EndOfSubleaves(const CpuidTable& table, uint32_t leaf) {
  const auto after = table.entries().upper_bound({leaf, ~uint32_t{0}});
  if (after == table.entries().begin()) return 1;
  const CpuidInput last = std::prev(after)->first;
  return last.leaf == leaf ? last.subleaf + 1 : 1;
}

}  // namespace

std::optional<uint64_t> ParseListedHex(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "0x") || text.empty() || text.size() > 16 ||
      !std::all_of(text.begin(), text.end(), absl::ascii_isxdigit)) {
    return std::nullopt;
  }
  uint64_t value;
  if (!absl::SimpleHexAtoi(text, &value)) return std::nullopt;
  return value;
}

std::optional<uint32_t> ConsumeIndex(absl::string_view name,
                                     absl::string_view* text) {
  absl::string_view rest = *text;
  if (!absl::ConsumePrefix(&rest, name) || !absl::ConsumePrefix(&rest, "[")) {
    return std::nullopt;
  }
  const size_t close = rest.find(']');
  if (close == absl::string_view::npos) return std::nullopt;
  const std::optional<uint64_t> index = ParseListedHex(rest.substr(0, close));
  if (!index.has_value() || *index > ~uint32_t{0}) return std::nullopt;
  *text = rest.substr(close + 1);
  return *index;
}

bool ProcessorLines::Add(absl::string_view key, uint64_t value) {
  const std::optional<uint32_t> index = ConsumeIndex("", &key);
  if (!index.has_value() || !absl::ConsumePrefix(&key, ".")) return false;
  Lines& lines = lines_[*index];
  if (key == "xgetbv.ecx[0x0]") {
    lines.xcr0 = value;
    return true;
  }
  if (value > ~uint32_t{0}) return false;
  if (absl::ConsumePrefix(&key, "cpuid.")) return AddCpuid(key, value, &lines);
  if (key == "requested") {
    lines.requested = value;
  } else if (key == "observed") {
    lines.observed = value;
  } else if (key == "observed_node") {
    lines.observed_node = value;
  } else if (key == "cpuid_leaves") {
    lines.cpuid_leaves = value;
  } else if (key == "ecx_limit") {
    lines.ecx_limit = value;
  } else {
    return false;
  }
  return true;
}

bool ProcessorLines::AddCpuid(absl::string_view key, uint64_t value,
                              Lines* lines) {
  CpuidInput input;
  bool by_subleaf = false;
  if (const auto leaf = ConsumeIndex("eax", &key)) {
    input.leaf = *leaf;
  } else if (const auto leaf = ConsumeIndex("subleaf_eax", &key)) {
    const auto subleaf = ConsumeIndex(".ecx", &key);
    if (!subleaf.has_value()) return false;
    input = {*leaf, *subleaf};
    by_subleaf = true;
  } else {
    return false;
  }
  if (!absl::ConsumePrefix(&key, ".")) return false;
  Record& record = lines->records[input];
  record.by_subleaf = by_subleaf;
  if (uint32_t* const target = RegisterOf(key, &record.registers)) {
    *target = value;
    ++record.registers_seen;
    return true;
  }
  if (!by_subleaf) return false;
  if (key == "until_ecx") {
    record.last = value;
    return value > input.subleaf;
  }
  if (key == "ecx_query_mask") {
    record.ecx_repeats_subleaf = true;
    return value == 0xff;
  }
  return false;
}

CpuidTable ProcessorLines::MakeTable(const Records& records, bool complete,
                                     size_t& budget) {
  CpuidTable table;
  for (const auto& [input, record] : records) {
    if (record.registers_seen != 4) continue;
    if (budget == 0) break;
    if (!LeafHasSubleaves(input.leaf)) {
      --budget;
      if (input.subleaf == 0) table.Set(input.leaf, 0, record.registers);
      continue;
    }
    const uint32_t last = record.last.value_or(input.subleaf);
    for (uint32_t subleaf = input.subleaf;
         subleaf <= last && subleaf < kMaxSubleaves && budget > 0;
         ++subleaf, --budget) {
      CpuidRegisters registers = record.registers;
      if (record.ecx_repeats_subleaf) {
        registers.ecx = (registers.ecx & ~0xffu) | (subleaf & 0xff);
      }
      table.Set(input.leaf, subleaf, registers);
    }
  }
  if (complete) {
    AddZeroAnswers(records, 0, &table, budget);
    AddZeroAnswers(records, kExtendedLeaves, &table, budget);
  }
  return table;
}

void ProcessorLines::AddZeroAnswers(const Records& records, uint32_t first_leaf,
                                    CpuidTable* table, size_t& budget) {
  const std::optional<CpuidRegisters> maximum = table->Query(first_leaf);
  if (!maximum.has_value() || maximum->eax < first_leaf) return;
  const uint32_t count = std::min(maximum->eax - first_leaf, kMaxLeaves);
  for (uint32_t leaf = first_leaf; leaf <= first_leaf + count; ++leaf) {
    const auto record = records.find({leaf, 0});
    const bool is_ambiguous =
        record != records.end() && !record->second.by_subleaf;
    uint32_t end = 1;
    if (LeafHasSubleaves(leaf) && !is_ambiguous) {
      end = EndOfSubleaves(*table, leaf) + 1;
    }
    for (uint32_t subleaf = 0; subleaf < end && budget > 0;
         ++subleaf, --budget) {
      if (!table->Query(leaf, subleaf).has_value()) {
        table->Set(leaf, subleaf, CpuidRegisters{});
      }
    }
  }
}

std::optional<std::vector<ListedProcessor>> ProcessorLines::Build() const {
  std::vector<ListedProcessor> processors;
  size_t budget = kMaxAnswers;
  Records records;
  uint64_t xcr0 = 0;
  bool has_all_before = true;
  for (const auto& [index, lines] : lines_) {
    has_all_before = has_all_before && index == processors.size();
    for (const auto& [input, record] : lines.records) {
      // All zero: the CPU before had this record, this one has not.
      if (record.registers_seen == 4 && record.registers == CpuidRegisters{}) {
        records.erase(input);
      } else {
        records[input] = record;
      }
    }
    xcr0 = lines.xcr0.value_or(xcr0);
    const bool all_whole = std::all_of(
        records.begin(), records.end(),
        [](const auto& entry) { return entry.second.registers_seen == 4; });
    ListedProcessor processor;
    processor.index = index;
    processor.requested = lines.requested;
    processor.observed = lines.observed;
    processor.observed_node = lines.observed_node;
    processor.complete = has_all_before && all_whole &&
                         lines.ecx_limit.has_value() &&
                         lines.cpuid_leaves == records.size();
    processor.cpuid = MakeTable(records, processor.complete, budget);
    if (budget == 0) return std::nullopt;
    if (xcr0 != 0) processor.cpuid.SetXcr0(xcr0);
    processors.push_back(std::move(processor));
  }
  return processors;
}

}  // namespace advisor
