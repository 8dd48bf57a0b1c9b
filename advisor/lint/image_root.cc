#include "advisor/lint/image_root.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "advisor/input/input_text.h"
#include "advisor/lint/assignment_file.h"
#include "advisor/lint/systemd_unit.h"

namespace advisor {
namespace {

// Notes, and settings: who wants to drown somebody in them may.
constexpr size_t kMost = 1000;

class Finder {
 public:
  Finder(const FileReader& files, absl::string_view variable)
      : files_(files), variable_(variable) {}

  ImageSettings Find() {
    FindSystem();
    if (const auto text = Read("/etc/environment")) {
      Take("/etc/environment", ParsePamEnvironment(*text));
    }
    for (const absl::string_view folder :
         {"/usr/lib/environment.d", "/usr/local/lib/environment.d",
          "/run/environment.d", "/etc/environment.d"}) {
      for (const std::string& path : FilesIn(folder, ".conf")) {
        if (const auto text = Read(path)) {
          Take(path, ParseSystemdEnvironmentFile(*text));
        }
      }
    }
    for (const absl::string_view path :
         {"/etc/profile", "/etc/bash.bashrc", "/etc/bashrc", "/root/.profile",
          "/root/.bashrc"}) {
      TakeShell(std::string(path));
    }
    for (const std::string& path : FilesIn("/etc/profile.d", "")) {
      TakeShell(path);
    }
    FindUnits();
    return std::move(settings_);
  }

 private:
  void Note(absl::string_view text) {
    if (settings_.notes.size() < kMost) {
      settings_.notes.push_back(OnOneLine(text));
    } else if (settings_.notes.size() == kMost) {
      settings_.notes.push_back("more notes than these are left out");
    }
  }

  void Add(PlacedValue value) {
    if (settings_.values.size() < kMost) {
      settings_.values.push_back(std::move(value));
    } else {
      Note("more settings than these are left out");
    }
  }

  // nullopt: no such file; one that cannot be read is a note, too.
  std::optional<std::string> Read(absl::string_view path) {
    absl::StatusOr<std::string> text = ReadSettingsFile(files_, path);
    if (text.ok()) return *std::move(text);
    if (!absl::IsNotFound(text.status())) {
      Note(text.status().message());
    }
    return std::nullopt;
  }

  std::vector<std::string> FilesIn(absl::string_view folder,
                                   absl::string_view suffix) const {
    std::vector<std::string> paths;
    const auto names = files_.List(folder);
    if (!names.ok()) return paths;
    for (const std::string& name : *names) {
      if (absl::EndsWith(name, suffix)) {
        paths.push_back(absl::StrCat(folder, "/", name));
      }
    }
    return paths;
  }

  void FindSystem() {
    for (const absl::string_view path :
         {"/etc/os-release", "/usr/lib/os-release"}) {
      const absl::StatusOr<std::string> text = ReadSettingsFile(files_, path);
      if (!text.ok()) continue;
      // Its syntax is a subset of that of an environment file.
      for (const FileAssignment& one : ParseSystemdEnvironmentFile(*text)) {
        if (one.name == "PRETTY_NAME") settings_.system = OnOneLine(one.value);
      }
      return;
    }
  }

  void Take(const std::string& path,
            const std::vector<FileAssignment>& assignments) {
    for (const FileAssignment& one : assignments) {
      if (one.name != variable_) continue;
      const std::string place = OnOneLine(absl::StrCat(path, ":", one.line));
      if (one.expands) {
        Note(absl::StrCat(
            place, ": the value holds a $ or ` that is not expanded here"));
      }
      Add({one.value, place, ""});
    }
  }

  void TakeShell(const std::string& path) {
    if (const auto text = Read(path)) {
      Take(path, FindShellAssignments(*text, variable_));
    }
  }

  void FindUnits() {
    for (const std::string& name : UnitsThatMention(files_, variable_)) {
      const absl::StatusOr<SystemdUnit> unit =
          ReadSystemdUnit(files_, name, variable_);
      if (!unit.ok()) {
        if (!absl::IsFailedPrecondition(unit.status())) {
          Note(unit.status().message());
        }
        continue;
      }
      if (!unit->variable.has_value()) continue;
      Add({unit->variable->value, unit->variable->place, unit->program});
      for (const std::string& note : unit->notes) Note(note);
    }
  }

  const FileReader& files_;
  const std::string variable_;
  ImageSettings settings_;
};

}  // namespace

ImageSettings FindImageSettings(const FileReader& files,
                                absl::string_view variable) {
  return Finder(files, variable).Find();
}

}  // namespace advisor
