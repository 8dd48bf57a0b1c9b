#include "advisor/command_predict.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/grouped_machines.h"
#include "advisor/host/archive_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/input/machine_input.h"
#include "advisor/left_out.h"
#include "advisor/machine_texts.h"
#include "advisor/ordered_pipeline.h"
#include "advisor/prediction_answer.h"
#include "advisor/progress.h"
#include "advisor/render/prediction_renderer.h"
#include "advisor/render/prediction_text.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"check", "",
     "end with 1 if a build crashes, hangs or falls off a cliff with this "
     "CPUID; say where and why"},
    {"cpuid", "FILE",
     "the machine: a dump, or a folder of several files about it; default: "
     "this machine"},
    {"format", "text|csv|json|jsonl",
     "how to print: for people (default), as a table for programs, as JSON, "
     "as one JSON object a line"},
    {"glibc", "BUILD",
     "a release (2.28), the tip of its branch (2.36+branch), a package's "
     "version (2.36-9+deb12u14), the path of a loader to replay, or all; "
     "default: this machine's own, and all for dumps"},
    {"glibc_tunables", "STRING",
     "with this value of GLIBC_TUNABLES; default: this environment's, and "
     "none for dumps"},
    {"group", "",
     "put machines on which the builds do the same together, with one "
     "recommendation a group; text or json"},
    {"recursive", "", "with the folders in a FOLDER, too"},
};

// What to predict for.
struct Target {
  std::vector<GlibcBuild> builds;
  std::optional<ReplayedLoader> loader;
  std::string glibc_tunables;

  size_t size() const { return loader.has_value() ? 1 : builds.size(); }
};

absl::StatusOr<GlibcBuild> OwnBuild(const CommandContext& context) {
  const absl::StatusOr<InstalledLibc> libc =
      FindInstalledLibc(context.files, context.environment);
  if (!libc.ok()) return libc.status();
  if (!libc->banner.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(libc->loader_path,
                     ": expected a banner with the release, found none; use "
                     "--glibc"));
  }
  const LibcBanner& banner = *libc->banner;
  if (banner.revision.has_value()) {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*banner.revision);
    if (build.ok()) return build;
  }
  return ParseGlibcBuild(banner.release);
}

absl::StatusOr<Target> ReadTarget(const CommandContext& context,
                                  const Flags& flags, bool this_machine) {
  Target target;
  target.glibc_tunables =
      flags.Get("glibc_tunables")
          .value_or(this_machine
                        ? context.environment.Get("GLIBC_TUNABLES").value_or("")
                        : "");
  const std::optional<std::string> asked = flags.Get("glibc");
  if (asked == "all" || (!asked.has_value() && !this_machine)) {
    const absl::Span<const GlibcBuild> all = UpstreamBuilds();
    target.builds.assign(all.begin(), all.end());
  } else if (!asked.has_value()) {
    absl::StatusOr<GlibcBuild> build = OwnBuild(context);
    if (!build.ok()) return build.status();
    target.builds.push_back(*std::move(build));
  } else if (absl::StrContains(*asked, '/')) {
    absl::StatusOr<ReplayedLoader> loader = OpenLoader(context.files, *asked);
    if (!loader.ok()) return loader.status();
    target.loader = *std::move(loader);
  } else {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*asked);
    if (!build.ok()) return build.status();
    target.builds.push_back(*std::move(build));
  }
  return target;
}

// One machine, rendered.
struct Rendered {
  std::string text;
  // A hazard that --check is about.
  bool has_finding = false;
  // Whether there is one cannot be told.
  bool is_open = false;
};

class Predictor {
 public:
  Predictor(const Target& target, const PredictionRenderer& renderer,
            bool check_text, int columns)
      : target_(target),
        renderer_(renderer),
        check_text_(check_text),
        columns_(columns) {}

  absl::StatusOr<Rendered> Render(
      const std::vector<PredictionSubject>& subjects) const {
    Rendered rendered;
    for (const PredictionSubject& subject : subjects) {
      const absl::StatusOr<std::vector<PredictionAnswer>> answers =
          Answers(subject);
      if (!answers.ok()) return answers.status();
      for (const PredictionAnswer& answer : *answers) {
        rendered.is_open = rendered.is_open || !answer.hazards_known;
        rendered.has_finding =
            rendered.has_finding ||
            (!answer.hazards.empty() &&
             SeverityOf(answer.hazards[0].consequence) == Severity::kCritical);
      }
      if (check_text_) {
        absl::StrAppend(&rendered.text, CheckText(subject, *answers, columns_));
        continue;
      }
      if (!rendered.text.empty()) {
        absl::StrAppend(&rendered.text, renderer_.Separator());
      }
      absl::StrAppend(&rendered.text, renderer_.Render(subject, *answers));
    }
    return rendered;
  }

 private:
  absl::StatusOr<std::vector<PredictionAnswer>> Answers(
      const PredictionSubject& subject) const {
    AnswerDetail detail = renderer_.detail();
    detail.whole_hazards = detail.whole_hazards || check_text_;
    std::vector<PredictionAnswer> answers;
    if (target_.loader.has_value()) {
      absl::StatusOr<PredictionAnswer> answer = AnswerByReplay(
          subject, *target_.loader, target_.glibc_tunables, detail);
      if (!answer.ok()) return answer.status();
      answers.push_back(*std::move(answer));
      return answers;
    }
    for (const GlibcBuild& build : target_.builds) {
      answers.push_back(
          AnswerByModel(subject, build, target_.glibc_tunables, detail));
    }
    return answers;
  }

  const Target& target_;
  const PredictionRenderer& renderer_;
  const bool check_text_;
  const int columns_;
};

class Command {
 public:
  Command(const CommandContext& context, const Flags& flags)
      : context_(context),
        flags_(flags),
        format_(flags.Get("format").value_or("text")),
        check_(flags.Has("check")) {}

  absl::StatusOr<ExitStatus> Run() {
    const std::vector<std::string>& paths = flags_.arguments();
    const std::optional<std::string> cpuid = flags_.Get("cpuid");
    const bool this_machine = paths.empty() && !cpuid.has_value();
    absl::StatusOr<Target> target = ReadTarget(context_, flags_, this_machine);
    if (!target.ok()) return target.status();
    std::optional<MachineInput> machine;
    if (cpuid.has_value()) {
      absl::StatusOr<MachineInput> input =
          ReadMachineInput(context_.files, *cpuid);
      if (!input.ok()) return input.status();
      machine = *std::move(input);
    }
    if (flags_.Has("group")) return Grouped(paths, cpuid, machine, *target);
    if (this_machine) {
      return One(std::vector<PredictionSubject>{ThisMachine()}, *target);
    }
    if (paths.empty()) return One(SubjectsOf(*machine), *target);
    if (paths.size() == 1 && IsOneFile(paths[0])) {
      return One(
          SubjectsOf(ReadMachineInput(context_.files, paths[0]), machine),
          *target);
    }
    return Many(paths, machine, *target);
  }

 private:
  bool IsOneFile(const std::string& path) const {
    return path != "-" && !IsArchiveName(path) &&
           !context_.files.List(path).ok();
  }

  absl::StatusOr<ExitStatus> Grouped(const std::vector<std::string>& paths,
                                     const std::optional<std::string>& cpuid,
                                     const std::optional<MachineInput>& machine,
                                     const Target& target) const {
    if (format_ != "text" && format_ != "json") {
      return absl::InvalidArgumentError(absl::StrCat(
          "--group: expected --format=text or json, found ", format_));
    }
    if (check_) {
      return absl::InvalidArgumentError(
          "--group: expected no --check, which is about each machine");
    }
    if (target.loader.has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--group: expected a build that the model knows, found "
                       "the loader ",
                       target.loader->path));
    }
    if (paths.empty()) {
      return absl::InvalidArgumentError(
          "--group: expected files, folders or archives, found none");
    }
    GroupedRequest request;
    request.paths = paths;
    request.recursive = flags_.Has("recursive");
    if (cpuid.has_value()) request.base = machine;
    request.builds = target.builds;
    request.glibc_tunables = target.glibc_tunables;
    request.as_json = format_ == "json";
    return PrintGroups(context_, request);
  }

  bool check_text() const { return check_ && format_ == "text"; }

  ExitStatus StatusOf(bool has_finding, bool is_open) const {
    if (!check_) return ExitStatus::kAnswered;
    if (has_finding) return ExitStatus::kFinding;
    return is_open ? ExitStatus::kInconclusive : ExitStatus::kAnswered;
  }

  absl::StatusOr<ExitStatus> One(
      const absl::StatusOr<std::vector<PredictionSubject>>& subjects,
      const Target& target) const {
    if (!subjects.ok()) return subjects.status();
    const std::unique_ptr<PredictionRenderer> renderer = MakePredictionRenderer(
        format_,
        target.size() == 1 ? PredictionScope::kOneBuild
                           : PredictionScope::kOneMachine,
        context_.columns);
    const Predictor predictor(target, *renderer, check_text(),
                              context_.columns);
    const absl::StatusOr<Rendered> rendered = predictor.Render(*subjects);
    if (!rendered.ok()) return rendered.status();
    if (check_text()) {
      context_.out << rendered->text;
    } else {
      context_.out << renderer->Head() << rendered->text << renderer->Tail();
    }
    return StatusOf(rendered->has_finding, rendered->is_open);
  }

  absl::StatusOr<ExitStatus> Many(const std::vector<std::string>& paths,
                                  const std::optional<MachineInput>& machine,
                                  const Target& target) {
    const std::unique_ptr<PredictionRenderer> renderer = MakePredictionRenderer(
        format_, PredictionScope::kMany, context_.columns);
    const Predictor predictor(target, *renderer, check_text(),
                              context_.columns);
    ProgressLine progress(context_.err, context_.terminal);
    size_t good = 0;
    LeftOut left_out(context_.err);
    bool has_finding = false;
    bool is_open = false;
    absl::Status end;
    {
      using Chunk = std::vector<MachineText>;
      using Results = std::vector<absl::StatusOr<Rendered>>;
      const int threads = std::max(1u, std::thread::hardware_concurrency());
      OrderedPipeline<Chunk, Results> pipeline(
          threads, kChunksAhead * threads,
          [&](Chunk chunk) {
            Results results;
            for (MachineText& text : chunk) {
              results.push_back(Interrupted().has_value()
                                    ? absl::CancelledError("interrupted")
                                    : RenderText(text, machine, predictor));
            }
            return results;
          },
          [&](Results results) {
            for (const absl::StatusOr<Rendered>& result : results) {
              if (result.ok()) {
                if (!check_text()) {
                  context_.out
                      << (good == 0 ? renderer->Head() : renderer->Separator());
                }
                context_.out << result->text;
                has_finding = has_finding || result->has_finding;
                is_open = is_open || result->is_open;
                ++good;
              } else if (!absl::IsCancelled(result.status())) {
                progress.Clear();
                left_out.Add(result.status());
              }
            }
            progress.ShowText(Summary(good, left_out.count()));
          });
      end = ForEachMachineChunk(
          context_.files, paths, flags_.Has("recursive"), kChunk,
          [&](Chunk chunk) { pipeline.Add(std::move(chunk)); });
    }
    progress.Clear();
    if (!check_text() && good > 0) context_.out << renderer->Tail();
    if (!end.ok()) return end;
    if (absl::Status status =
            left_out.Conclude(good, Summary(good, left_out.count()),
                              "there is no file to predict for",
                              "none of the files could be predicted for");
        !status.ok()) {
      return status;
    }
    return StatusOf(has_finding, is_open);
  }

  absl::StatusOr<Rendered> RenderText(
      MachineText& text, const std::optional<MachineInput>& machine,
      const Predictor& predictor) const {
    if (!text.text.ok()) return text.text.status();
    const absl::StatusOr<std::vector<PredictionSubject>> subjects =
        SubjectsOf(text.is_read ? ParseMachineInput(*text.text, text.name)
                                : ReadMachineInput(context_.files, text.name),
                   machine);
    if (!subjects.ok()) return subjects.status();
    return predictor.Render(*subjects);
  }

  static std::string Summary(size_t good, size_t bad) {
    return absl::StrCat(
        good, good == 1 ? " machine" : " machines",
        bad == 0 ? ""
                 : absl::StrCat(", ", bad, bad == 1 ? " file" : " files",
                                " left out"));
  }

  // Machines that a thread takes at once, and how many such lots may be ahead.
  static constexpr size_t kChunk = 32;
  static constexpr size_t kChunksAhead = 8;

  const CommandContext& context_;
  const Flags& flags_;
  const std::string format_;
  const bool check_;
};

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  return Command(context, flags).Run();
}

}  // namespace

const CommandRow kPredictCommand = {
    "predict",
    "what a glibc computes on a CPU: thresholds, variants, and why",
    "[FILE|FOLDER|ARCHIVE|-]...",
    0,
    kAnyNumber,
    "Computes what the start-up code of a glibc derives from CPUID and from\n"
    "GLIBC_TUNABLES for memcpy, memmove and memset: the chain with the\n"
    "arithmetic, the thresholds, the selected variants, and what is wrong.\n"
    "\n"
    "A machine is what --cpuid names, each FILE, each file in a FOLDER or in "
    "an\n"
    "ARCHIVE (tar or cpio; `-` is one on standard input), or else this "
    "machine.\n"
    "FILE may be `cpuid -r`, InstLatx64's text, libvirt's XML, lscpu,\n"
    "/proc/cpuinfo, a loader's listing, or a Firecracker CPU template, which "
    "is\n"
    "applied to the machine of --cpuid. Of several files, those that cannot "
    "be\n"
    "read are named on standard error and left out; the exit status is 2 only "
    "if\n"
    "none is left. --check ends with 3 if nothing was found and a machine's\n"
    "leaves are not all known.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
