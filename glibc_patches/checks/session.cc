#include "glibc_patches/checks/session.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace glibc_patches {
namespace {

void CopyText(absl::string_view text, char* to, size_t room) {
  const size_t size = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), size);
  to[size] = '\0';
}

void AppendLine(absl::string_view text, char* to, size_t room) {
  const size_t used = strnlen(to, room);
  if (used + text.size() + 2 > room) return;
  std::memcpy(to + used, text.data(), text.size());
  to[used + text.size()] = '\n';
  to[used + text.size() + 1] = '\0';
}

}  // namespace

bool CheckSession::Try(const PlacedCall& call, Attempt attempt) {
  report_->calls = report_->calls + 1;
  if (report_->calls <= report_->calls_made) return true;
  report_->call = call;
  report_->in_call = true;
  const std::optional<std::string> wrong = attempt(context_, call);
  const bool known = wrong.has_value() && IsWrongInBase(call, attempt);
  report_->in_call = false;
  if (!wrong.has_value()) return true;
  if (known) {
    report_->wrong_in_base = report_->wrong_in_base + 1;
    return true;
  }
  Fail(call, *wrong);
  return false;
}

bool CheckSession::IsWrongInBase(const PlacedCall& call, Attempt attempt) {
  if (context_.base == nullptr) return false;
  report_->in_base = true;
  const bool wrong = attempt(context_.ForBase(), call).has_value();
  report_->in_base = false;
  return wrong;
}

void CheckSession::Fail(const PlacedCall& call, absl::string_view what) {
  report_->failed_call = call;
  report_->failed_call_known = true;
  CopyText(what, report_->what, sizeof(report_->what));
}

void CheckSession::FailCode(absl::string_view what) {
  AppendLine(what, report_->code_findings, sizeof(report_->code_findings));
}

void CheckSession::Note(absl::string_view text) {
  AppendLine(text, report_->notes, sizeof(report_->notes));
}

void CheckSession::SetCoverage(const BlockCoverage& coverage) {
  report_->executed = coverage.executed;
  report_->total = coverage.total;
  const size_t room = sizeof(report_->never) / sizeof(report_->never[0]);
  const size_t count = std::min(coverage.never_executed.size(), room);
  std::copy_n(coverage.never_executed.begin(), count, report_->never);
  report_->never_count = static_cast<int>(count);
}

bool CheckSession::failed() const {
  return report_->failed_call_known || report_->code_findings[0] != '\0';
}

}  // namespace glibc_patches
