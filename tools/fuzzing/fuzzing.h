// What fuzz targets share: the entry point, and a check that ends the process.

#ifndef TOOLS_FUZZING_FUZZING_H_
#define TOOLS_FUZZING_FUZZING_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

// Defined by each target; returns 0.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace fuzzing {

inline absl::string_view Text(const uint8_t* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Aborts with `what` on standard error, for the fuzzer to keep the input.
void Require(bool holds, absl::string_view what);

// An error of input: InvalidArgument, one line of printable text that begins
// with `name` and a colon.
void RequireInputError(const absl::Status& status, absl::string_view name);

// The bytes of an input as the choices of a target, from the front.
class Choices {
 public:
  explicit Choices(absl::string_view input) : rest_(input) {}

  // 0 to `count` - 1; 0 when nothing is left.
  size_t Below(size_t count);
  // What stands before the next `separator`, which is taken too.
  absl::string_view Until(char separator);
  absl::string_view Rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

 private:
  absl::string_view rest_;
};

}  // namespace fuzzing

#endif  // TOOLS_FUZZING_FUZZING_H_
