// Runs the checks over the variants that were built in.
//
//   run_checks [--effort=quick|normal|thorough] [--check=ID,...]
//   [--variant=...]

#include <cstdio>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/match.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "kernels/variant.h"

ABSL_FLAG(std::string, effort, "normal", "quick, normal or thorough");
ABSL_FLAG(std::vector<std::string>, check, {}, "ids; all when left out");
ABSL_FLAG(std::string, variant, "", "part of a name; all when left out");
ABSL_FLAG(int, jobs, 1, "checks at a time");
ABSL_FLAG(uint64_t, seed, 1, "of the random sizes and alignments");

namespace glibc_patches {
namespace {

void Print(const CheckResult& result) {
  constexpr const char* kStatus[] = {"passed", "FAILED", "skipped"};
  std::printf("%s: %s: %s, %lld calls, %.2f s%s%s\n", result.variant.c_str(),
              result.id.c_str(), kStatus[static_cast<int>(result.status)],
              static_cast<long long>(result.calls), result.seconds,
              result.reason.empty() ? "" : ": ", result.reason.c_str());
  for (const CheckFinding& finding : result.findings) {
    std::printf("  %s\n", finding.what.c_str());
    if (finding.call.has_value()) {
      std::printf("    %s\n", finding.call->Describe().c_str());
    }
  }
  for (const std::string& note : result.notes) {
    std::printf("  note: %s\n", note.c_str());
  }
  std::fflush(stdout);
}

int Run() {
  RunOptions options;
  const std::string effort = absl::GetFlag(FLAGS_effort);
  if (effort != "quick" && effort != "normal" && effort != "thorough") {
    std::fprintf(stderr,
                 "run_checks: --effort: expected quick, normal or "
                 "thorough, found '%s'\n",
                 effort.c_str());
    return 2;
  }
  options.effort = effort == "quick"      ? Effort::kQuick
                   : effort == "thorough" ? Effort::kThorough
                                          : Effort::kNormal;
  options.only = absl::GetFlag(FLAGS_check);
  options.seed = absl::GetFlag(FLAGS_seed);
  options.jobs = absl::GetFlag(FLAGS_jobs);
  options.progress = Print;
  std::vector<const kernels::Variant*> variants;
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    if (absl::StrContains(variant.name, absl::GetFlag(FLAGS_variant))) {
      variants.push_back(&variant);
    }
  }
  bool failed = false;
  for (const CheckResult& result : RunChecks(variants, options)) {
    failed = failed || result.status == CheckStatus::kFailed;
  }
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace glibc_patches

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return glibc_patches::Run();
}
