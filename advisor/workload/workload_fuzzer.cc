// A mix of calls, as recorded or stated by hand, and what is written of it.

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "advisor/workload/workload.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

void RequireShare(double share) {
  fuzzing::Require(share >= 0 && share <= 1, "a share from 0 to 1");
}

void RequireSizes(const Workload& workload) {
  // Summed up without the wrap-around that 64 bits have.
  double calls = 0, bytes = 0;
  for (const FunctionSizes& function : workload.functions) {
    fuzzing::Require(!function.sizes.empty(), "no function without calls");
    const SizeCount* before = nullptr;
    for (const SizeCount& row : function.sizes) {
      fuzzing::Require(before == nullptr || row.from > before->from,
                       "ascending sizes");
      fuzzing::Require(row.calls > 0 && row.mean() >= row.from,
                       "a mean of at least the lowest size");
      calls += static_cast<double>(row.calls);
      bytes += static_cast<double>(row.bytes);
      before = &row;
    }
  }
  constexpr double kMost = 9e18;
  fuzzing::Require(calls < kMost && bytes < kMost, "sums that 64 bits hold");
  fuzzing::Require(workload.calls() > 0, "some calls");
}

void RequireDetails(const Workload& workload) {
  for (const auto& rows : workload.details) {
    const SizeDetail* before = nullptr;
    for (const SizeDetail& row : rows) {
      fuzzing::Require(
          row.from <= row.to && (before == nullptr || row.from > before->to),
          "ascending ranges");
      for (const double share :
           {row.aligned, row.destination_misaligned, row.source_misaligned,
            row.both_misaligned, row.page_aliasing, row.overlap_forward,
            row.overlap_backward, row.same_address, row.gap_below_4k,
            row.gap_below_1m, row.read_back, row.rewritten}) {
        RequireShare(share);
      }
      before = &row;
    }
  }
  if (!workload.conditions.has_value()) return;
  const WorkloadConditions& conditions = *workload.conditions;
  for (const double share :
       {conditions.hot, conditions.cold, conditions.read_back,
        conditions.write_once, conditions.all_cores.value_or(0)}) {
    RequireShare(share);
  }
}

void TestOne(absl::string_view text) {
  const absl::StatusOr<Workload> workload = ParseWorkload(text, "in");
  if (!workload.ok()) {
    return fuzzing::RequireInputError(workload.status(), "in");
  }
  RequireSizes(*workload);
  RequireDetails(*workload);
  fuzzing::Require(!absl::StrContains(workload->Describe(), "\n"),
                   "one line that describes it");
  const std::string written = FormatWorkload(*workload);
  const absl::StatusOr<Workload> again = ParseWorkload(written, "again");
  if (!again.ok()) {
    // Shares are written with four digits, which may not add up any more.
    fuzzing::Require(absl::StrContains(again.status().message(), "add up to 1"),
                     again.status().ToString());
    return;
  }
  fuzzing::Require(FormatWorkload(*again) == written,
                   "what is written is read back");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
