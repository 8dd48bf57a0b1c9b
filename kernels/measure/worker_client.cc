#include "kernels/measure/worker_client.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace kernels {

absl::StatusOr<std::vector<double>> AskWorker(advisor::Dialogue& worker,
                                              absl::string_view request) {
  const absl::StatusOr<std::string> answer = worker.Ask(request);
  if (!answer.ok()) return answer.status();
  absl::string_view rest = *answer;
  if (absl::ConsumePrefix(&rest, "error ")) {
    return absl::InternalError(absl::StrCat("worker: ", rest));
  }
  if (!absl::ConsumePrefix(&rest, "ok")) {
    return absl::InternalError(
        absl::StrCat("worker: expected 'ok', found '", *answer, "'"));
  }
  std::vector<double> numbers;
  for (const absl::string_view word :
       absl::StrSplit(rest, ' ', absl::SkipEmpty())) {
    double number;
    if (!absl::SimpleAtod(word, &number)) {
      return absl::InternalError(
          absl::StrCat("worker: expected a number, found '", word, "'"));
    }
    numbers.push_back(number);
  }
  return numbers;
}

absl::StatusOr<double> AskWorkerForOne(advisor::Dialogue& worker,
                                       absl::string_view request) {
  const absl::StatusOr<std::vector<double>> numbers =
      AskWorker(worker, request);
  if (!numbers.ok()) return numbers.status();
  if (numbers->size() != 1) {
    return absl::InternalError("worker: expected one number");
  }
  return (*numbers)[0];
}

absl::Status TellWorker(advisor::Dialogue& worker,
                        absl::Span<const std::string> requests) {
  for (const std::string& request : requests) {
    const auto answer = AskWorker(worker, request);
    if (!answer.ok()) return answer.status();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<advisor::Dialogue>> StartWorker(
    const WorkerSetup& setup, const advisor::Command& command, uint64_t seed) {
  absl::StatusOr<std::unique_ptr<advisor::Dialogue>> worker =
      setup.starter->Start(command);
  if (!worker.ok()) return worker.status();
  const absl::Status status = TellWorker(
      **worker, {absl::StrCat("cpus ", absl::StrJoin(setup.cpus, ",")),
                 absl::StrCat("seed ", seed)});
  if (!status.ok()) return status;
  return worker;
}

}  // namespace kernels
