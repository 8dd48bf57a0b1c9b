#include "glibc_patches/checks/runner.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "advisor/cpu/cpuid_source.h"
#include "glibc_patches/checks/child.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/shrink.h"
#include "glibc_patches/checks/single_call.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

std::optional<std::string> WhyNotRunnable(const kernels::Variant& variant) {
  static const auto& cpu = *new advisor::CpuidTable(advisor::ReadNativeCpuid());
  const std::optional<std::string> missing =
      kernels::MissingFeature(variant, cpu);
  // The child answers `xtest`, all that RTM is needed for, and variants.bzl
  // names RTM last.
  if (!missing.has_value() || missing == "RTM") return std::nullopt;
  return absl::StrCat("needs ", *missing);
}

std::string TextOf(const char* text, size_t room) {
  return std::string(text, strnlen(text, room));
}

std::vector<std::string> LinesOf(const char* text, size_t room) {
  return absl::StrSplit(TextOf(text, room), '\n', absl::SkipEmpty());
}

void ReadCoverage(const SharedReport& report, CheckResult& result) {
  if (report.executed < 0) return;
  BlockCoverage coverage;
  coverage.executed = report.executed;
  coverage.total = report.total;
  constexpr int kRoom = sizeof(report.never) / sizeof(report.never[0]);
  const int count = std::clamp(report.never_count, 0, kRoom);
  coverage.never_executed.assign(report.never, report.never + count);
  result.coverage = std::move(coverage);
}

ChildOutcome RunChild(const CheckRow& row, const CheckContext& context,
                      const RunLimits& limits, ReportPage& page) {
  return RunInChild(page.get(), limits, limits.time,
                    absl::Seconds(row.hang_seconds), [&] {
                      CheckSession session(row, context, page.get());
                      row.run(context, session);
                    });
}

// What a call did wrong, made as small as the time allows.
CheckFinding SmallestFinding(const CheckRow& row, const CheckContext& context,
                             const RunLimits& limits, const PlacedCall& call,
                             std::string what) {
  const SmallestCall smallest =
      Shrink(row, context, limits, call, std::move(what));
  return {std::string(row.id), smallest.what,
          Describe(context.variant, smallest.call)};
}

std::vector<std::string> CodeFindings(const SharedReport& report) {
  return LinesOf(report.code_findings, sizeof(report.code_findings));
}

// Their number: places differ between trees.
size_t CodeFindingsOfBase(const CheckRow& row, const CheckContext& context,
                          const RunLimits& limits) {
  if (context.base == nullptr) return 0;
  ReportPage page;
  const ChildOutcome outcome = RunChild(row, context.ForBase(), limits, page);
  return outcome.end == ChildEnd::kNotStarted
             ? 0
             : CodeFindings(*page.get()).size();
}

void ReadReport(const CheckRow& row, const CheckContext& context,
                const RunLimits& limits, const SharedReport& report,
                const ChildOutcome& outcome, CheckResult& result) {
  result.calls = std::max(int64_t{report.calls}, int64_t{0});
  for (std::string& note : LinesOf(report.notes, sizeof(report.notes))) {
    result.notes.push_back(std::move(note));
  }
  ReadCoverage(report, result);
  std::vector<std::string> in_code = CodeFindings(report);
  const size_t in_code_of_base =
      in_code.empty() ? 0 : CodeFindingsOfBase(row, context, limits);
  if (in_code.size() <= in_code_of_base) {
    result.wrong_in_base += static_cast<int64_t>(in_code.size());
    in_code.clear();
  }
  for (std::string& what : in_code) {
    result.findings.push_back({std::string(row.id), std::move(what), {}});
  }
  if (report.failed_call_known) {
    result.findings.push_back(
        SmallestFinding(row, context, limits, report.failed_call,
                        TextOf(report.what, sizeof(report.what))));
  } else if (outcome.end != ChildEnd::kFinished) {
    std::string what = DescribeDeath(context.variant, report, outcome);
    const bool judged = row.attempt != nullptr && report.calls > 0 &&
                        IsPossible(context.variant, report.call);
    if (judged) {
      result.findings.push_back(
          SmallestFinding(row, context, limits, report.call, std::move(what)));
    } else {
      result.findings.push_back({std::string(row.id), std::move(what), {}});
    }
  }
  result.status =
      result.findings.empty() ? CheckStatus::kPassed : CheckStatus::kFailed;
}

// The variant whose code this one is too, when it comes first in the registry.
const kernels::Variant* EarlierName(const kernels::Variant& variant) {
  for (const kernels::Variant& other : kernels::AllVariants()) {
    if (other.address == variant.address) {
      return other.name == variant.name ? nullptr : &other;
    }
  }
  return nullptr;
}

// In the child of `page`, a call or its like in the base ended it.
bool DiedInBaseToo(const CheckRow& row, const CheckContext& context,
                   const RunLimits& limits, const SharedReport& report,
                   const ChildOutcome& outcome) {
  if (context.base == nullptr || outcome.end != ChildEnd::kDied ||
      !report.in_call || row.attempt == nullptr ||
      !IsPossible(context.variant, report.call)) {
    return false;
  }
  if (report.in_base) return true;
  ReportPage page;
  return MakeSingleCall(row, context.ForBase(), limits, limits.time,
                        report.call, page)
      .wrong.has_value();
}

// Runs the check in one child, or, when calls end it that end the base too, in
// several. `page` is that of the last one.
ChildOutcome RunToTheEnd(const CheckRow& row, const CheckContext& context,
                         const RunLimits& limits, ReportPage& page,
                         absl::Time last_death, CheckResult& result) {
  while (true) {
    const ChildOutcome outcome = RunChild(row, context, limits, page);
    if (outcome.end == ChildEnd::kNotStarted) return outcome;
    result.wrong_in_base += page.get()->wrong_in_base;
    if (!DiedInBaseToo(row, context, limits, *page.get(), outcome)) {
      return outcome;
    }
    ++result.wrong_in_base;
    const int64_t calls_made = page.get()->calls;
    if (absl::Now() >= last_death) {
      result.notes.push_back(
          absl::StrCat("ended after ", calls_made, " calls, for want of time"));
      return {ChildEnd::kFinished};
    }
    page.Clear();
    page.get()->calls_made = calls_made;
  }
}

}  // namespace

CheckResult RunCheck(const CheckRow& row, const CheckContext& asked,
                     const RunLimits& limits) {
  const absl::Time start = absl::Now();
  CheckContext context = asked;
  // Of which the check says nothing is not wrong.
  if (context.base != nullptr && row.skip_reason(context.ForBase())) {
    context.base = nullptr;
  }
  CheckResult result;
  result.id = std::string(row.id);
  result.variant = VariantLabel(context.variant);
  std::optional<std::string> reason = row.skip_reason(context);
  if (!reason.has_value() && row.attempt != nullptr) {
    reason = WhyNotRunnable(context.variant);
  }
  if (reason.has_value()) {
    result.reason = *reason;
    return result;
  }
  World::Get();
  ReportPage page;
  const ChildOutcome outcome =
      RunToTheEnd(row, context, limits, page, start + limits.deaths, result);
  if (outcome.end == ChildEnd::kNotStarted) {
    result.reason = "no child process could be started";
    return result;
  }
  ReadReport(row, context, limits, *page.get(), outcome, result);
  if (result.wrong_in_base > 0) {
    result.notes.push_back(absl::StrCat(result.wrong_in_base,
                                        " calls or places are wrong in ",
                                        VariantLabel(*context.base), " too"));
  }
  result.seconds = absl::ToDoubleSeconds(absl::Now() - start);
  return result;
}

namespace {

CheckResult RunPlanned(const PlannedCheck& planned, const RunOptions& options) {
  const kernels::Variant* const earlier = EarlierName(*planned.variant);
  if (earlier == nullptr) {
    CheckContext context{*planned.variant};
    context.effort = planned.effort;
    context.seed = options.seed;
    context.one_in = planned.one_in;
    context.base = planned.base;
    return RunCheck(*planned.row, context, options.limits);
  }
  CheckResult same;
  same.id = std::string(planned.row->id);
  same.variant = VariantLabel(*planned.variant);
  same.reason = absl::StrCat("the same code as ", earlier->name);
  return same;
}

}  // namespace

std::vector<CheckResult> RunPlan(absl::Span<const PlannedCheck> plan,
                                 const RunOptions& options) {
  std::vector<CheckResult> results(plan.size());
  // Each waits for its own child. The results are told in order.
  std::mutex mutex;
  std::vector<bool> done(plan.size());
  size_t next = 0;
  size_t told = 0;
  bool stopped = false;
  const auto work = [&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (next < plan.size() && !stopped) {
      const size_t i = next++;
      lock.unlock();
      CheckResult result = RunPlanned(plan[i], options);
      lock.lock();
      results[i] = std::move(result);
      done[i] = true;
      if (options.stop && options.stop(results[i])) stopped = true;
      for (; told < plan.size() && done[told]; ++told) {
        if (options.progress) options.progress(results[told]);
      }
    }
  };
  World::Get();
  std::vector<std::thread> workers;
  for (int i = 1; i < options.jobs; ++i) workers.emplace_back(work);
  work();
  for (std::thread& worker : workers) worker.join();
  results.resize(next);
  return results;
}

std::vector<CheckResult> RunChecks(
    absl::Span<const kernels::Variant* const> variants,
    const RunOptions& options) {
  std::vector<PlannedCheck> plan;
  for (const kernels::Variant* variant : variants) {
    for (const CheckRow& row : AllChecks()) {
      if (options.only.empty() ||
          std::count(options.only.begin(), options.only.end(), row.id) > 0) {
        plan.push_back({variant, &row, options.effort});
      }
    }
  }
  return RunPlan(plan, options);
}

}  // namespace glibc_patches
