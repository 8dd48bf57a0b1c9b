// The text form of InstLatx64 (users.atw.hu/instlatx64) and of AIDA64's raw
// dumps:
//
//   ------[ CPUID Registers / Logical CPU #0 ]------
//   CPUID 00000000: 00000016-756E6547-6C65746E-49656E69 [GenuineIntel]
//   CPUID 00000004: 1C004121-01C0003F-0000003F-00000000 [SL 00]
//
// Old ones have blanks in the place of the colon and no [SL ..]. Everything
// else in the file is prose. There is no XCR0: it comes from leaf 0xD.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"

namespace advisor {
namespace {

// "CPUID 00000004", and neither a word ("CPUID Registers") nor a longer number.
bool ConsumeLeaf(absl::string_view* line, uint32_t* leaf) {
  if (!absl::ConsumePrefix(line, "CPUID ")) return false;
  *line = StripBlanks(*line);
  const std::optional<uint32_t> digits = ConsumeEightHexDigits(line);
  if (!digits.has_value() ||
      (!line->empty() && absl::ascii_isxdigit((*line)[0]))) {
    return false;
  }
  *leaf = *digits;
  return true;
}

bool IsLeafLine(absl::string_view line) {
  uint32_t leaf;
  return ConsumeLeaf(&line, &leaf);
}

// "------[ Logical CPU #12 ]------", "CPU#012 AffMask: 0x...".
std::optional<uint32_t> CpuOfHeading(absl::string_view line) {
  size_t place = line.find("CPU #");
  size_t digits = place + 5;
  if (place == absl::string_view::npos) {
    place = line.find("CPU#");
    digits = place + 4;
  }
  if (place == absl::string_view::npos) return std::nullopt;
  size_t end = digits;
  while (end < line.size() && absl::ascii_isdigit(line[end])) ++end;
  uint32_t number;
  if (!absl::SimpleAtoi(line.substr(digits, end - digits), &number)) {
    return std::nullopt;
  }
  return number;
}

// "00000016-756E6547-6C65746E-49656E69", taken off.
std::optional<CpuidRegisters> ConsumeRegisters(absl::string_view* line) {
  CpuidRegisters registers;
  uint32_t* const fields[] = {&registers.eax, &registers.ebx, &registers.ecx,
                              &registers.edx};
  for (uint32_t* const field : fields) {
    if (field != fields[0] && !absl::ConsumePrefix(line, "-")) {
      return std::nullopt;
    }
    const std::optional<uint32_t> value = ConsumeEightHexDigits(line);
    if (!value.has_value()) return std::nullopt;
    *field = *value;
  }
  if (!line->empty() && !absl::ascii_isspace((*line)[0]) && (*line)[0] != '[') {
    return std::nullopt;
  }
  return registers;
}

class Parser {
 public:
  explicit Parser(absl::string_view name) : name_(name) {}

  absl::StatusOr<MachineInput> Parse(absl::string_view text) {
    LineReader lines(text);
    for (TextLine line; lines.Next(&line);) {
      line_ = line.number;
      const absl::Status status = ParseLine(StripBlanks(line.text));
      if (!status.ok()) return status;
    }
    return Finish();
  }

 private:
  struct Cpu {
    CpuidTable table;
    uint32_t last_leaf = 0;
  };

  absl::Status ParseLine(absl::string_view line) {
    uint32_t leaf;
    absl::string_view rest = line;
    if (!ConsumeLeaf(&rest, &leaf)) {
      if (const auto number = CpuOfHeading(line)) {
        current_ = *number;
        after_heading_ = true;
      }
      return absl::OkStatus();
    }
    absl::ConsumePrefix(&rest, ":");
    rest = StripBlanks(rest);
    const std::optional<CpuidRegisters> registers = ConsumeRegisters(&rest);
    if (!registers.has_value()) {
      return InputError(
          name_, line_,
          "\"CPUID LLLLLLLL: ........-........-........-........\"",
          QuotedInput(line));
    }
    // A list of CPUs without headings.
    if (leaf == 0 && !after_heading_ && cpus_[current_].table.Query(0)) {
      current_ = cpus_.rbegin()->first + 1;
    }
    after_heading_ = false;
    Cpu& cpu = cpus_[current_];
    const absl::StatusOr<uint32_t> subleaf = SubleafOf(rest, leaf, cpu, line);
    if (!subleaf.ok()) return subleaf.status();
    const auto known = cpu.table.entries().find({leaf, *subleaf});
    if (known != cpu.table.entries().end() && known->second != *registers) {
      return InputError(name_, line_, "one answer for a leaf and subleaf",
                        absl::StrCat("a second one, ", QuotedInput(line)));
    }
    cpu.table.Set(leaf, *subleaf, *registers);
    cpu.last_leaf = leaf;
    return absl::OkStatus();
  }

  // "[SL 00]"; without it, the leaf's next one.
  absl::StatusOr<uint32_t> SubleafOf(absl::string_view rest, uint32_t leaf,
                                     const Cpu& cpu,
                                     absl::string_view line) const {
    const size_t place = rest.find("[SL");
    if (place == absl::string_view::npos) {
      if (!LeafHasSubleaves(leaf) || cpu.last_leaf != leaf) return 0;
      const auto end = cpu.table.entries().upper_bound({leaf, ~uint32_t{0}});
      if (end == cpu.table.entries().begin()) return 0;
      const CpuidInput last = std::prev(end)->first;
      return last.leaf == leaf ? last.subleaf + 1 : 0;
    }
    const absl::string_view text = rest.substr(place + 3);
    const size_t end = text.find(']');
    uint32_t subleaf;
    if (end == absl::string_view::npos ||
        !absl::SimpleHexAtoi(StripBlanks(text.substr(0, end)), &subleaf)) {
      return InputError(name_, line_, "a subleaf \"[SL 00]\"",
                        QuotedInput(line));
    }
    return subleaf;
  }

  absl::StatusOr<MachineInput> Finish() {
    MachineInput input;
    std::vector<NumberedCpu> cpus;
    for (auto& [number, cpu] : cpus_) {
      if (const auto gap = FindCpuidDumpGap(cpu.table, cpu.last_leaf)) {
        return InputError(name_, line_,
                          absl::StrCat(gap->expected, " (CPU ", number, ")"),
                          gap->found);
      }
      cpu.table.SetXcr0(Xcr0FromLeafD(cpu.table));
      cpus.push_back({number, std::move(cpu.table)});
    }
    if (cpus.empty()) {
      return InputError(name_, line_, "lines \"CPUID 00000000: ...\"", "none");
    }
    input.name = std::string(name_);
    AddCores(std::move(cpus), &input);
    input.has_cache_leaves = true;
    input.has_features = true;
    return input;
  }

  absl::string_view name_;
  int line_ = 0;
  uint32_t current_ = 0;
  bool after_heading_ = false;
  std::map<uint32_t, Cpu> cpus_;
};

}  // namespace

bool LooksLikeInstLatx64(absl::string_view front) {
  return AnyLine(front, IsLeafLine);
}

absl::StatusOr<MachineInput> ParseInstLatx64(absl::string_view text,
                                             absl::string_view name) {
  return Parser(name).Parse(text);
}

}  // namespace advisor
