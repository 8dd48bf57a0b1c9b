#include "advisor/command_predict.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "advisor/prediction_answer.h"
#include "advisor/render/prediction_text.h"
#include "advisor/system.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE", "predict for this dump, instead of this machine's CPU"},
    {"glibc", "BUILD",
     "a release (2.28), the tip of its branch (2.36+branch) or a package's "
     "version (2.36-9+deb12u14)"},
    {"glibc_tunables", "STRING", "with this value of GLIBC_TUNABLES"},
};

std::string DumpName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != absl::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(absl::StripSuffix(path, ".txt"));
}

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  const std::optional<std::string> path = flags.Get("cpuid");
  const std::optional<std::string> glibc = flags.Get("glibc");
  if (!glibc.has_value()) {
    return absl::InvalidArgumentError("--glibc: for which glibc?");
  }
  const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(*glibc);
  if (!build.ok()) return build.status();
  CpuidTable cpuid;
  if (path.has_value()) {
    const absl::StatusOr<std::string> text = context.files.Read(*path);
    if (!text.ok()) return text.status();
    absl::StatusOr<CpuidDump> dump = ParseCpuidDump(*text, *path);
    if (!dump.ok()) return dump.status();
    cpuid = dump->cpus[0];
  } else {
    cpuid = ReadNativeCpuid();
  }
  const Prediction prediction =
      Predict(cpuid, *build, flags.Get("glibc_tunables").value_or(""));
  PredictionAnswer answer;
  answer.path = path.value_or("this machine");
  answer.dump = DumpName(answer.path);
  answer.build = prediction.build;
  answer.build_note = build->note();
  answer.hangs = prediction.hangs;
  answer.thresholds = ThresholdsOf(prediction);
  answer.memmove = std::string(prediction.memmove);
  answer.memset = std::string(prediction.memset);
  answer.steps = prediction.steps;
  context.out << PredictionText(DescribeCpuModel(DecodeCpuModel(cpuid)), answer,
                                context.columns);
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kPredictCommand = {
    "predict",
    "what a glibc computes on a CPU: thresholds, variants, and why",
    "",
    0,
    0,
    "Computes what the start-up code of a glibc derives from CPUID and from\n"
    "GLIBC_TUNABLES for memcpy, memmove and memset, with the arithmetic.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
