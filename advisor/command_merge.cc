#include "advisor/command_merge.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "advisor/fleet/measured_result.h"
#include "advisor/fleet/merged_advice.h"
#include "advisor/left_out.h"
#include "advisor/render/merged_advice_renderer.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"format", "text|json", "how to print; default: text"},
};

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  std::vector<MeasuredResult> results;
  LeftOut left_out(context.err);
  for (const std::string& path : flags.arguments()) {
    const absl::StatusOr<std::string> text =
        context.files.Read(path == "-" ? "/dev/stdin" : path);
    if (!text.ok()) return text.status();
    for (absl::StatusOr<MeasuredResult>& result :
         ReadMeasuredResults(*text, path)) {
      if (result.ok()) {
        results.push_back(*std::move(result));
      } else {
        left_out.Add(result.status());
      }
    }
  }
  const size_t bad = left_out.count();
  if (absl::Status status = left_out.Conclude(
          results.size(),
          absl::StrCat(results.size(),
                       results.size() == 1 ? " result, " : " results, ", bad,
                       bad == 1 ? " line" : " lines", " left out"),
          "expected results of recommend --format=jsonl, found none",
          "none of the lines is a measured result");
      !status.ok()) {
    return status;
  }
  const std::vector<MergedGroup> groups = MergeResults(std::move(results));
  context.out << (flags.Get("format") == "json"
                      ? RenderMergedJson(groups)
                      : RenderMergedText(groups, context.columns));
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kMergeCommand = {
    "merge",
    "one recommendation a kind of machine, from many measured results",
    "FILE...",
    1,
    kAnyNumber,
    "Reads what `recommend --format=jsonl` printed on many machines, one line "
    "each\n"
    "(`-` is standard input), and puts those with the same CPU model, "
    "hypervisor\n"
    "and glibc together. A group gets what each of its machines is to set, "
    "with\n"
    "the value next to the default; the rest is named and not set. Of a host "
    "that\n"
    "was measured again, the newest result counts. Lines that are no measured\n"
    "result are named on standard error and left out; the exit status is 2 "
    "only\n"
    "if none is left.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
