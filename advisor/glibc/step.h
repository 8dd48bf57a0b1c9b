// The line of reasoning behind a prediction: one step for each number, with
// the arithmetic and the CPUID fields that it came from.

#ifndef ADVISOR_GLIBC_STEP_H_
#define ADVISOR_GLIBC_STEP_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace advisor {

struct Step {
  // What was found: "L3", "threads", "non_temporal_threshold", "memmove".
  std::string name;
  // Its value as text: bytes, a count, a flag's name, a variant.
  std::string value;
  // How: "(EBX[31:22]+1) * ... = 16777216", "HTT is 0".
  std::string reason;
  // The CPUID fields, "leaf:subleaf:register[bits]"; empty when it follows
  // from other steps.
  std::string source;
};

// Collects steps, or nothing: a null pointer costs no more than a test.
class StepRecorder {
 public:
  explicit StepRecorder(std::vector<Step>* steps) : steps_(steps) {}

  bool enabled() const { return steps_ != nullptr; }

  // `make` returns a Step and is called only if steps are wanted.
  template <typename Make>
  void Add(Make&& make) const {
    if (steps_ != nullptr) steps_->push_back(make());
  }

 private:
  std::vector<Step>* steps_;
};

}  // namespace advisor

#endif  // ADVISOR_GLIBC_STEP_H_
