#include "advisor/input/machine_input.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/input/folder.h"
#include "advisor/input/input_format.h"
#include "advisor/input/input_text.h"

namespace advisor {
namespace {

constexpr absl::string_view kByteOrderMark = "\xef\xbb\xbf";

std::string FirstWords(absl::string_view text) {
  const absl::string_view stripped = StripBlanks(text.substr(0, 4096));
  if (stripped.empty()) return "an empty file";
  return QuotedInput(StripBlanks(stripped.substr(0, stripped.find('\n'))));
}

}  // namespace

absl::StatusOr<MachineInput> ParseMachineInput(absl::string_view text,
                                               absl::string_view path) {
  // It stands in errors and warnings.
  const std::string name = OnOneLine(path);
  absl::ConsumePrefix(&text, kByteOrderMark);
  const InputFormat* const format = DetectInputFormat(text);
  if (format == nullptr) {
    return InputError(name, 1, absl::StrCat("one of ", InputFormatNames()),
                      FirstWords(text));
  }
  absl::StatusOr<MachineInput> input = format->parse(text, name);
  if (!input.ok()) return input.status();
  input->name = name;
  input->format = std::string(format->name);
  return input;
}

absl::StatusOr<MachineInput> ReadMachineInput(const FileReader& files,
                                              absl::string_view path) {
  const absl::StatusOr<std::vector<std::string>> names = files.List(path);
  if (names.ok()) return ReadFolder(files, path);
  if (absl::IsPermissionDenied(names.status())) return names.status();
  const absl::StatusOr<std::string> text = files.Read(path);
  if (!text.ok()) return text.status();
  return ParseMachineInput(*text, path);
}

MachineInput ApplyCpuTemplate(MachineInput base,
                              const CpuTemplate& cpu_template) {
  std::vector<std::string> misfits;
  for (CoreKind& kind : base.cores) {
    misfits = ApplyModifiers(cpu_template, &kind.cpuid);
  }
  if (!misfits.empty()) {
    base.warnings.push_back(absl::StrCat(
        "the CPU template modifies leaves that are not in the dump it was "
        "applied to, and that stay absent: ",
        absl::StrJoin(misfits, ", ")));
  }
  base.cpu_template = cpu_template;
  return base;
}

}  // namespace advisor
