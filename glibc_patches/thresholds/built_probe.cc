#include "glibc_patches/thresholds/built_probe.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace glibc_patches {
namespace {

// The compiler's first message, or the last line.
std::string FirstError(absl::string_view output) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    if (absl::StrContains(line, "error: ") ||
        absl::StrContains(line, "undefined reference")) {
      return std::string(line);
    }
    if (!line.empty()) last = std::string(line);
  }
  return last;
}

// What the code of a probe is; probe.so has build ids and more.
bool IsCode(absl::string_view name) {
  return absl::EndsWith(name, ".o") || name == "lists.txt";
}

absl::StatusOr<std::set<std::string>> CodeFiles(
    const std::string& built, const advisor::FileReader& files) {
  const auto names = files.List(built);
  if (!names.ok()) return names.status();
  std::set<std::string> code;
  for (const std::string& name : *names) {
    if (IsCode(name)) code.insert(name);
  }
  if (code.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        built, ": expected a probe of build_probe.sh, found none"));
  }
  return code;
}

}  // namespace

absl::Status BuildProbe(const std::string& source, const std::string& out,
                        const std::string& root,
                        const advisor::Subprocess& subprocess) {
  const std::string folder = root + "/glibc_patches/thresholds";
  advisor::Command command;
  command.argv = {folder + "/build_probe.sh", source, out, folder + "/probe"};
  command.environment =
      advisor::Environment::OfThisProcess().ForChild({"CC", "NM"});
  command.time_limit = absl::Minutes(2);
  command.file_limit = advisor::kBuildFileLimit;
  const auto result = subprocess.Run(command);
  if (!result.ok()) return result.status();
  if (result->succeeded()) return absl::OkStatus();
  if (!result->exit_status) {
    return absl::InvalidArgumentError(result->Describe());
  }
  // With the path as it is in the tree.
  std::string message = FirstError(result->standard_error);
  const size_t in_tree = message.find("/sysdeps/");
  if (in_tree != std::string::npos) message.erase(0, in_tree + 1);
  return absl::InvalidArgumentError(message);
}

absl::StatusOr<bool> ProbesDiffer(const std::string& base,
                                  const std::string& patched,
                                  const advisor::FileReader& files) {
  const auto before = CodeFiles(base, files);
  if (!before.ok()) return before.status();
  const auto after = CodeFiles(patched, files);
  if (!after.ok()) return after.status();
  if (*before != *after) return true;
  for (const std::string& name : *before) {
    const auto one = files.Read(absl::StrCat(base, "/", name));
    const auto other = files.Read(absl::StrCat(patched, "/", name));
    if (!one.ok()) return one.status();
    if (!other.ok()) return other.status();
    if (*one != *other) return true;
  }
  return false;
}

absl::StatusOr<std::set<std::string>> FilesOfProbe(
    const std::string& built, const advisor::FileReader& files) {
  const auto text = files.Read(built + "/files.txt");
  if (!text.ok()) return text.status();
  return std::set<std::string>(absl::StrSplit(*text, '\n', absl::SkipEmpty()));
}

}  // namespace glibc_patches
