// What `recommend --format=jsonl` measured on one machine, read back.

#ifndef ADVISOR_FLEET_MEASURED_RESULT_H_
#define ADVISOR_FLEET_MEASURED_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

// A TunableSetting of that machine's report.
struct MeasuredSetting {
  std::string name;
  uint64_t value = 0;
  std::string text;  // of a value that is no number
  std::optional<uint64_t> value_before;
};

struct MeasuredResult {
  std::string source;  // "FILE:LINE"
  std::string host;
  std::string vendor;
  std::string brand;
  std::string microarchitecture;
  uint64_t family = 0;
  uint64_t model = 0;
  uint64_t stepping = 0;
  std::string hypervisor;
  std::string release;
  std::string revision;
  std::string memmove_variant;
  std::string memset_variant;
  // GLIBC_TUNABLES that was there.
  std::string environment;
  std::string date;  // "2026-11-30T17:27:39Z"
  // By name; empty where the defaults are to be kept.
  std::vector<MeasuredSetting> settings;
  // Of the cells that they touch; nullopt where nothing was proved.
  std::optional<double> touched_ratio;
};

// Each JSON object of `text`: one a line, or the whole text is one. An error
// stands for one line: "NAME:LINE: expected ..., found ...". Results of
// --measure=off are errors: there is nothing measured to be combined.
std::vector<absl::StatusOr<MeasuredResult>> ReadMeasuredResults(
    absl::string_view text, absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_FLEET_MEASURED_RESULT_H_
