#include "glibc_patches/checks/single_call.h"

#include <cstring>

#include "glibc_patches/checks/session.h"

namespace glibc_patches {

SingleCallAnswer MakeSingleCall(const CheckRow& row,
                                const CheckContext& context,
                                const RunLimits& limits, absl::Duration time,
                                const PlacedCall& call, ReportPage& page) {
  page.Clear();
  const absl::Duration hang = absl::Seconds(row.hang_seconds) / 8;
  const ChildOutcome outcome = RunInChild(page.get(), limits, time, hang, [&] {
    CheckSession(row, context, page.get()).Try(call);
  });
  const SharedReport& report = *page.get();
  switch (outcome.end) {
    case ChildEnd::kNotStarted:
    case ChildEnd::kTimeLimit:
      return {false, std::nullopt};
    case ChildEnd::kFinished:
      if (!report.failed_call_known) return {};
      return {true, std::string(report.what,
                                strnlen(report.what, sizeof(report.what)))};
    case ChildEnd::kDied:
      break;
  }
  if (report.in_base) return {};
  std::string death = DescribeDeath(context.variant, report, outcome);
  if (context.base != nullptr &&
      MakeSingleCall(row, context.ForBase(), limits, time, call, page)
          .wrong.has_value()) {
    return {};
  }
  return {true, std::move(death)};
}

}  // namespace glibc_patches
