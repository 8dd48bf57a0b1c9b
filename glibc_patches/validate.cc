// validate_patch PATCH... [flags]: applies patches to a private copy of glibc's
// memory functions, builds both, and judges what changed.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/exit_status.h"
#include "advisor/flags.h"
#include "advisor/host/clock.h"
#include "advisor/host/dialogue.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/interrupt.h"
#include "advisor/host/subprocess.h"
#include "advisor/program_end.h"
#include "glibc_patches/built_tree.h"
#include "glibc_patches/coverage.h"
#include "glibc_patches/diff.h"
#include "glibc_patches/emulation.h"
#include "glibc_patches/loaded_trees.h"
#include "glibc_patches/patched_source.h"
#include "glibc_patches/scratch_folder.h"
#include "glibc_patches/thresholds/judge.h"
#include "glibc_patches/validation.h"
#include "glibc_patches/verdict_renderer.h"
#include "kernels/measure/worker.h"

namespace glibc_patches {
namespace {

using ::advisor::ExitStatus;

constexpr advisor::FlagRow kFlags[] = {
    {"base", "DIR|TARBALL",
     "glibc's source; $GLIBC_SOURCE or the package glibc-source when left out"},
    {"built-base", "DIR", "the base as build_tree.sh built it"},
    {"built-patched", "DIR", "the patched tree as build_tree.sh built it"},
    {"claim", "change|no-change",
     "what the patch does to thresholds or selection: reject when it does not"},
    {"expect", "accept|reject",
     "end with 0 when this is the verdict, with 1 when it is the other"},
    {"format", "text|json", "what to print; text when left out"},
    {"help", "", "print this"},
    {"quick", "",
     "one look at each variant, and speed with one copier in the caches"},
    {"seed", "NUMBER", "of random sizes and placements; 1 when left out"},
    {"thorough", "",
     "the most calls, and speed of all variants in all regimes: minutes"},
    {"without", "FEATURE,...",
     "as if this CPU had not these (AVX2, AVX512VL, ...): emulate it"},
    {"workload", "NAME|FILE",
     "whose calls count (as for advisor recommend); all recorded ones"},
};

constexpr char kUsage[] =
    "Usage: validate_patch PATCH... [flags]\n\n"
    "Judges patches to glibc's x86-64 memory functions: are the patched ones "
    "right,\nand are they slower or faster? Of their threshold code: which "
    "CPUs "
    "change what?\nSeveral patches are a series.\n\n"
    "Exit status: 0 accept, 1 reject, 2 the patch does not apply or touches\n"
    "nothing that is covered, 3 inconclusive, 4 internal error.\n\nFlags:\n";

void PrintHelp() {
  std::cout << kUsage;
  for (const advisor::FlagRow& flag : kFlags) {
    const std::string word = absl::StrCat(
        "--", flag.name, flag.value.empty() ? "" : "=", flag.value);
    std::cout << "  " << word
              << std::string(word.size() < 26 ? 26 - word.size() : 1, ' ')
              << flag.description << "\n";
  }
  std::cout << "\nCovered:\n" << DescribeCoverage();
}

int Fail(const absl::Status& status) {
  return advisor::EndProgram(std::cerr, "validate_patch", status);
}

int FailToUse(absl::string_view what) {
  return Fail(absl::InvalidArgumentError(what));
}

class Program {
 public:
  explicit Program(advisor::Flags flags)
      : flags_(std::move(flags)),
        environment_(advisor::Environment::OfThisProcess()),
        terminal_(isatty(STDERR_FILENO) == 1) {}

  int Run() {
    if (const auto claim = flags_.Get("claim")) {
      verdict_.claim = *claim == "change" ? Claim::kChange : Claim::kNoChange;
    }
    if (absl::Status status = ReadFlags(); !status.ok()) return Fail(status);
    std::vector<Diff> patches;
    for (const std::string& path : flags_.arguments()) {
      const auto text = files_.Read(path);
      if (!text.ok()) return Fail(text.status());
      auto diff = ParseDiff(*text, path);
      if (!diff.ok()) return Fail(diff.status());
      patches.push_back(*std::move(diff));
      verdict_.patches.push_back(path);
    }
    auto scratch = ScratchFolder::Create(
        environment_.Get("TEST_TMPDIR")
            .value_or(environment_.Get("TMPDIR").value_or("/tmp")));
    if (!scratch.ok()) return Fail(scratch.status());
    input_.scratch = scratch->path();
    if (absl::Status status = Prepare(patches); !status.ok()) {
      return Fail(status);
    }
    if (NothingCovered()) {
      return FailToUse(
          absl::StrCat("the patch touches nothing that is covered (",
                       "--help lists what is): ",
                       absl::StrJoin(verdict_.files.other_files, ", ")));
    }
    if (absl::Status status = JudgeThresholdCode(); !status.ok()) {
      return Fail(status);
    }
    // Threshold code alone leaves the variants as they are.
    if (!verdict_.files.kernel_files.empty()) {
      if (absl::Status status = Judge(); !status.ok()) return Fail(status);
    }
    Decide(verdict_);
    return Report();
  }

 private:
  // Those whose values flags.h does not check.
  absl::Status ReadFlags() {
    if (const auto seed = flags_.Get("seed")) {
      if (!absl::SimpleAtoi(*seed, &input_.seed)) {
        return absl::InvalidArgumentError(
            absl::StrCat("--seed: expected a number, found '", *seed, "'"));
      }
    }
    auto mix = LoadCallMix(files_, flags_.Get("workload"));
    if (!mix.ok()) return mix.status();
    input_.mix = *std::move(mix);
    if (const auto without = flags_.Get("without")) {
      input_.without = absl::StrSplit(*without, ',', absl::SkipEmpty());
      for (const std::string& feature : input_.without) {
        if (advisor::FindFeature(feature) == nullptr) {
          return absl::InvalidArgumentError(absl::StrCat(
              "--without: expected glibc's name of a CPU feature, found '",
              feature, "'"));
        }
      }
    }
    return absl::OkStatus();
  }

  bool NothingCovered() const {
    return verdict_.files.kernel_files.empty() &&
           verdict_.files.threshold_files.empty();
  }

  // Where build_tree.sh and what it needs are: this project's runfiles.
  absl::StatusOr<std::string> Root() const {
    const auto self = files_.Resolve("/proc/self/exe");
    if (!self.ok()) return self.status();
    for (const std::string& root :
         {absl::StrCat(*self, ".runfiles/glibc_tunables_advisor"),
          std::string(".")}) {
      if (files_.Read(root + "/glibc_patches/build_tree.sh").ok()) return root;
    }
    return absl::InternalError("cannot find build_tree.sh beside this program");
  }

  absl::Status Prepare(const std::vector<Diff>& patches) {
    const absl::Duration start = clock_.Monotonic();
    Say("applying the patch");
    std::string base = flags_.Get("base").value_or("");
    if (base.empty()) {
      auto found = FindBase(environment_, files_);
      if (!found.ok()) return found.status();
      base = *std::move(found);
    }
    verdict_.base = base;
    const auto source = OpenBase(base, input_.scratch, files_, subprocess_);
    if (!source.ok()) return source.status();
    source_ = *source;
    const auto release = ReleaseOf(*source, files_);
    if (!release.ok()) return release.status();
    verdict_.release = *release;
    const std::string patched = input_.scratch + "/patched";
    auto plan = ApplyPatches(patches, *source, patched, files_);
    if (!plan.ok()) return plan.status();
    verdict_.files = *std::move(plan);
    if (verdict_.files.kernel_files.empty()) return absl::OkStatus();
    if (flags_.Has("built-base")) {
      input_.built_base = *flags_.Get("built-base");
      input_.built_patched = flags_.Get("built-patched").value_or("");
      return absl::OkStatus();
    }
    absl::Status status = Build(*source, patched);
    verdict_.build_seconds = absl::ToDoubleSeconds(clock_.Monotonic() - start);
    return status;
  }

  absl::Status Build(const std::string& source, const std::string& patched) {
    Say("assembling both trees");
    const auto root = Root();
    if (!root.ok()) return root.status();
    const auto kernel_files =
        FilesToBuild(*root, verdict_.files.kernel_files, files_);
    if (!kernel_files.ok()) return kernel_files.status();
    input_.built_base = input_.scratch + "/built_base";
    input_.built_patched = input_.scratch + "/built_patched";
    auto base_built = std::async(std::launch::async, [&] {
      return BuildTree(source, input_.built_base, *root, *kernel_files,
                       subprocess_);
    });
    const absl::Status patched_status = BuildTree(
        patched, input_.built_patched, *root, *kernel_files, subprocess_);
    const absl::Status base_status = base_built.get();
    if (!base_status.ok()) {
      return absl::Status(base_status.code(),
                          absl::StrCat("the base ", base_status.message()));
    }
    if (!patched_status.ok()) {
      return absl::Status(
          patched_status.code(),
          absl::StrCat("the patched tree ", patched_status.message()));
    }
    return absl::OkStatus();
  }

  // Before the kernels are loaded: its children are copies of this process.
  absl::Status JudgeThresholdCode() {
    ThresholdInput input;
    input.files = verdict_.files.threshold_files;
    for (const std::string& file : verdict_.files.kernel_files) {
      // Headers that C includes, too.
      if (absl::EndsWith(file, ".h") && !absl::StrContains(file, "multiarch")) {
        input.included_files.push_back(file);
      }
    }
    if (input.files.empty() && input.included_files.empty()) {
      return absl::OkStatus();
    }
    const auto root = Root();
    if (!root.ok()) return root.status();
    input.base = source_;
    input.patched = input_.scratch + "/patched";
    input.release = verdict_.release;
    input.root = *root;
    input.scratch = input_.scratch;
    input.thorough = flags_.Has("thorough");
    auto result = JudgeThresholds(
        input,
        {files_, subprocess_, clock_,
         [&](absl::string_view what, double share) {
           Say(absl::StrCat(what, ": ", static_cast<int>(100 * share), " %"));
         }});
    if (!result.ok()) return result.status();
    verdict_.thresholds = *std::move(result);
    return absl::OkStatus();
  }

  absl::Status Judge() {
    input_.effort = flags_.Has("quick")      ? ValidationEffort::kQuick
                    : flags_.Has("thorough") ? ValidationEffort::kThorough
                                             : ValidationEffort::kNormal;
    const bool lines = flags_.Get("format").value_or("text") == "text";
    const ValidationDoors doors{
        files_,
        dialogues_,
        subprocess_,
        environment_,
        clock_,
        [&](absl::string_view what, double share) {
          Say(absl::StrCat(what, ": ", static_cast<int>(100 * share), " %"));
        },
        [&](const CheckResult& check) {
          Say("");
          if (lines) std::cout << RenderCheckLine(check) << std::endl;
        }};
    return Validate(input_, doors, verdict_);
  }

  int Report() {
    Say("");
    const bool json = flags_.Get("format").value_or("text") == "json";
    std::cout << (json ? RenderJson(verdict_) : RenderText(verdict_));
    if (absl::Status status = advisor::Flush(std::cout); !status.ok()) {
      return Fail(status);
    }
    WriteForBazel();
    if (const auto expected = flags_.Get("expect")) {
      const bool met = DecisionName(verdict_.decision) == *expected;
      if (!met) {
        std::cerr << "validate_patch: expected the verdict " << *expected
                  << ", found " << DecisionName(verdict_.decision) << "\n";
      }
      return static_cast<int>(met ? ExitStatus::kAnswered
                                  : ExitStatus::kFinding);
    }
    switch (verdict_.decision) {
      case Decision::kAccept:
        return static_cast<int>(ExitStatus::kAnswered);
      case Decision::kReject:
        return static_cast<int>(ExitStatus::kFinding);
      case Decision::kInconclusive:
        return static_cast<int>(ExitStatus::kInconclusive);
    }
    return static_cast<int>(ExitStatus::kInternalError);
  }

  // Under `bazel test` the same once more, where CI collects it.
  void WriteForBazel() const {
    if (const auto folder = environment_.Get("TEST_UNDECLARED_OUTPUTS_DIR")) {
      WriteFile(*folder + "/verdict.json", RenderJson(verdict_)).IgnoreError();
      WriteFile(*folder + "/verdict.xml", RenderJunit(verdict_)).IgnoreError();
    }
  }

  // On a terminal, one line that is written over.
  void Say(absl::string_view what) const {
    if (terminal_) std::cerr << "\r\033[K" << what << std::flush;
  }

  const advisor::Flags flags_;
  const advisor::Environment environment_;
  const bool terminal_;
  const advisor::RealFileReader files_;
  const advisor::RealSubprocess subprocess_;
  const advisor::RealDialogueStarter dialogues_;
  const advisor::RealClock clock_;
  ValidationInput input_;
  std::string source_;  // the base as a folder
  Verdict verdict_;
};

int ServeMeasurement(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::pair<std::string, std::string> word =
        absl::StrSplit(argv[i], absl::MaxSplits('=', 1));
    const absl::Status status = LoadTree(word.second, word.first);
    if (!status.ok()) return Fail(status);
  }
  return kernels::ServeWorker(std::cin, std::cout);
}

int Main(int argc, char** argv) {
  if (absl::Status status = advisor::CheckCallersRights(); !status.ok()) {
    return Fail(status);
  }
  if (argc > 1 && absl::string_view(argv[1]) == kMeasurementWorker) {
    return ServeMeasurement(argc, argv);
  }
  if (argc > 1 && absl::string_view(argv[1]) == kEmulatedChecks) {
    return ServeEmulatedChecks(std::vector<std::string>(argv + 2, argv + argc),
                               std::cout);
  }
  advisor::InstallInterruptHandler();
  // A reader that went away (| head) must not keep the scratch folder alive.
  signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  auto flags = advisor::Flags::Parse(words, kFlags);
  if (!flags.ok()) return Fail(flags.status());
  if (flags->Has("help")) {
    PrintHelp();
    const absl::Status status = advisor::Flush(std::cout);
    return status.ok() ? 0 : Fail(status);
  }
  if (flags->arguments().empty()) {
    return FailToUse("expected a patch; validate_patch --help tells more");
  }
  if (flags->Has("quick") && flags->Has("thorough")) {
    return FailToUse("--quick and --thorough exclude each other");
  }
  if (flags->Has("built-base") != flags->Has("built-patched")) {
    return FailToUse("--built-base and --built-patched need each other");
  }
  return Program(*std::move(flags)).Run();
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) { return glibc_patches::Main(argc, argv); }
