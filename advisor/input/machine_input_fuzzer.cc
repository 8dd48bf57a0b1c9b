// One format of input_format.h, which FUZZED_FORMAT names; its parser is asked
// even where its detector says that the input is of another one.

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/input/input_format.h"
#include "advisor/input/machine_input.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

const InputFormat& Format() {
  static const InputFormat* const format = [] {
    const absl::Span<const InputFormat> rows = InputFormats();
    const auto* found = std::find_if(
        rows.begin(), rows.end(),
        [](const InputFormat& row) { return row.name == FUZZED_FORMAT; });
    fuzzing::Require(found != rows.end(), "a format of that name");
    return found;
  }();
  return *format;
}

// These become lines of a page, which masks control characters but newlines.
void RequireLine(const std::string& text) {
  fuzzing::Require(!absl::StrContains(text, "\n"), "one line for a fact");
}

void RequireProcessors(const DiagnosticsListing& listing) {
  const ListedProcessor* before = nullptr;
  for (const ListedProcessor& processor : listing.processors) {
    fuzzing::Require(before == nullptr || processor.index > before->index,
                     "ascending processors");
    before = &processor;
    // What is said to be complete answers for every leaf up to its maximum.
    const auto maximum = processor.cpuid.Query(0);
    if (processor.complete && maximum.has_value() && maximum->eax > 0) {
      fuzzing::Require(processor.cpuid.Query(1).has_value(),
                       "leaf 1 of a complete processor");
    }
  }
}

void RequireInput(const MachineInput& input) {
  for (const std::string& note : input.notes) RequireLine(note);
  for (const std::string& warning : input.warnings) RequireLine(warning);
  for (const UnknownFact& fact : input.unknown) RequireLine(fact.what);
  for (const CoreKind& kind : input.cores) {
    RequireLine(kind.name);
    fuzzing::Require(std::is_sorted(kind.cpus.begin(), kind.cpus.end()),
                     "ascending CPUs");
  }
  if (input.tunables.has_value()) {
    fuzzing::Require(!input.tunables->tunables.empty(),
                     "a tunable in a listing");
  }
  if (input.diagnostics.has_value()) RequireProcessors(*input.diagnostics);
}

bool AreEqual(const CpuidTable& left, const CpuidTable& right) {
  return left.Xcr0() == right.Xcr0() &&
         std::equal(left.entries().begin(), left.entries().end(),
                    right.entries().begin(), right.entries().end(),
                    [](const auto& a, const auto& b) {
                      return !(a.first < b.first) && !(b.first < a.first) &&
                             a.second == b.second;
                    });
}

// The format that is written, too, gives back what was read.
void RequireRoundTrip(absl::string_view text) {
  const absl::StatusOr<CpuidDump> dump = ParseCpuidDump(text, "in");
  if (!dump.ok()) return;
  const std::string formatted = FormatCpuidDump(*dump);
  const absl::StatusOr<CpuidDump> again = ParseCpuidDump(formatted, "again");
  fuzzing::Require(again.ok(), again.status().ToString());
  fuzzing::Require(again->notes == dump->notes, "the notes of a dump");
  fuzzing::Require(std::equal(dump->cpus.begin(), dump->cpus.end(),
                              again->cpus.begin(), again->cpus.end(), AreEqual),
                   "the CPUs of a dump");
}

void TestOne(absl::string_view text) {
  // The others have targets of their own.
  Format().looks_like(text);
  const absl::StatusOr<MachineInput> input = Format().parse(text, "in");
  if (!input.ok()) return fuzzing::RequireInputError(input.status(), "in");
  RequireInput(*input);
  if (Format().name == "cpuid -r") RequireRoundTrip(text);
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
