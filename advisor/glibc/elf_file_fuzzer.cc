#include <algorithm>
#include <functional>

#include "absl/status/statusor.h"
#include "advisor/glibc/elf_file.h"
#include "advisor/glibc/replay_sites.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

void TestOne(absl::string_view content) {
  const absl::StatusOr<ElfFile> file = ParseElfFile(content, "in");
  if (!file.ok()) return fuzzing::RequireInputError(file.status(), "in");
  fuzzing::Require(!file->code.empty(), "code in a program");
  const std::less_equal<const char*> is_before;
  for (const ElfFile::Code& code : file->code) {
    fuzzing::Require(is_before(content.data(), code.bytes.data()) &&
                         is_before(code.bytes.data() + code.bytes.size(),
                                   content.data() + content.size()),
                     "code inside the file");
  }
  const ReplaySites found = FindReplaySites(*file);
  fuzzing::Require(
      std::is_sorted(found.sites.begin(), found.sites.end(),
                     [](const ReplaySite& left, const ReplaySite& right) {
                       return left.address < right.address;
                     }),
      "sites by address");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
