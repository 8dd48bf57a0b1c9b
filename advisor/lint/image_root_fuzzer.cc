// An unpacked image. The first byte chooses what is asked; that of each file
// chooses its path, the rest up to an FS character (0x1c) is its content.

#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "advisor/host/file_reader.h"
#include "advisor/lint/image_root.h"
#include "advisor/lint/systemd_unit.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr char kVariable[] = "T";
constexpr const char* kPaths[] = {
    "/lib/systemd/system/a-b@.service",
    "/etc/systemd/system/a-b@c.service",
    "/etc/systemd/system/x.service",
    "/etc/systemd/system/x.service.d/10.conf",
    "/lib/systemd/system/service.d/20.conf",
    "/etc/systemd/system.conf",
    "/etc/default/x",
    "/etc/default/x y",
    "/etc/environment",
    "/etc/environment.d/1.conf",
    "/etc/profile",
    "/etc/os-release",
};
constexpr size_t kCount = sizeof(kPaths) / sizeof(kPaths[0]);

// These become lines of a page, which masks control characters but newlines.
void RequireLine(absl::string_view text) {
  fuzzing::Require(!absl::StrContains(text, "\n"), "one line for a fact");
}

void TestUnit(const FileReader& files, absl::string_view name) {
  const absl::StatusOr<SystemdUnit> unit =
      ReadSystemdUnit(files, name, kVariable);
  if (!unit.ok()) {
    fuzzing::Require(absl::IsNotFound(unit.status()), unit.status().ToString());
    return;
  }
  fuzzing::Require(unit->name == name && !unit->files.empty(),
                   "the unit that was asked for");
  for (const std::string& note : unit->notes) RequireLine(note);
  RequireLine(unit->program);
  if (!unit->variable.has_value()) return;
  RequireLine(unit->variable->place);
}

void TestImage(const FileReader& files) {
  const ImageSettings settings = FindImageSettings(files, kVariable);
  for (const std::string& note : settings.notes) RequireLine(note);
  RequireLine(settings.system);
  for (const PlacedValue& value : settings.values) {
    RequireLine(value.place);
    RequireLine(value.program);
  }
}

void TestOne(fuzzing::Choices choices) {
  const size_t question = choices.Below(3);
  FakeFileReader files;
  while (!choices.empty()) {
    const char* const path = kPaths[choices.Below(kCount)];
    files.Add(path, std::string(choices.Until('\x1c')));
  }
  if (question == 0) return TestUnit(files, "x.service");
  if (question == 1) return TestUnit(files, "a-b@c.service");
  TestImage(files);
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Choices(fuzzing::Text(data, size)));
  return 0;
}
