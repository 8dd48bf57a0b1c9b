// What the tests of the formats share.

#ifndef ADVISOR_INPUT_FORMATS_TESTING_H_
#define ADVISOR_INPUT_FORMATS_TESTING_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "advisor/host/file_reader.h"
#include "advisor/input/machine_input.h"
#include "gtest/gtest.h"

namespace advisor {

inline std::string ReadTestFile(absl::string_view path) {
  const absl::StatusOr<std::string> text = RealFileReader().Read(path);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

// A file below testdata/inputs.
inline MachineInput ReadInput(absl::string_view path) {
  absl::StatusOr<MachineInput> input = ReadMachineInput(
      RealFileReader(), absl::StrCat("testdata/inputs/", path));
  EXPECT_TRUE(input.ok()) << input.status();
  return input.ok() ? *std::move(input) : MachineInput();
}

// A file below testdata/cpuid, its first CPU.
inline CpuidTable ReadDump(absl::string_view path) {
  const std::string name = absl::StrCat("testdata/cpuid/", path);
  absl::StatusOr<CpuidDump> dump = ParseCpuidDump(ReadTestFile(name), name);
  EXPECT_TRUE(dump.ok()) << dump.status();
  return dump.ok() ? dump->cpus[0] : CpuidTable();
}

// What every upstream build selects, and computes where `with_thresholds`.
inline std::vector<std::string> PredictAll(const CpuidSource& cpu,
                                           bool with_thresholds) {
  std::vector<std::string> answers;
  for (const GlibcBuild& build : UpstreamBuilds()) {
    const Prediction prediction = Predict(cpu, build, "", Reasoning::kOmitted);
    answers.push_back(with_thresholds
                          ? FormatPredictionCsv("", prediction)
                          : absl::StrCat(build.name(), " ", prediction.memmove,
                                         " ", prediction.memset));
  }
  return answers;
}

}  // namespace advisor

#endif  // ADVISOR_INPUT_FORMATS_TESTING_H_
