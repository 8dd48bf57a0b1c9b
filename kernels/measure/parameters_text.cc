#include "kernels/measure/parameters_text.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace kernels {
namespace {

struct Field {
  absl::string_view name;
  std::optional<uint64_t> KernelParameters::*member;
};

constexpr Field kFields[] = {
    {"non_temporal_threshold", &KernelParameters::non_temporal_threshold},
    {"rep_movsb_threshold", &KernelParameters::rep_movsb_threshold},
    {"rep_movsb_stop_threshold", &KernelParameters::rep_movsb_stop_threshold},
    {"rep_stosb_threshold", &KernelParameters::rep_stosb_threshold},
    {"memset_non_temporal_threshold",
     &KernelParameters::memset_non_temporal_threshold},
    {"data_cache_size", &KernelParameters::data_cache_size},
    {"shared_cache_size", &KernelParameters::shared_cache_size},
    {"string_control", &KernelParameters::string_control},
};

bool ParseField(absl::string_view text, KernelParameters& parameters) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  for (const Field& field : kFields) {
    uint64_t value;
    if (field.name != parts.first || !absl::SimpleAtoi(parts.second, &value)) {
      continue;
    }
    parameters.*field.member = value;
    return true;
  }
  return false;
}

}  // namespace

std::string FormatParameters(const KernelParameters& parameters) {
  std::vector<std::string> words;
  for (const Field& field : kFields) {
    const std::optional<uint64_t>& value = parameters.*field.member;
    if (value.has_value())
      words.push_back(absl::StrCat(field.name, "=", *value));
  }
  return words.empty() ? "-" : absl::StrJoin(words, ",");
}

absl::StatusOr<KernelParameters> ParseParameters(absl::string_view text) {
  KernelParameters parameters;
  if (text == "-") return parameters;
  for (const absl::string_view word : absl::StrSplit(text, ',')) {
    if (!ParseField(word, parameters)) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected PARAMETER=BYTES, found '", word, "'"));
    }
  }
  return parameters;
}

}  // namespace kernels
