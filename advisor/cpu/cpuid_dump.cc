#include "advisor/cpu/cpuid_dump.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

constexpr absl::string_view kXcr0Note = "xcr0";
constexpr absl::string_view kLeafLine =
    "\"0xLLLLLLLL 0xSS: eax=0x........ ebx=0x........ ecx=0x........ "
    "edx=0x........\"";
constexpr size_t kQuotedBytes = 60;

constexpr uint32_t kRangeBits = 0xffff0000;
constexpr uint32_t kExtendedBase = 0x80000000;
// AMD's cache leaf; a dump made by hand may stop there.
constexpr uint32_t kLastExtendedLeafThatCounts = 0x8000001d;

std::string Quoted(absl::string_view text) {
  const bool is_long = text.size() > kQuotedBytes;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kQuotedBytes)),
                      is_long ? "...\"" : "\"");
}

bool IsHexDigits(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isxdigit(c)) return false;
  }
  return !text.empty();
}

// Takes `prefix` and then hex digits off the front; false when there are fewer
// than `least` or more than `most` of them.
bool ConsumeHex(absl::string_view prefix, size_t least, size_t most,
                absl::string_view* rest, uint32_t* value) {
  if (!absl::ConsumePrefix(rest, prefix)) return false;
  size_t digits = 0;
  while (digits < rest->size() && absl::ascii_isxdigit((*rest)[digits])) {
    ++digits;
  }
  if (digits < least || digits > most) return false;
  if (!absl::SimpleHexAtoi(rest->substr(0, digits), value)) return false;
  rest->remove_prefix(digits);
  return true;
}

// All eight digits of a register are asked for: fewer mean a cut line.
bool ParseLeafLine(absl::string_view line, CpuidInput* input,
                   CpuidRegisters* registers) {
  return ConsumeHex("0x", 8, 8, &line, &input->leaf) &&
         ConsumeHex(" 0x", 2, 8, &line, &input->subleaf) &&
         ConsumeHex(": eax=0x", 8, 8, &line, &registers->eax) &&
         ConsumeHex(" ebx=0x", 8, 8, &line, &registers->ebx) &&
         ConsumeHex(" ecx=0x", 8, 8, &line, &registers->ecx) &&
         ConsumeHex(" edx=0x", 8, 8, &line, &registers->edx) && line.empty();
}

// "CPU:" or "CPU 17:".
bool IsCpuLine(absl::string_view line) {
  if (!absl::ConsumePrefix(&line, "CPU") || !absl::ConsumeSuffix(&line, ":")) {
    return false;
  }
  uint32_t number;
  return line.empty() || (line[0] == ' ' && absl::SimpleAtoi(line, &number));
}

// "key: value" of a comment; an empty key when it is another comment.
std::pair<std::string, std::string> ParseNote(absl::string_view comment) {
  const size_t colon = comment.find(':');
  if (colon == absl::string_view::npos) return {};
  return {std::string(absl::StripAsciiWhitespace(comment.substr(0, colon))),
          std::string(absl::StripAsciiWhitespace(comment.substr(colon + 1)))};
}

class Parser {
 public:
  explicit Parser(absl::string_view name) : name_(name) {}

  absl::StatusOr<CpuidDump> Parse(absl::string_view text) {
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++line_;
      const absl::Status status = ParseLine(absl::StripAsciiWhitespace(line));
      if (!status.ok()) return status;
    }
    const absl::Status status = FinishCpu();
    if (!status.ok()) return status;
    if (dump_.cpus.empty()) {
      return Error("\"CPU:\" and lines of leaves", "the end of the file");
    }
    return std::move(dump_);
  }

 private:
  absl::Status Error(absl::string_view expected,
                     absl::string_view found) const {
    return absl::InvalidArgumentError(absl::StrCat(
        name_, ":", line_, ": expected ", expected, ", found ", found));
  }

  absl::Status ParseLine(absl::string_view line) {
    if (line.empty()) return absl::OkStatus();
    if (absl::ConsumePrefix(&line, "#")) return ParseComment(line);
    if (IsCpuLine(line)) {
      const absl::Status status = FinishCpu();
      if (!status.ok()) return status;
      dump_.cpus.emplace_back();
      return absl::OkStatus();
    }
    if (dump_.cpus.empty()) {
      return Error("\"CPU:\" or \"CPU 0:\" before the leaves", Quoted(line));
    }
    CpuidInput input;
    CpuidRegisters registers;
    if (!ParseLeafLine(line, &input, &registers)) {
      return Error(kLeafLine, Quoted(line));
    }
    CpuidTable& cpu = dump_.cpus.back();
    const auto known = cpu.entries().find(input);
    if (known != cpu.entries().end() && known->second != registers) {
      return Error("one answer for a leaf and subleaf",
                   absl::StrCat("a second one, ", Quoted(line)));
    }
    cpu.Set(input.leaf, input.subleaf, registers);
    last_leaf_ = input.leaf;
    return absl::OkStatus();
  }

  absl::Status ParseComment(absl::string_view comment) {
    auto [key, value] = ParseNote(comment);
    if (key.empty()) return absl::OkStatus();
    if (key == kXcr0Note) {
      const absl::Status status = ParseXcr0(value);
      if (!status.ok()) return status;
    }
    if (!dump_.cpus.empty()) return absl::OkStatus();
    std::string& note = dump_.notes[key];
    if (key == kXcr0Note && !note.empty()) return absl::OkStatus();
    const bool joins = !note.empty() && !value.empty();
    absl::StrAppend(&note, joins ? "; " : "", value);
    return absl::OkStatus();
  }

  // "0x2e7", or "none" with a reason.
  absl::Status ParseXcr0(absl::string_view value) {
    Xcr0Note note;
    if (!absl::StartsWith(value, "none")) {
      absl::string_view digits = value;
      uint64_t number;
      if (!absl::ConsumePrefix(&digits, "0x") || digits.size() > 16 ||
          !IsHexDigits(digits) || !absl::SimpleHexAtoi(digits, &number)) {
        return Error("\"xcr0: 0x...\" or \"xcr0: none\"", Quoted(value));
      }
      note.value = number;
    }
    std::optional<Xcr0Note>& known =
        dump_.cpus.empty() ? head_xcr0_ : cpu_xcr0_;
    if (known.has_value() && known->value != note.value) {
      return Error("one XCR0", absl::StrCat("a second one, ", Quoted(value)));
    }
    known = note;
    return absl::OkStatus();
  }

  // Ends the CPU whose lines were read last.
  absl::Status FinishCpu() {
    if (dump_.cpus.empty()) return absl::OkStatus();
    CpuidTable& cpu = dump_.cpus.back();
    // Ranges may stand in any order, in which they are not written again.
    const uint32_t highest =
        cpu.entries().empty() ? last_leaf_ : cpu.entries().rbegin()->first.leaf;
    for (const uint32_t leaf : {last_leaf_, highest}) {
      if (const auto gap = FindCpuidDumpGap(cpu, leaf)) {
        return Error(gap->expected, gap->found);
      }
    }
    if (cpu_xcr0_.has_value()) {
      cpu.SetXcr0(cpu_xcr0_->value);
    } else {
      cpu.SetXcr0(head_xcr0_.has_value() ? head_xcr0_->value
                                         : Xcr0FromLeafD(cpu));
    }
    cpu_xcr0_.reset();
    return absl::OkStatus();
  }

  struct Xcr0Note {
    std::optional<uint64_t> value;
  };

  absl::string_view name_;
  int line_ = 0;
  uint32_t last_leaf_ = 0;
  std::optional<Xcr0Note> head_xcr0_;
  std::optional<Xcr0Note> cpu_xcr0_;
  CpuidDump dump_;
};

std::string FormatXcr0(std::optional<uint64_t> xcr0) {
  return xcr0.has_value() ? absl::StrFormat("0x%016x", *xcr0) : "none";
}

// What ParseCpuidDump takes as XCR0 where the CPU's own lines say nothing.
std::optional<uint64_t> ImpliedXcr0(const CpuidDump& dump,
                                    const CpuidTable& cpu) {
  const auto note = dump.notes.find(std::string(kXcr0Note));
  if (note == dump.notes.end()) return Xcr0FromLeafD(cpu);
  absl::string_view digits = note->second;
  uint64_t number;
  if (!absl::ConsumePrefix(&digits, "0x") ||
      !absl::SimpleHexAtoi(digits, &number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<uint64_t> Xcr0FromLeafD(const CpuidSource& cpu) {
  const bool osxsave = (cpu.Execute(1).ecx >> 27 & 1) != 0;
  const std::optional<CpuidRegisters> states = cpu.Query(0xd, 0);
  if (!osxsave || !states.has_value()) return std::nullopt;
  return uint64_t{states->edx} << 32 | states->eax;
}

// Leaves that are merely left out are followed by later ones; a file that stops
// inside a range was cut.
std::optional<CpuidDumpGap> FindCpuidDumpGap(const CpuidSource& cpu,
                                             uint32_t last_leaf) {
  if (!cpu.Query(0).has_value()) {
    return CpuidDumpGap{"leaf 0x00000000 among a CPU's lines", "none"};
  }
  const std::string found = absl::StrFormat("an end after 0x%08x", last_leaf);
  // Every x86-64 processor has the extended range.
  if (!cpu.Query(kExtendedBase).has_value()) {
    return CpuidDumpGap{"leaf 0x80000000 among a CPU's lines", found};
  }
  const uint32_t base = last_leaf & kRangeBits;
  if (base != 0 && base != kExtendedBase) return std::nullopt;
  const uint32_t highest = cpu.Execute(base).eax;
  const uint32_t expected =
      base == 0 ? highest : std::min(highest, kLastExtendedLeafThatCounts);
  if (last_leaf < expected && (expected & kRangeBits) == base) {
    return CpuidDumpGap{absl::StrFormat("leaves up to 0x%08x", highest), found};
  }
  return std::nullopt;
}

absl::StatusOr<CpuidDump> ParseCpuidDump(absl::string_view text,
                                         absl::string_view name) {
  return Parser(name).Parse(text);
}

std::string FormatCpuidDump(const CpuidDump& dump) {
  std::string text;
  for (const auto& [key, value] : dump.notes) {
    absl::StrAppend(&text, "# ", key, ": ", value, "\n");
  }
  for (size_t i = 0; i < dump.cpus.size(); ++i) {
    const CpuidTable& cpu = dump.cpus[i];
    absl::StrAppend(&text, "CPU");
    if (dump.cpus.size() > 1) absl::StrAppend(&text, " ", i);
    absl::StrAppend(&text, ":\n");
    if (cpu.Xcr0() != ImpliedXcr0(dump, cpu)) {
      absl::StrAppend(&text, "# ", kXcr0Note, ": ", FormatXcr0(cpu.Xcr0()),
                      "\n");
    }
    for (const auto& [input, registers] : cpu.entries()) {
      absl::StrAppendFormat(
          &text,
          "   0x%08x 0x%02x: eax=0x%08x ebx=0x%08x ecx=0x%08x edx=0x%08x\n",
          input.leaf, input.subleaf, registers.eax, registers.ebx,
          registers.ecx, registers.edx);
    }
  }
  return text;
}

}  // namespace advisor
