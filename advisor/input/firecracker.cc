// Custom CPU templates of Firecracker (docs/cpu_templates/cpu-templates.md and
// src/vmm/src/cpu_config/templates.rs there): "cpuid_modifiers" with leaf and
// subleaf as strings ("0x7", "0b111", "7") and a bitmap for each register,
// "0b" and up to 32 of 0, 1 and x; the last one is bit 0, and bits that are not
// written stay as they are.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"
#include "advisor/input/json_document.h"
#include "advisor/input/leaf_coverage.h"

namespace advisor {
namespace {

constexpr absl::string_view kModifiers = "cpuid_modifiers";

std::optional<Register> RegisterByName(absl::string_view name) {
  constexpr std::pair<absl::string_view, Register> kNames[] = {
      {"eax", Register::kEax},
      {"ebx", Register::kEbx},
      {"ecx", Register::kEcx},
      {"edx", Register::kEdx},
  };
  for (const auto& [known, reg] : kNames) {
    if (name == known) return reg;
  }
  return std::nullopt;
}

bool ParseBitmap(absl::string_view text, RegisterModifier* modifier) {
  if (!absl::ConsumePrefix(&text, "0b") || text.empty() || text.size() > 32) {
    return false;
  }
  for (const char bit : text) {
    if (bit != '0' && bit != '1' && bit != 'x') return false;
    modifier->mask = modifier->mask << 1 | (bit != 'x');
    modifier->value = modifier->value << 1 | (bit == '1');
  }
  return true;
}

class Parser {
 public:
  explicit Parser(absl::string_view name) : name_(name) {}

  absl::Status ParseModifiers(const JsonValue& list) {
    if (list.kind != JsonValue::Kind::kArray) {
      return Error(list, "an array of modifiers");
    }
    for (const JsonValue& leaf : list.items) {
      const absl::Status status = ParseLeaf(leaf);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  CpuTemplate Take() { return std::move(result_); }

 private:
  absl::Status Error(const JsonValue& value, absl::string_view expected) const {
    return InputError(name_, value.line, expected, value.Describe());
  }

  absl::StatusOr<uint32_t> NumberOf(const JsonValue& leaf,
                                    absl::string_view key) const {
    const JsonValue* const value = leaf.Find(key);
    const std::string expected =
        absl::StrCat("\"", key, "\" as \"0x...\" in a modifier");
    if (value == nullptr) return Error(leaf, expected);
    const std::optional<uint32_t> number = ParseInputNumber(value->text);
    if (!value->is_scalar() || !number.has_value()) {
      return Error(*value, expected);
    }
    return *number;
  }

  absl::Status ParseLeaf(const JsonValue& leaf) {
    const absl::StatusOr<uint32_t> number = NumberOf(leaf, "leaf");
    if (!number.ok()) return number.status();
    const absl::StatusOr<uint32_t> subleaf = NumberOf(leaf, "subleaf");
    if (!subleaf.ok()) return subleaf.status();
    const JsonValue* const registers = leaf.Find("modifiers");
    if (registers == nullptr || registers->kind != JsonValue::Kind::kArray) {
      return Error(leaf, "\"modifiers\", an array of registers");
    }
    for (const JsonValue& item : registers->items) {
      RegisterModifier modifier;
      modifier.leaf = *number;
      modifier.subleaf = *subleaf;
      const absl::Status status = ParseRegister(item, &modifier);
      if (!status.ok()) return status;
      result_.modifiers.push_back(modifier);
    }
    return absl::OkStatus();
  }

  absl::Status ParseRegister(const JsonValue& item,
                             RegisterModifier* modifier) const {
    const JsonValue* const name = item.Find("register");
    if (name == nullptr) return Error(item, "\"register\"");
    const std::optional<Register> reg = RegisterByName(name->text);
    if (!reg.has_value()) return Error(*name, "eax, ebx, ecx or edx");
    modifier->reg = *reg;
    const JsonValue* const bitmap = item.Find("bitmap");
    if (bitmap == nullptr) return Error(item, "\"bitmap\"");
    if (!ParseBitmap(bitmap->text, modifier)) {
      return Error(*bitmap, "\"0b\" and up to 32 of 0, 1 and x");
    }
    return absl::OkStatus();
  }

  absl::string_view name_;
  CpuTemplate result_;
};

}  // namespace

bool LooksLikeFirecracker(absl::string_view front) {
  const absl::string_view text = StripBlanks(front);
  return absl::StartsWith(text, "{") &&
         (absl::StrContains(text, "\"cpuid_modifiers\"") ||
          absl::StrContains(text, "\"msr_modifiers\"") ||
          absl::StrContains(text, "\"reg_modifiers\"") ||
          absl::StrContains(text, "\"kvm_capabilities\""));
}

absl::StatusOr<MachineInput> ParseFirecracker(absl::string_view text,
                                              absl::string_view name) {
  const absl::StatusOr<JsonValue> document = ParseJson(text, name);
  if (!document.ok()) return document.status();
  // A machine's configuration file has the template inside.
  const JsonValue* const inner = document->Find("cpu-config");
  const JsonValue& outer = inner != nullptr ? *inner : *document;
  if (const JsonValue* const arm = outer.Find("reg_modifiers")) {
    return InputError(name, arm->line, "\"cpuid_modifiers\" (x86)",
                      "\"reg_modifiers\" (Arm)");
  }
  Parser parser(name);
  if (const JsonValue* const list = outer.Find(kModifiers)) {
    const absl::Status status = parser.ParseModifiers(*list);
    if (!status.ok()) return status;
  }
  MachineInput input;
  input.name = std::string(name);
  input.cpu_template = parser.Take();
  CpuidTable whole = WholeLeaves(*input.cpu_template);
  if (whole.Query(0).has_value()) {
    SetCoverage(whole, &input);
    AddCores({{0, std::move(whole)}}, &input);
    input.notes.push_back(
        "the template gives whole leaves; Firecracker still sets APIC ids, "
        "sharers of caches and the topology leaves for each vCPU");
  } else {
    input.unknown.push_back(
        {"the CPUID that this template modifies", "cpuid -r"});
  }
  return input;
}

}  // namespace advisor
