#include "advisor/grouped_machines.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/fleet/grouping.h"
#include "advisor/host/interrupt.h"
#include "advisor/left_out.h"
#include "advisor/machine_texts.h"
#include "advisor/ordered_pipeline.h"
#include "advisor/prediction_answer.h"
#include "advisor/progress.h"
#include "advisor/render/fleet_renderer.h"

namespace advisor {
namespace {

// Machines that a thread takes at once, and how many such lots may be ahead.
constexpr size_t kChunk = 32;
constexpr size_t kChunksAhead = 8;

struct Answered {
  FleetMember member;
  std::vector<FleetAnswer> answers;
};
using Chunk = std::vector<MachineText>;
// Of each input its kinds of core.
using Results = std::vector<absl::StatusOr<std::vector<Answered>>>;

absl::StatusOr<std::vector<Answered>> AnswerFor(const FileReader& files,
                                                const MachineText& text,
                                                const GroupedRequest& request) {
  if (Interrupted().has_value()) return absl::CancelledError("interrupted");
  if (!text.text.ok()) return text.text.status();
  const absl::StatusOr<std::vector<PredictionSubject>> subjects =
      SubjectsOf(text.is_read ? ParseMachineInput(*text.text, text.name)
                              : ReadMachineInput(files, text.name),
                 request.base);
  if (!subjects.ok()) return subjects.status();
  std::vector<Answered> all;
  for (const PredictionSubject& subject : *subjects) {
    Answered& answered = all.emplace_back();
    answered.member = MemberOf(subject);
    for (const GlibcBuild& build : request.builds) {
      answered.answers.push_back(
          AnswerForFleet(subject, build, request.glibc_tunables));
    }
  }
  return all;
}

}  // namespace

absl::StatusOr<ExitStatus> PrintGroups(const CommandContext& context,
                                       const GroupedRequest& request) {
  FleetGrouping grouping;
  LeftOut left_out(context.err);
  ProgressLine progress(context.err, context.terminal);
  absl::Status end;
  {
    const int threads = std::max(1u, std::thread::hardware_concurrency());
    OrderedPipeline<Chunk, Results> pipeline(
        threads, kChunksAhead * threads,
        [&](Chunk chunk) {
          Results results;
          for (const MachineText& text : chunk) {
            results.push_back(AnswerFor(context.files, text, request));
          }
          return results;
        },
        [&](Results results) {
          for (absl::StatusOr<std::vector<Answered>>& result : results) {
            if (result.ok()) {
              for (Answered& answered : *result) {
                grouping.Add(std::move(answered.member),
                             std::move(answered.answers));
              }
            } else if (!absl::IsCancelled(result.status())) {
              progress.Clear();
              left_out.Add(result.status());
            }
          }
          progress.ShowText(absl::StrCat(grouping.machines(), " machines"));
        });
    end = ForEachMachineChunk(
        context.files, request.paths, request.recursive, kChunk,
        [&](Chunk chunk) { pipeline.Add(std::move(chunk)); });
  }
  progress.Clear();
  if (!end.ok()) return end;
  const size_t count = left_out.count();
  if (absl::Status status = left_out.Conclude(
          grouping.machines(),
          absl::StrCat(grouping.machines(), " machines, ", count,
                       count == 1 ? " file" : " files", " left out"),
          "there is no file about a machine",
          "none of the files tells of a machine");
      !status.ok()) {
    return status;
  }
  const std::vector<FleetGroup> groups = std::move(grouping).Groups();
  context.out << (request.as_json ? RenderFleetJson(groups)
                                  : RenderFleetText(groups, context.columns));
  return ExitStatus::kAnswered;
}

}  // namespace advisor
