#include "advisor/glibc/expected_vectors.h"

#include <cstdint>
#include <fstream>
#include <string>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {
namespace {

uint64_t Hex(const nlohmann::json& value) {
  return std::stoull(value.get<std::string>(), nullptr, 16);
}

uint32_t Hex32(const nlohmann::json& value) {
  return static_cast<uint32_t>(Hex(value));
}

}  // namespace

const nlohmann::json& ExpectedVectors() {
  static const auto* const file = [] {
    std::ifstream stream("testdata/expected/vectors.json");
    return new nlohmann::json(nlohmann::json::parse(stream));
  }();
  return *file;
}

CpuidTable ParseVector(const nlohmann::json& input) {
  CpuidTable table;
  for (const nlohmann::json& entry : input["cpuid"]) {
    // "*" stands at leaves that have no subleaves.
    const uint32_t subleaf = entry["sub"] == "*" ? 0 : Hex32(entry["sub"]);
    table.Set(Hex32(entry["leaf"]), subleaf,
              {Hex32(entry["eax"]), Hex32(entry["ebx"]), Hex32(entry["ecx"]),
               Hex32(entry["edx"])});
  }
  table.SetXcr0(Hex(input["xcr0"]));
  return table;
}

CpuidTable VectorNamed(absl::string_view name) {
  return ParseVector(ExpectedVectors()["cases"][std::string(name)]);
}

}  // namespace advisor
