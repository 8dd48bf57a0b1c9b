#include "glibc_patches/thresholds/judge.h"

#include <algorithm>
#include <future>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/glibc/build.h"
#include "advisor/host/interrupt.h"
#include "glibc_patches/thresholds/built_probe.h"
#include "glibc_patches/thresholds/comparison.h"
#include "glibc_patches/thresholds/probe.h"

namespace glibc_patches {
namespace {

class Judge {
 public:
  Judge(const ThresholdInput& input, const ThresholdDoors& doors)
      : input_(input),
        doors_(doors),
        built_base_(input.scratch + "/probe_base"),
        built_patched_(input.scratch + "/probe_patched") {}

  absl::Status Run() {
    const absl::Duration start = doors_.clock.Monotonic();
    absl::Status status = Build();
    if (status.ok() && result_.not_built.empty()) status = Compare();
    if (advisor::Interrupted()) return absl::CancelledError("interrupted");
    result_.seconds = absl::ToDoubleSeconds(doors_.clock.Monotonic() - start);
    return status;
  }

  ThresholdResult TakeResult() { return std::move(result_); }

 private:
  absl::Status Build() {
    doors_.progress("compiling the threshold code of both trees", 0);
    auto base_built = std::async(std::launch::async, [&] {
      return BuildProbe(input_.base, built_base_, input_.root,
                        doors_.subprocess);
    });
    const absl::Status patched = BuildProbe(input_.patched, built_patched_,
                                            input_.root, doors_.subprocess);
    const absl::Status base = base_built.get();
    for (const auto& [name, status] :
         {std::make_pair("the base", &base),
          std::make_pair("the patched tree", &patched)}) {
      if (status->ok()) continue;
      if (!absl::IsInvalidArgument(*status)) return *status;
      result_.not_built = absl::StrCat(name, ": ", status->message());
      return absl::OkStatus();
    }
    return FindFiles();
  }

  absl::Status FindFiles() {
    std::set<std::string> used;
    for (const std::string& built : {built_base_, built_patched_}) {
      const auto of_probe = FilesOfProbe(built, doors_.files);
      if (!of_probe.ok()) return of_probe.status();
      used.insert(of_probe->begin(), of_probe->end());
    }
    for (const std::string& file : input_.files) {
      (used.count(file) > 0 ? result_.judged_files : result_.unused_files)
          .push_back(file);
    }
    for (const std::string& file : input_.included_files) {
      if (used.count(file) > 0) result_.judged_files.push_back(file);
    }
    const auto differ = ProbesDiffer(built_base_, built_patched_, doors_.files);
    if (!differ.ok()) return differ.status();
    result_.code_differs = *differ;
    return absl::OkStatus();
  }

  absl::Status Compare() {
    if (!result_.code_differs) return absl::OkStatus();
    const auto cpus = ReadDumps(input_.root + "/testdata/cpuid", doors_.files);
    if (!cpus.ok()) return absl::InternalError(cpus.status().message());
    const auto base = Probe::Load(built_base_ + "/probe.so");
    if (!base.ok()) return base.status();
    const auto patched = Probe::Load(built_patched_ + "/probe.so");
    if (!patched.ok()) return patched.status();
    ComparisonOptions options;
    options.release = input_.release;
    const auto build = advisor::ParseGlibcBuild(input_.release);
    if (build.ok()) {
      options.tunable_namespace = std::string(build->tunable_namespace());
    }
    options.thorough = input_.thorough;
    options.all_masks = std::any_of(
        input_.files.begin(), input_.files.end(), [](const std::string& file) {
          return absl::EndsWith(file, "/cpu-tunables.c");
        });
    options.progress = [&](double share) {
      doors_.progress("running the threshold code on every CPU", share);
    };
    options.interrupted = [] { return advisor::Interrupted().has_value(); };
    CompareProbes(*base, *patched, *cpus, options, result_);
    return absl::OkStatus();
  }

  const ThresholdInput& input_;
  const ThresholdDoors& doors_;
  const std::string built_base_, built_patched_;
  ThresholdResult result_;
};

}  // namespace

absl::StatusOr<ThresholdResult> JudgeThresholds(const ThresholdInput& input,
                                                const ThresholdDoors& doors) {
  Judge judge(input, doors);
  absl::Status status = judge.Run();
  if (!status.ok()) return status;
  return judge.TakeResult();
}

}  // namespace glibc_patches
