#include "advisor/lint/systemd_unit.h"

#include <fnmatch.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/input/input_text.h"
#include "advisor/lint/assignment_file.h"
#include "advisor/lint/unit_syntax.h"

namespace advisor {
namespace {

// In the order of precedence.
constexpr absl::string_view kUnitFolders[] = {
    "/etc/systemd/system.control", "/run/systemd/system.control",
    "/run/systemd/transient",      "/run/systemd/generator.early",
    "/etc/systemd/system",         "/etc/systemd/system.attached",
    "/run/systemd/system",         "/run/systemd/system.attached",
    "/run/systemd/generator",      "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system",     "/lib/systemd/system",
    "/run/systemd/generator.late"};

std::string Folder(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == absl::string_view::npos ? "."
                                          : std::string(path.substr(0, slash));
}

absl::string_view BaseName(absl::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Names whose folders NAME.d hold drop-ins, from the most particular on:
// "a-b@i.service", "a-b@.service", "a-.service", "service".
std::vector<std::string> DropInNames(absl::string_view name) {
  const size_t dot = name.rfind('.');
  const std::string type(name.substr(dot));
  absl::string_view stem = name.substr(0, dot);
  std::vector<std::string> names = {std::string(name)};
  const size_t at_sign = stem.find('@');
  if (at_sign != absl::string_view::npos) {
    names.push_back(absl::StrCat(stem.substr(0, at_sign + 1), type));
    stem = stem.substr(0, at_sign);
  }
  for (size_t dash = stem.rfind('-');
       dash != absl::string_view::npos && dash > 0;
       dash = stem.rfind('-', dash - 1)) {
    names.push_back(absl::StrCat(stem.substr(0, dash + 1), type));
  }
  names.push_back(type.substr(1));
  return names;
}

class Reader {
 public:
  Reader(const FileReader& files, absl::string_view variable)
      : files_(files), variable_(variable) {}

  absl::StatusOr<SystemdUnit> Read(absl::string_view file_or_name) {
    if (absl::Status status = FindUnitFile(file_or_name); !status.ok()) {
      return status;
    }
    FindDropIns();
    ReadManager();
    for (const std::string& path : unit_.files) ReadFile(path);
    Conclude();
    return std::move(unit_);
  }

 private:
  // Names and values in it may hold anything.
  void Note(absl::string_view text) { unit_.notes.push_back(OnOneLine(text)); }

  static std::string Place(absl::string_view path, int line) {
    return OnOneLine(absl::StrCat(path, ":", line));
  }

  absl::Status FindUnitFile(absl::string_view file_or_name) {
    unit_.name = std::string(BaseName(file_or_name));
    if (!absl::StrContains(unit_.name, ".")) {
      absl::StrAppend(&unit_.name, ".service");
    }
    if (absl::StrContains(file_or_name, "/")) {
      folder_ = Folder(file_or_name);
      return AddUnitFile(std::string(file_or_name));
    }
    std::vector<std::string> names = {unit_.name};
    const size_t at_sign = unit_.name.find('@');
    if (at_sign != std::string::npos) {  // An instance of a template.
      names.push_back(absl::StrCat(
          absl::string_view(unit_.name).substr(0, at_sign + 1),
          absl::string_view(unit_.name).substr(unit_.name.rfind('.'))));
    }
    for (const std::string& name : names) {
      for (const absl::string_view folder : kUnitFolders) {
        const std::string path = absl::StrCat(folder, "/", name);
        if (files_.Resolve(path).ok()) return AddUnitFile(path);
      }
    }
    return absl::NotFoundError(
        absl::StrCat(file_or_name,
                     ": expected a unit file or the name of a unit, found no "
                     "such file in systemd's folders"));
  }

  absl::Status AddUnitFile(const std::string& path) {
    const absl::StatusOr<std::string> resolved = files_.Resolve(path);
    if (!resolved.ok()) return resolved.status();
    if (*resolved == "/dev/null") {
      return absl::FailedPreconditionError(
          absl::StrCat(path, ": the unit is masked: it never starts"));
    }
    const absl::StatusOr<std::string> content = ReadSettingsFile(files_, path);
    if (!content.ok()) return content.status();
    unit_.files.push_back(path);
    return absl::OkStatus();
  }

  void FindDropIns() {
    std::vector<std::string> folders;
    for (const std::string& name : DropInNames(unit_.name)) {
      if (!folder_.empty()) folders.push_back(absl::StrCat(folder_, "/", name));
      for (const absl::string_view folder : kUnitFolders) {
        folders.push_back(absl::StrCat(folder, "/", name));
      }
    }
    // The first of a name hides the others; they count in the order of names.
    std::map<std::string, std::string> found;
    for (const std::string& folder : folders) {
      const absl::StatusOr<std::vector<std::string>> names =
          files_.List(absl::StrCat(folder, ".d"));
      if (!names.ok()) continue;
      for (const std::string& name : *names) {
        if (absl::EndsWith(name, ".conf")) {
          found.emplace(name, absl::StrCat(folder, ".d/", name));
        }
      }
    }
    std::set<std::string> seen;  // /lib may be /usr/lib.
    for (const auto& [name, path] : found) {
      const absl::StatusOr<std::string> resolved = files_.Resolve(path);
      if (!resolved.ok() || *resolved == "/dev/null" ||
          !seen.insert(*resolved).second) {
        continue;
      }
      unit_.files.push_back(path);
    }
  }

  // DefaultEnvironment= of the system manager.
  void ReadManager() {
    std::vector<std::string> paths = {"/etc/systemd/system.conf"};
    for (const absl::string_view folder :
         {"/usr/lib/systemd/system.conf.d", "/run/systemd/system.conf.d",
          "/etc/systemd/system.conf.d"}) {
      const auto names = files_.List(folder);
      if (!names.ok()) continue;
      for (const std::string& name : *names) {
        if (absl::EndsWith(name, ".conf")) {
          paths.push_back(absl::StrCat(folder, "/", name));
        }
      }
    }
    for (const std::string& path : paths) {
      const absl::StatusOr<std::string> content =
          ReadSettingsFile(files_, path);
      if (!content.ok()) continue;
      for (const UnitDirective& directive : ParseUnitDirectives(*content)) {
        if (directive.key != "DefaultEnvironment" &&
            directive.key != "ManagerEnvironment") {
          continue;
        }
        if (directive.value.empty()) manager_.clear();
        Assignments(directive, path, manager_);
      }
    }
  }

  void ReadFile(const std::string& path) {
    const absl::StatusOr<std::string> content = ReadSettingsFile(files_, path);
    if (!content.ok()) {
      Note(content.status().message());
      return;
    }
    for (const UnitDirective& directive : ParseUnitDirectives(*content)) {
      if (directive.section == "Unit" || directive.section == "Install") {
        continue;
      }
      Take(directive, path);
    }
  }

  void Take(const UnitDirective& directive, const std::string& path) {
    const std::string place = Place(path, directive.line);
    if (directive.key == "Environment") {
      if (directive.value.empty()) environment_.clear();
      Assignments(directive, path, environment_);
    } else if (directive.key == "EnvironmentFile") {
      if (directive.value.empty()) {
        environment_files_.clear();
      } else {
        environment_files_.push_back({directive.value, place});
      }
    } else if (directive.key == "PassEnvironment") {
      if (directive.value.empty()) passes_.clear();
      if (Names(directive.value)) passes_ = place;
    } else if (directive.key == "UnsetEnvironment") {
      if (directive.value.empty()) unsets_.clear();
      if (Names(directive.value)) unsets_ = place;
    } else if (directive.key == "ExecStart") {
      if (directive.value.empty()) unit_.program.clear();
      if (unit_.program.empty()) SetProgram(directive.value);
    }
  }

  bool Names(absl::string_view value) const {
    const std::vector<std::string> words = SplitUnitWords(value);
    return std::any_of(
        words.begin(), words.end(), [this](absl::string_view word) {
          return word == variable_ ||
                 absl::StartsWith(word, absl::StrCat(variable_, "="));
        });
  }

  void SetProgram(absl::string_view value) {
    const std::vector<std::string> words = SplitUnitWords(value);
    if (words.empty()) return;
    absl::string_view program = words[0];
    while (!program.empty() &&
           absl::StrContains("-@:+!|", program.substr(0, 1))) {
      program.remove_prefix(1);
    }
    unit_.program = OnOneLine(program);
  }

  // The variable's assignments in Environment= or the like.
  void Assignments(const UnitDirective& directive, const std::string& path,
                   std::vector<UnitVariable>& found) {
    const std::string place = Place(path, directive.line);
    std::string problem;
    for (const std::string& word : SplitUnitWords(directive.value, &problem)) {
      bool known = true;
      const std::string text = ExpandSpecifiers(word, unit_.name, known);
      absl::string_view value = text;
      if (!absl::ConsumePrefix(&value, absl::StrCat(variable_, "="))) continue;
      if (!known) {
        Note(absl::StrCat(
            place, ": a specifier (%) stands in the value, not expanded here"));
      }
      found.push_back({std::string(value), place});
    }
    if (!problem.empty()) {
      Note(absl::StrCat(place, ": ", problem,
                        ": systemd ignores the rest of the line"));
    }
  }

  // The files behind an EnvironmentFile=, "-" taken off.
  std::vector<std::string> Matching(const std::string& pattern) const {
    if (pattern.find_first_of("*?[") == std::string::npos) return {pattern};
    std::vector<std::string> paths;
    const auto names = files_.List(Folder(pattern));
    if (!names.ok()) return {};
    for (const std::string& name : *names) {
      if (fnmatch(std::string(BaseName(pattern)).c_str(), name.c_str(),
                  FNM_PERIOD) == 0) {
        paths.push_back(absl::StrCat(Folder(pattern), "/", name));
      }
    }
    return paths;
  }

  void ReadEnvironmentFiles(std::vector<UnitVariable>& found) {
    for (const UnitVariable& entry : environment_files_) {
      absl::string_view name = entry.value;
      const bool optional = absl::ConsumePrefix(&name, "-");
      bool known = true;
      for (const std::string& path :
           Matching(ExpandSpecifiers(name, unit_.name, known))) {
        const absl::StatusOr<std::string> content =
            ReadSettingsFile(files_, path);
        if (!content.ok()) {
          if (optional && absl::IsNotFound(content.status())) continue;
          Note(absl::StrCat(
              entry.place, ": EnvironmentFile ", content.status().message(),
              optional ? "" : ": the unit does not start without it"));
          continue;
        }
        for (const FileAssignment& one :
             ParseSystemdEnvironmentFile(*content)) {
          if (one.name == variable_) {
            found.push_back({one.value, Place(path, one.line)});
          }
        }
      }
    }
  }

  // The last one counts: the manager's, then Environment=, then the files.
  void Conclude() {
    std::vector<UnitVariable> all = manager_;
    all.insert(all.end(), environment_.begin(), environment_.end());
    ReadEnvironmentFiles(all);
    for (size_t i = 0; i + 1 < all.size(); ++i) {
      Note(absl::StrCat(all[i].place, ": ", variable_, "=", all[i].value,
                        " does not count: it is set again at ",
                        all[i + 1].place));
    }
    if (!unsets_.empty()) {
      Note(absl::StrCat(unsets_, ": UnsetEnvironment takes ", variable_,
                        " away"));
      return;
    }
    if (!all.empty()) {
      unit_.variable = all.back();
    } else if (!passes_.empty()) {
      Note(absl::StrCat(passes_, ": PassEnvironment hands on ", variable_,
                        " of the manager, where that has it"));
    }
  }

  const FileReader& files_;
  const std::string variable_;
  SystemdUnit unit_;
  std::string folder_;
  std::vector<UnitVariable> manager_;
  std::vector<UnitVariable> environment_;
  std::vector<UnitVariable> environment_files_;
  std::string passes_;
  std::string unsets_;
};

}  // namespace

absl::StatusOr<SystemdUnit> ReadSystemdUnit(const FileReader& files,
                                            absl::string_view file_or_name,
                                            absl::string_view variable) {
  return Reader(files, variable).Read(file_or_name);
}

std::vector<std::string> UnitsThatMention(const FileReader& files,
                                          absl::string_view text) {
  std::set<std::string> units;
  const auto mentions = [&](const std::string& path) {
    const absl::StatusOr<std::string> content = ReadSettingsFile(files, path);
    return content.ok() && (absl::StrContains(*content, text) ||
                            absl::StrContains(*content, "EnvironmentFile"));
  };
  for (const absl::string_view folder : kUnitFolders) {
    const auto names = files.List(folder);
    if (!names.ok()) continue;
    for (const std::string& name : *names) {
      const std::string path = absl::StrCat(folder, "/", name);
      if (absl::EndsWith(name, ".service")) {
        if (mentions(path)) units.insert(name);
        continue;
      }
      absl::string_view unit = name;
      if (!absl::ConsumeSuffix(&unit, ".d") ||
          !absl::EndsWith(unit, ".service")) {
        continue;
      }
      const auto drop_ins = files.List(path);
      if (!drop_ins.ok()) continue;
      for (const std::string& drop_in : *drop_ins) {
        if (mentions(absl::StrCat(path, "/", drop_in))) {
          units.insert(std::string(unit));
        }
      }
    }
  }
  return {units.begin(), units.end()};
}

}  // namespace advisor
