#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"

namespace advisor {
namespace {

// "0x00000004 0x00: eax=0x1c004121 ...".
bool IsLeafLine(absl::string_view line) {
  return absl::ConsumePrefix(&line, "0x") &&
         ConsumeEightHexDigits(&line).has_value() &&
         absl::ConsumePrefix(&line, " 0x") &&
         absl::StrContains(line.substr(0, 16), ": eax=");
}

}  // namespace

bool LooksLikeCpuidRaw(absl::string_view front) {
  return AnyLine(front, IsLeafLine);
}

absl::StatusOr<MachineInput> ParseCpuidRaw(absl::string_view text,
                                           absl::string_view name) {
  absl::StatusOr<CpuidDump> dump = ParseCpuidDump(text, name);
  if (!dump.ok()) return dump.status();
  std::vector<NumberedCpu> cpus;
  for (CpuidTable& cpu : dump->cpus) {
    cpus.push_back({static_cast<uint32_t>(cpus.size()), std::move(cpu)});
  }
  MachineInput input;
  input.name = std::string(name);
  AddCores(std::move(cpus), &input);
  input.has_cache_leaves = true;
  input.has_features = true;
  return input;
}

}  // namespace advisor
