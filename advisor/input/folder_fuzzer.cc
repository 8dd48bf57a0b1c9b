// A folder of files: each is a name, a newline and its content, up to a FS
// character (0x1c).

#include <string>

#include "absl/status/statusor.h"
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
    const absl::string_view name = file.Until('\n');
    // What readdir(3) can give.
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(absl::string_view("\0/", 2)) !=
            absl::string_view::npos) {
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
