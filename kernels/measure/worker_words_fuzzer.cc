// Words that go to a worker and come back from it, and the version that a
// source tree says it has. The first byte chooses the reader.

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/dialogue.h"
#include "kernels/measure/cell.h"
#include "kernels/measure/parameters_text.h"
#include "kernels/measure/worker_client.h"
#include "kernels/source_version.h"
#include "tools/fuzzing/fuzzing.h"

namespace kernels {
namespace {

// A worker that says this, whatever it is asked.
class FixedDialogue : public advisor::Dialogue {
 public:
  explicit FixedDialogue(absl::string_view answer) : answer_(answer) {}
  absl::StatusOr<std::string> Ask(absl::string_view) override {
    return answer_;
  }

 private:
  const std::string answer_;
};

void TestCell(absl::string_view text) {
  const absl::StatusOr<Cell> cell = ParseCell(text);
  if (!cell.ok()) {
    fuzzing::Require(absl::IsInvalidArgument(cell.status()), "a wrong cell");
    return;
  }
  fuzzing::Require(cell->size > 0 && cell->copiers > 0, "a cell with calls");
  const absl::StatusOr<Cell> again = ParseCell(CellName(*cell));
  fuzzing::Require(again.ok() && *again == *cell, "the same cell by its name");
}

void TestParameters(absl::string_view text) {
  const absl::StatusOr<KernelParameters> parameters = ParseParameters(text);
  if (!parameters.ok()) {
    fuzzing::Require(absl::IsInvalidArgument(parameters.status()),
                     "wrong parameters");
    return;
  }
  const std::string written = FormatParameters(*parameters);
  const absl::StatusOr<KernelParameters> again = ParseParameters(written);
  fuzzing::Require(again.ok() && FormatParameters(*again) == written,
                   "the same parameters by their text");
}

void TestAnswer(absl::string_view text) {
  FixedDialogue worker(text);
  const absl::StatusOr<std::vector<double>> numbers = AskWorker(worker, "x");
  const absl::StatusOr<double> one = AskWorkerForOne(worker, "x");
  fuzzing::Require(one.ok() == (numbers.ok() && numbers->size() == 1),
                   "exactly one number");
}

void TestVersion(absl::string_view text) {
  const std::optional<int> release = ReleaseOfVersion(text);
  fuzzing::Require(release.value_or(0) >= 0, "a release of glibc");
}

}  // namespace
}  // namespace kernels

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::Choices choices(fuzzing::Text(data, size));
  switch (choices.Below(4)) {
    case 0:
      kernels::TestCell(choices.Rest());
      break;
    case 1:
      kernels::TestParameters(choices.Rest());
      break;
    case 2:
      kernels::TestAnswer(choices.Rest());
      break;
    default:
      kernels::TestVersion(choices.Rest());
  }
  return 0;
}
