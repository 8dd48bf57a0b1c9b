// The answer of `predict` for one core kind of one machine under one glibc,
// complete before any renderer sees it.

#ifndef ADVISOR_PREDICTION_ANSWER_H_
#define ADVISOR_PREDICTION_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/hazard.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/replay.h"
#include "advisor/glibc/step.h"
#include "advisor/host/file_reader.h"
#include "advisor/input/machine_input.h"

namespace advisor {

// What is predicted for: one core kind of a machine.
struct PredictionSubject {
  // The input's name without folder and ".txt", and the path as given; "this
  // machine" for both.
  std::string dump;
  std::string path;
  // Of a hybrid CPU: "core (CPU 0-7)". Empty where all CPUs are alike.
  std::string core;
  CpuidTable cpuid;
  CpuModel cpu;
  // CPUs of the machine; nullopt for an input of one CPU, which may be one of
  // many.
  std::optional<int> cpus;
  // As in MachineInput.
  bool has_cache_leaves = true;
  bool has_features = true;
  std::vector<UnknownFact> unknown;
  std::vector<std::string> warnings;
};

PredictionSubject ThisMachine();

// One for each core kind. InvalidArgument for an input that tells no CPU.
absl::StatusOr<std::vector<PredictionSubject>> SubjectsOf(
    const MachineInput& input);

// The same for what was read; with `base`, what it must hold is a CPU template,
// which is applied to that machine.
absl::StatusOr<std::vector<PredictionSubject>> SubjectsOf(
    absl::StatusOr<MachineInput> input,
    const std::optional<MachineInput>& base);

struct PredictionAnswer {
  std::string dump;
  std::string path;
  std::string core;
  // As GlibcBuild names it, or the path of a loader that was replayed.
  std::string build;
  // What a reader must know about the build, and about how the answer was
  // found; usually empty.
  std::string build_note;
  // "model", or "replay" of the loader.
  std::string engine = "model";
  bool is_guest = false;

  // The program never gets to main; thresholds and variants mean nothing then.
  bool hangs = false;
  // In bytes, as the kernels read them; nullopt where the build has no such
  // variable, or where the input lacks leaves that it rests on.
  EffectiveThresholds thresholds;
  // The names of the latter, as in ThresholdColumns.
  std::vector<std::string> unknown_values;
  // What follows "__memmove_" and "__memset_" in the selected symbol. Empty
  // where the input lacks leaves that the selection rests on.
  std::string memmove;
  std::string memset;

  // The line of reasoning; empty unless asked for.
  std::vector<Step> steps;
  // Most severe first. Only `id`, `consequence` and `title` are there unless
  // the whole is asked for.
  std::vector<Hazard> hazards;
  // As `hazards`; only with the whole.
  std::vector<KnownIssue> known_issues;
  // False where no conclusion may be drawn: the input lacks leaves, or a
  // replayed loader differs from the model. Empty `hazards` mean nothing then.
  bool hazards_known = false;
};

// The thresholds by the names of the columns of PredictionCsvHeader, in their
// order.
struct ThresholdColumn {
  absl::string_view name;
  std::optional<uint64_t> EffectiveThresholds::*value;
};
absl::Span<const ThresholdColumn> ThresholdColumns();

struct AnswerDetail {
  bool steps = false;
  bool whole_hazards = false;
};

PredictionAnswer AnswerByModel(const PredictionSubject& subject,
                               const GlibcBuild& build,
                               absl::string_view glibc_tunables,
                               AnswerDetail detail);

// A loader to replay, and the build that its banner names.
struct ReplayedLoader {
  std::string path;
  LoaderReplay replay;
  // nullopt: the banner names no build that the model knows. Variants and
  // hazards are then not told.
  std::optional<GlibcBuild> build;
};

absl::StatusOr<ReplayedLoader> OpenLoader(const FileReader& files,
                                          absl::string_view path);

// The thresholds are the loader's. Variants, which a loader does not list, and
// the reasoning are the model's for the same build; `build_note` says how far
// the model agrees. A loader that hangs or crashes there is an answer with that
// hazard. Other errors as LoaderReplay's.
absl::StatusOr<PredictionAnswer> AnswerByReplay(
    const PredictionSubject& subject, const ReplayedLoader& loader,
    absl::string_view glibc_tunables, AnswerDetail detail);

// "2.34 to 2.36, 2.33+branch": names in the order of UpstreamBuilds.
std::string BuildRanges(const std::vector<std::string>& names);

}  // namespace advisor

#endif  // ADVISOR_PREDICTION_ANSWER_H_
