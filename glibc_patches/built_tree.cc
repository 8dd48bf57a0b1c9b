#include "glibc_patches/built_tree.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace glibc_patches {
namespace {

// The line that says what is wrong: the assembler's "Error:", or the last.
std::string FirstError(absl::string_view output) {
  std::string last;
  for (const absl::string_view line : absl::StrSplit(output, '\n')) {
    if (absl::StrContains(line, "rror: ") && !absl::StrContains(line, "ld:")) {
      return std::string(line);
    }
    if (!line.empty()) last = std::string(line);
  }
  return last;
}

}  // namespace

std::string PlacedTree(const std::string& built, int placement) {
  return absl::StrCat(built, "/tree.", placement, ".so");
}

absl::StatusOr<std::vector<std::string>> FilesToBuild(
    const std::string& root, const std::vector<std::string>& patched_files,
    const advisor::FileReader& files) {
  const auto list = files.Read(root + "/glibc_patches/kernel_files.txt");
  if (!list.ok()) return list.status();
  std::vector<std::string> result =
      absl::StrSplit(*list, '\n', absl::SkipEmpty());
  for (absl::string_view path : patched_files) {
    // "vec" are templates: others include them.
    if (!absl::ConsumePrefix(&path, "sysdeps/x86_64/multiarch/mem") ||
        !absl::ConsumeSuffix(&path, ".S") || absl::StrContains(path, "-vec-") ||
        absl::StrContains(path, '/')) {
      continue;
    }
    const std::string file = absl::StrCat("mem", path);
    if (std::count(result.begin(), result.end(), file) == 0) {
      result.push_back(file);
    }
  }
  return result;
}

absl::Status BuildTree(const std::string& source, const std::string& out,
                       const std::string& root,
                       const std::vector<std::string>& kernel_files,
                       const advisor::Subprocess& subprocess, bool keep_parts) {
  advisor::Command command;
  command.argv = {"/bin/bash", root + "/glibc_patches/build_tree.sh", source,
                  out, root};
  command.argv.insert(command.argv.end(), kernel_files.begin(),
                      kernel_files.end());
  command.environment = advisor::Environment::OfThisProcess()
                            .ForChild({"CC", "CXX", "NM", "OBJCOPY"})
                            .With("KEEP_PARTS", keep_parts ? "1" : "");
  command.time_limit = absl::Minutes(2);
  command.file_limit = advisor::kBuildFileLimit;
  const auto result = subprocess.Run(command);
  if (!result.ok()) return result.status();
  if (result->succeeded()) return absl::OkStatus();
  if (result->timed_out) {
    return absl::DeadlineExceededError(
        absl::StrCat("is not assembled: ", result->Describe()));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "cannot be assembled: ", result->exit_status
                                   ? FirstError(result->standard_error)
                                   : result->Describe()));
}

absl::StatusOr<TreeDifference> CompareTrees(const std::string& base,
                                            const std::string& patched,
                                            const advisor::FileReader& files) {
  TreeDifference difference;
  const auto objects = [&](const std::string& folder) {
    std::set<std::string> names;
    const auto entries = files.List(folder);
    if (!entries.ok()) return names;
    for (absl::string_view name : *entries) {
      if (absl::ConsumeSuffix(&name, ".o")) names.insert(std::string(name));
    }
    return names;
  };
  const std::set<std::string> before = objects(base), after = objects(patched);
  if (before.empty() || after.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(before.empty() ? base : patched,
                     ": expected a tree of build_tree.sh, found none"));
  }
  for (const std::string& name : before) {
    if (after.count(name) == 0) {
      difference.removed.insert(name);
      continue;
    }
    const auto one = files.Read(absl::StrCat(base, "/", name, ".o"));
    const auto other = files.Read(absl::StrCat(patched, "/", name, ".o"));
    if (!one.ok()) return one.status();
    if (!other.ok()) return other.status();
    if (*one != *other) difference.changed.insert(name);
  }
  for (const std::string& name : after) {
    if (before.count(name) == 0) difference.added.insert(name);
  }
  return difference;
}

absl::StatusOr<std::set<std::string>> FilesOf(
    const std::string& built, const advisor::FileReader& files) {
  const auto text = files.Read(built + "/files.txt");
  if (!text.ok()) return text.status();
  return std::set<std::string>(absl::StrSplit(*text, '\n', absl::SkipEmpty()));
}

}  // namespace glibc_patches
