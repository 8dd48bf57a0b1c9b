#include "glibc_patches/mutation/assembly.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace glibc_patches {
namespace {

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '$';
}

bool IsPrefix(absl::string_view word) {
  return word == "rep" || word == "repe" || word == "repz" || word == "repne" ||
         word == "lock" || word == "notrack" || word == "bnd";
}

OperandKind KindOf(absl::string_view text) {
  if (absl::StartsWith(text, "$")) return OperandKind::kImmediate;
  // A masked memory operand ends in "}".
  if (absl::StartsWith(text, "%")) return OperandKind::kRegister;
  if (absl::StrContains(text, "(") && absl::StrContains(text, "%")) {
    return OperandKind::kMemory;
  }
  return OperandKind::kOther;
}

class Parser {
 public:
  explicit Parser(std::string text) { listing_.text = std::move(text); }

  Listing Parse() {
    const absl::string_view text = listing_.text;
    size_t begin = 0;
    while (begin < text.size()) {
      size_t end = text.find('\n', begin);
      if (end == absl::string_view::npos) end = text.size();
      if (text[begin] == '#') {
        LineMarker(text.substr(begin, end - begin));
      } else {
        Line(begin, end);
        ++line_;
      }
      begin = end + 1;
    }
    return std::move(listing_);
  }

 private:
  // # 49 "memmove-vec-unaligned-erms.S" 2
  void LineMarker(absl::string_view marker) {
    absl::ConsumePrefix(&marker, "#");
    marker = absl::StripLeadingAsciiWhitespace(marker);
    const size_t quote = marker.find('"');
    const size_t end = marker.rfind('"');
    int line;
    if (quote == absl::string_view::npos || end == quote ||
        !absl::SimpleAtoi(absl::StripAsciiWhitespace(marker.substr(0, quote)),
                          &line)) {
      return;
    }
    line_ = line;
    file_ = std::string(marker.substr(quote + 1, end - quote - 1));
  }

  void Line(size_t begin, size_t end) {
    bool quoted = false;
    size_t statement = begin;
    for (size_t i = begin; i < end; ++i) {
      if (listing_.text[i] == '"') quoted = !quoted;
      if (listing_.text[i] != ';' || quoted) continue;
      Statement(statement, i);
      statement = i + 1;
    }
    Statement(statement, end);
  }

  void Statement(size_t begin, size_t end) {
    const absl::string_view text = listing_.text;
    while (true) {
      while (begin < end && absl::ascii_isspace(text[begin])) ++begin;
      while (end > begin && absl::ascii_isspace(text[end - 1])) --end;
      size_t name = begin;
      while (name < end && IsNameCharacter(text[name])) ++name;
      if (name == begin || name >= end || text[name] != ':') break;
      std::string label(text.substr(begin, name - begin));
      const bool is_local =
          absl::StartsWith(label, ".L") || absl::ascii_isdigit(label[0]);
      if (!is_local) function_ = label;
      labels_.push_back(std::move(label));
      begin = name + 1;
    }
    if (begin >= end || text[begin] == '.' || text[begin] == '#') return;
    Instruction(begin, end);
  }

  void Instruction(size_t begin, size_t end) {
    const absl::string_view text = listing_.text;
    AssemblyInstruction instruction;
    instruction.begin = begin;
    instruction.size = end - begin;
    instruction.file = file_;
    instruction.line = line_;
    instruction.labels = std::move(labels_);
    labels_.clear();
    instruction.function = function_;
    size_t at = begin;
    while (true) {
      size_t word = at;
      while (word < end && !absl::ascii_isspace(text[word])) ++word;
      const std::string name =
          absl::AsciiStrToLower(text.substr(at, word - at));
      absl::StrAppend(&instruction.mnemonic,
                      instruction.mnemonic.empty() ? "" : " ", name);
      at = word;
      while (at < end && absl::ascii_isspace(text[at])) ++at;
      if (at >= end || !IsPrefix(name)) break;
    }
    Operands(at, end, instruction);
    listing_.instructions.push_back(std::move(instruction));
  }

  void Operands(size_t begin, size_t end, AssemblyInstruction& instruction) {
    const absl::string_view text = listing_.text;
    int depth = 0;
    size_t start = begin;
    const auto add = [&](size_t from, size_t to) {
      while (from < to && absl::ascii_isspace(text[from])) ++from;
      while (to > from && absl::ascii_isspace(text[to - 1])) --to;
      if (from == to) return;
      Operand operand;
      operand.begin = from;
      operand.size = to - from;
      operand.text = std::string(text.substr(from, to - from));
      operand.kind = KindOf(operand.text);
      instruction.operands.push_back(std::move(operand));
    };
    for (size_t i = begin; i < end; ++i) {
      const char c = text[i];
      if (c == '(' || c == '{') ++depth;
      if (c == ')' || c == '}') --depth;
      if (c == ',' && depth == 0) {
        add(start, i);
        start = i + 1;
      }
    }
    add(start, end);
  }

  Listing listing_;
  std::string file_;
  int line_ = 1;
  std::string function_;
  std::vector<std::string> labels_;
};

// Constant expressions as the assembler reads them, left to right within a
// precedence: | and & and ^, + and -, * and / and << and >> (GNU as gives
// shifts the precedence of *), unary - + ~.
class Expression {
 public:
  explicit Expression(absl::string_view text) : text_(text) {}

  std::optional<int64_t> Value() {
    const int64_t value = Sum();
    Blanks();
    if (!valid_ || at_ != text_.size()) return std::nullopt;
    return value;
  }

 private:
  void Blanks() {
    while (at_ < text_.size() && absl::ascii_isspace(text_[at_])) ++at_;
  }
  bool Take(absl::string_view token) {
    Blanks();
    if (!absl::StartsWith(text_.substr(at_), token)) return false;
    at_ += token.size();
    return true;
  }
  int64_t Sum() {
    int64_t value = Bits();
    while (valid_) {
      if (Take("+")) {
        value += Bits();
      } else if (Take("-")) {
        value -= Bits();
      } else {
        break;
      }
    }
    return value;
  }
  int64_t Bits() {
    int64_t value = Product();
    while (valid_) {
      if (Take("|")) {
        value |= Product();
      } else if (Take("&")) {
        value &= Product();
      } else if (Take("^")) {
        value ^= Product();
      } else {
        break;
      }
    }
    return value;
  }
  int64_t Product() {
    int64_t value = Unary();
    while (valid_) {
      if (Take("<<")) {
        value = static_cast<int64_t>(static_cast<uint64_t>(value)
                                     << (Unary() & 63));
      } else if (Take(">>")) {
        value >>= Unary() & 63;
      } else if (Take("*")) {
        value *= Unary();
      } else if (Take("/")) {
        const int64_t by = Unary();
        valid_ = valid_ && by != 0;
        if (valid_) value /= by;
      } else {
        break;
      }
    }
    return value;
  }
  int64_t Unary() {
    if (Take("-")) return -Unary();
    if (Take("+")) return Unary();
    if (Take("~")) return ~Unary();
    if (Take("(")) {
      const int64_t value = Sum();
      valid_ = Take(")") && valid_;
      return value;
    }
    Blanks();
    size_t end = at_;
    while (end < text_.size() && absl::ascii_isalnum(text_[end])) ++end;
    const absl::string_view digits = text_.substr(at_, end - at_);
    int64_t value = 0;
    uint64_t hex = 0;
    if (absl::SimpleAtoi(digits, &value)) {
      at_ = end;
    } else if (absl::StartsWith(digits, "0x") &&
               absl::SimpleHexAtoi(digits, &hex)) {
      value = static_cast<int64_t>(hex);
      at_ = end;
    } else {
      valid_ = false;
    }
    return value;
  }

  const absl::string_view text_;
  size_t at_ = 0;
  bool valid_ = true;
};

constexpr absl::string_view kGeneral[][4] = {
    // 8, 4, 2 and 1 bytes
    {"%rax", "%eax", "%ax", "%al"},      {"%rbx", "%ebx", "%bx", "%bl"},
    {"%rcx", "%ecx", "%cx", "%cl"},      {"%rdx", "%edx", "%dx", "%dl"},
    {"%rsi", "%esi", "%si", "%sil"},     {"%rdi", "%edi", "%di", "%dil"},
    {"%rbp", "%ebp", "%bp", "%bpl"},     {"%rsp", "%esp", "%sp", "%spl"},
    {"%r8", "%r8d", "%r8w", "%r8b"},     {"%r9", "%r9d", "%r9w", "%r9b"},
    {"%r10", "%r10d", "%r10w", "%r10b"}, {"%r11", "%r11d", "%r11w", "%r11b"},
    {"%r12", "%r12d", "%r12w", "%r12b"}, {"%r13", "%r13d", "%r13w", "%r13b"},
    {"%r14", "%r14d", "%r14w", "%r14b"}, {"%r15", "%r15d", "%r15w", "%r15b"},
};

// Row and column in kGeneral; nullopt for other registers.
std::optional<std::pair<int, int>> FindGeneral(absl::string_view name) {
  for (size_t row = 0; row < std::size(kGeneral); ++row) {
    for (int column = 0; column < 4; ++column) {
      if (kGeneral[row][column] == name) {
        return std::make_pair(static_cast<int>(row), column);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

Listing ParseListing(std::string text) {
  return Parser(std::move(text)).Parse();
}

MemoryParts PartsOf(const Operand& memory) {
  MemoryParts parts;
  absl::string_view text = memory.text;
  const size_t mask = text.find('{');
  if (mask != absl::string_view::npos) {
    parts.mask = std::string(text.substr(mask));
    text = absl::StripTrailingAsciiWhitespace(text.substr(0, mask));
  }
  const size_t open = text.rfind('(');
  const size_t close = text.rfind(')');
  if (open == absl::string_view::npos || close < open) return parts;
  parts.displacement = std::string(text.substr(0, open));
  parts.registers = std::string(text.substr(open + 1, close - open - 1));
  return parts;
}

std::optional<int64_t> Evaluate(absl::string_view expression) {
  absl::ConsumePrefix(&expression, "$");
  expression = absl::StripAsciiWhitespace(expression);
  if (expression.empty()) return 0;
  return Expression(expression).Value();
}

std::vector<RegisterUse> RegistersIn(absl::string_view text) {
  std::vector<RegisterUse> uses;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') continue;
    size_t end = i + 1;
    while (end < text.size() && absl::ascii_isalnum(text[end])) ++end;
    uses.push_back({i, std::string(text.substr(i, end - i))});
  }
  return uses;
}

std::string WholeRegister(absl::string_view name) {
  if (const auto general = FindGeneral(name)) {
    return std::string(kGeneral[general->first][0]);
  }
  for (absl::string_view prefix : {"%xmm", "%ymm"}) {
    absl::string_view number = name;
    if (absl::ConsumePrefix(&number, prefix)) {
      return absl::StrCat("%zmm", number);
    }
  }
  return std::string(name);
}

std::string RegisterAsWideAs(absl::string_view whole, absl::string_view like) {
  const auto row = FindGeneral(whole);
  const auto column = FindGeneral(like);
  if (!row.has_value() || !column.has_value()) return std::string(whole);
  return std::string(kGeneral[row->first][column->second]);
}

int RegisterBytes(absl::string_view name) {
  if (const auto general = FindGeneral(name)) return 8 >> general->second;
  if (absl::StartsWith(name, "%xmm")) return 16;
  if (absl::StartsWith(name, "%ymm")) return 32;
  if (absl::StartsWith(name, "%zmm")) return 64;
  return 0;
}

}  // namespace glibc_patches
