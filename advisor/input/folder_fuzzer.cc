// A folder of files: each is a name, a newline and its content, up to a FS
// character (0x1c).

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/file_reader.h"
#include "advisor/input/folder.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

void TestOne(absl::string_view text) {
  FakeFileReader files;
  size_t count = 0;
  for (fuzzing::Choices choices(text); !choices.empty() && count < 8; ++count) {
    fuzzing::Choices file(choices.Until('\x1c'));
    // A name may hold a newline, written as a vertical tab.
    std::string name(file.Until('\n'));
    std::replace(name.begin(), name.end(), '\v', '\n');
    // What readdir(3) can give.
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of("\0/", 0, 2) != std::string::npos) {
      return;
    }
    files.Add(absl::StrCat("in/", count % 3 == 2 ? "folder/" : "", name),
              std::string(file.Rest()));
  }
  FolderLimits limits;
  limits.files = 6;
  limits.total_bytes = 4096;
  const absl::StatusOr<MachineInput> input = ReadFolder(files, "in", limits);
  if (!input.ok()) return;
  fuzzing::Require(input->format == "folder", "a folder's format");
  // These become lines of a page, which masks control characters but newlines.
  const auto require_line = [](const std::string& text) {
    fuzzing::Require(!absl::StrContains(text, "\n"), "one line for a fact");
  };
  for (const std::string& warning : input->warnings) require_line(warning);
  for (const std::string& note : input->notes) require_line(note);
  for (const InputFile& file : input->files) require_line(file.path);
  bool any_used = false;
  for (const InputFile& file : input->files) any_used |= file.used;
  const bool tells = !input->cores.empty() || input->tunables.has_value() ||
                     input->diagnostics.has_value() ||
                     input->cpu_template.has_value();
  fuzzing::Require(any_used == tells, "what is told was taken of a file");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
