// The CPUID tables of testdata/expected/vectors.json, by name.

#ifndef ADVISOR_GLIBC_EXPECTED_VECTORS_H_
#define ADVISOR_GLIBC_EXPECTED_VECTORS_H_

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "nlohmann/json.hpp"

namespace advisor {

// The whole file. Tests only: the file is there and well-formed.
const nlohmann::json& ExpectedVectors();

CpuidTable ParseVector(const nlohmann::json& input);

// "ivb_guest_htt0", ...
CpuidTable VectorNamed(absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_EXPECTED_VECTORS_H_
