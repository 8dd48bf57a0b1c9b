// What is read of another process and of an image's packages. The first byte
// chooses the reader.

#include <cstring>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/process_door.h"
#include "advisor/lint/program.h"
#include "advisor/running/memory_map.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

// /proc/N/maps.
void TestMap(absl::string_view text) {
  for (const MemoryModule& module : ParseMemoryMap(text)) {
    fuzzing::Require(absl::StartsWith(module.path, "/"), "the path of a file");
    uint64_t before = module.base;
    for (const MemoryModule::Range& range : module.data) {
      fuzzing::Require(range.begin >= before && range.end > range.begin,
                       "ascending ranges behind the base");
      before = range.end;
    }
  }
}

// /proc/N/environ and auxv, which an FS character (0x1c) parts.
void TestProcess(fuzzing::Choices choices) {
  FakeProcessDoor door;
  door.AddExecutable(7, "/program");
  const std::string variables(choices.Until('\x1c'));
  FakeFileReader files({{"/proc/7/environ", variables},
                        {"/proc/7/auxv", std::string(choices.Rest())}});
  const absl::StatusOr<ProcessFacts> facts = ReadProcess(files, door, 7);
  fuzzing::Require(facts.ok(), facts.status().ToString());
  const std::optional<std::string>& value = facts->glibc_tunables;
  fuzzing::Require(
      value.has_value() ==
          (absl::StartsWith(variables, "GLIBC_TUNABLES=") ||
           absl::StrContains(variables,
                             absl::string_view("\0GLIBC_TUNABLES=", 16))),
      "a variable that is set");
  if (!value.has_value()) return;
  fuzzing::Require(
      value->size() <= variables.size() && !absl::StrContains(*value, '\0'),
      "a value of the environment");
  fuzzing::Require(
      FindTunablesInEnviron(absl::StrCat("GLIBC_TUNABLES=", *value)) == *value,
      "the same value when nothing was cut");
}

void TestRpm(absl::string_view text) {
  const std::optional<std::string> version = FindRpmLibcVersion(text);
  if (!version.has_value()) return;
  const size_t dash = version->rfind('-');
  fuzzing::Require(dash != std::string::npos && dash > 0, "two parts");
  for (const char c : *version) {
    fuzzing::Require(absl::ascii_isgraph(c), "a version in a word");
  }
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::Choices choices(fuzzing::Text(data, size));
  switch (choices.Below(3)) {
    case 0:
      advisor::TestMap(choices.Rest());
      break;
    case 1:
      advisor::TestProcess(choices);
      break;
    default:
      advisor::TestRpm(choices.Rest());
  }
  return 0;
}
