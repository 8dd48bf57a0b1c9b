// What recording costs a call-heavy program: its CPU time with the recorder
// over that without, in pairs that alternate, and a 95 % interval.

#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/host/environment.h"
#include "advisor/host/scratch_folder.h"
#include "advisor/host/subprocess.h"
#include "kernels/measure/statistics.h"
#include "tools/recorder/recording.h"

namespace recorder {
namespace {

constexpr int kPairs = 15;

// Seconds of CPU time, those of the children that were waited for.
double ChildrenTime() {
  rusage usage;
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double TimeOf(const std::string& kind, const std::string& preload,
              const std::string& folder) {
  advisor::Command command;
  command.argv = {"tools/recorder/call_heavy_program", kind};
  if (!preload.empty()) {
    command.environment = advisor::Environment()
                              .With("LD_PRELOAD", preload)
                              .With(RECORDING_DIRECTORY_VARIABLE, folder);
  }
  command.time_limit = absl::Minutes(2);
  command.file_limit = advisor::kBuildFileLimit;
  const double before = ChildrenTime();
  const auto result = advisor::RealSubprocess().Run(command);
  if (!result.ok() || !result->succeeded()) {
    std::cerr << "overhead_benchmark: " << kind << " failed\n";
    std::exit(4);
  }
  return ChildrenTime() - before;
}

void Compare(const std::string& kind, const std::string& preload,
             const std::string& folder) {
  std::vector<double> log_ratios;
  double without = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const double plain = TimeOf(kind, "", folder);
    const double recorded = TimeOf(kind, preload, folder);
    without += plain / kPairs;
    log_ratios.push_back(std::log(recorded / plain));
  }
  const kernels::Interval interval = kernels::MeanInterval(log_ratios, 0.95);
  std::cout << absl::StreamFormat("%-11s %.3f s  x %.2f [%.2f, %.2f]\n", kind,
                                  without, std::exp(interval.middle),
                                  std::exp(interval.low),
                                  std::exp(interval.high));
}

}  // namespace
}  // namespace recorder

int main() {
  const auto folder =
      advisor::ScratchFolder::Create("/tmp", "overhead_benchmark");
  if (!folder.ok()) return 4;
  const std::string preload =
      std::filesystem::absolute("tools/recorder/libsize_recorder.so");
  for (const char* kind : {"copies", "words", "dictionary"}) {
    recorder::Compare(kind, preload, folder->path());
  }
}
