// The formats that machine inputs come in. A new one is a file FORMAT.cc with a
// detector and a parser, their declarations in formats.h, and a row here.

#ifndef ADVISOR_INPUT_INPUT_FORMAT_H_
#define ADVISOR_INPUT_INPUT_FORMAT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/input/machine_input.h"

namespace advisor {

struct InputFormat {
  absl::string_view name;
  // Whether the front of a file (kDetectionBytes of it) is of this format: true
  // for a malformed one too, so that the parser can say what is wrong.
  bool (*looks_like)(absl::string_view front);
  // `name` stands in errors and becomes MachineInput::name;
  // MachineInput::format is set by the caller.
  absl::StatusOr<MachineInput> (*parse)(absl::string_view text,
                                        absl::string_view name);
};

// The first row that looks like a file is its format. In a folder, facts are
// taken from the row that stands higher.
absl::Span<const InputFormat> InputFormats();

constexpr size_t kDetectionBytes = size_t{1} << 20;

// nullptr: no row.
const InputFormat* DetectInputFormat(absl::string_view text);

// "cpuid -r, InstLatx64, ...".
std::string InputFormatNames();

}  // namespace advisor

#endif  // ADVISOR_INPUT_INPUT_FORMAT_H_
