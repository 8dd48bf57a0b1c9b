#include "glibc_patches/patched_source.h"

#include <string.h>

#include <algorithm>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "glibc_patches/apply_diff.h"
#include "glibc_patches/coverage.h"
#include "glibc_patches/scratch_folder.h"

namespace glibc_patches {
namespace {

// As in tools/bazel/glibc_source.bzl: all that the memory functions include.
constexpr const char* kFolders[] = {"sysdeps/x86", "sysdeps/x86_64",
                                    "sysdeps/generic"};

// Of Debian's glibc-source.
constexpr char kPackageFolder[] = "/usr/src/glibc";

absl::Status NotASource(const std::string& base, absl::string_view found) {
  return absl::InvalidArgumentError(absl::StrCat(
      base, ": expected glibc's source as a folder or a tarball, found ",
      found));
}

bool IsFile(const std::string& path, const advisor::FileReader& files) {
  return files.Read(path).ok();
}

absl::Status Unpack(const std::string& tarball, const std::string& to,
                    const advisor::Subprocess& subprocess) {
  if (absl::Status status = WriteFile(to + "/WORKSPACE", ""); !status.ok()) {
    return status;
  }
  advisor::Command command;
  command.argv = {"/usr/bin/env",
                  "tar",
                  "--extract",
                  "--force-local",
                  "--file=" + tarball,
                  "--directory=" + to,
                  "--strip-components=1",
                  "--no-same-owner",
                  "--no-wildcards-match-slash",
                  "--wildcards",
                  "*/version.h"};
  for (const char* folder : kFolders) {
    command.argv.push_back(absl::StrCat("*/", folder));
  }
  command.environment = advisor::Environment::OfThisProcess().ForChild();
  command.time_limit = absl::Minutes(2);
  command.file_limit = advisor::kBuildFileLimit;
  const auto result = subprocess.Run(command);
  if (!result.ok()) return result.status();
  if (result->succeeded()) return absl::OkStatus();
  return NotASource(
      tarball,
      absl::StrCat("a file that tar cannot read (.xz needs xz-utils): ",
                   result->FirstErrorLine()));
}

// One patch's files and what covers them.
struct Part {
  const Diff* diff;
  const FileChange* file;
  StrippedPaths paths;
  Coverage coverage;
};

Coverage CoverageOfEither(const StrippedPaths& paths) {
  Coverage coverage = Coverage::kNone;
  for (const auto& path : {paths.old_path, paths.new_path}) {
    if (path.has_value()) coverage = std::min(coverage, CoverageOf(*path));
  }
  return coverage;
}

absl::StatusOr<std::vector<Part>> Parts(const std::vector<Diff>& patches,
                                        const PatchedFiles::Reader& read) {
  std::vector<Part> parts;
  for (const Diff& diff : patches) {
    const int strip = DetectStrip(diff, [&](const std::string& path) {
      return CoverageOf(path) != Coverage::kNone || read(path).has_value();
    });
    for (const FileChange& file : diff.files) {
      Part part{&diff, &file, {}, Coverage::kNone};
      absl::Status status = StripPaths(diff, file, strip, part.paths);
      if (!status.ok()) return status;
      part.coverage = CoverageOfEither(part.paths);
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

PatchPlan PlanOf(const std::vector<Part>& parts) {
  std::set<std::string> kernel, threshold, other;
  for (const Part& part : parts) {
    std::set<std::string>& paths = part.coverage == Coverage::kKernel ? kernel
                                   : part.coverage == Coverage::kThreshold
                                       ? threshold
                                       : other;
    paths.insert(part.paths.new_path ? *part.paths.new_path
                                     : *part.paths.old_path);
  }
  return {{kernel.begin(), kernel.end()},
          {threshold.begin(), threshold.end()},
          {other.begin(), other.end()},
          {}};
}

absl::Status WriteChanges(const PatchedFiles& patched, const std::string& to) {
  for (const auto& [path, content] : patched.changes()) {
    const std::string target = absl::StrCat(to, "/", path);
    const absl::Status status =
        content.has_value() ? WriteFile(target, *content) : RemoveFile(target);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> FindBase(const advisor::Environment& environment,
                                     const advisor::FileReader& files) {
  if (const auto source = environment.Get("GLIBC_SOURCE")) return *source;
  std::string newest;
  if (const auto names = files.List(kPackageFolder); names.ok()) {
    for (const std::string& name : *names) {
      if (absl::StartsWith(name, "glibc-") &&
          absl::StrContains(name, ".tar.") &&
          strverscmp(newest.c_str(), name.c_str()) < 0) {
        newest = name;
      }
    }
  }
  if (!newest.empty()) return absl::StrCat(kPackageFolder, "/", newest);
  return absl::NotFoundError(
      "expected --base=DIR|TARBALL, $GLIBC_SOURCE or the package "
      "glibc-source, found none of them");
}

absl::StatusOr<std::string> OpenBase(const std::string& base,
                                     const std::string& scratch,
                                     const advisor::FileReader& files,
                                     const advisor::Subprocess& subprocess) {
  std::string folder = base;
  if (!files.List(base).ok()) {
    if (const auto there = files.Resolve(base); !there.ok()) {
      return NotASource(base, "nothing");
    }
    folder = scratch + "/base";
    if (absl::Status status = Unpack(base, folder, subprocess); !status.ok()) {
      return status;
    }
  }
  if (!IsFile(folder + "/version.h", files)) {
    return NotASource(base, "no version.h in it");
  }
  for (const char* wanted : kFolders) {
    if (!files.List(absl::StrCat(folder, "/", wanted)).ok()) {
      return NotASource(base, absl::StrCat("no ", wanted, " in it"));
    }
  }
  return folder;
}

absl::StatusOr<std::string> ReleaseOf(const std::string& source,
                                      const advisor::FileReader& files) {
  const std::string path = source + "/version.h";
  const auto text = files.Read(path);
  if (!text.ok()) return text.status();
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (absl::ConsumePrefix(&line, "#define VERSION \"")) {
      return std::string(line.substr(0, line.find('"')));
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": expected #define VERSION \"...\", found none"));
}

absl::StatusOr<PatchPlan> ApplyPatches(const std::vector<Diff>& patches,
                                       const std::string& base,
                                       const std::string& to,
                                       const advisor::FileReader& files) {
  const auto read = [&](const std::string& path) -> std::optional<std::string> {
    auto content = files.Read(absl::StrCat(base, "/", path));
    if (!content.ok()) return std::nullopt;
    return *std::move(content);
  };
  const absl::StatusOr<std::vector<Part>> parts = Parts(patches, read);
  if (!parts.ok()) return parts.status();
  PatchPlan plan = PlanOf(*parts);
  if (plan.kernel_files.empty() && plan.threshold_files.empty()) return plan;
  PatchedFiles patched(read);
  for (const Part& part : *parts) {
    if (part.coverage == Coverage::kNone) continue;
    absl::Status status = ApplyFileChange(*part.diff, *part.file, part.paths,
                                          patched, plan.moved);
    if (!status.ok()) return status;
  }
  for (const char* wanted :
       {"version.h", kFolders[0], kFolders[1], kFolders[2]}) {
    absl::Status status =
        CopyAll(absl::StrCat(base, "/", wanted), absl::StrCat(to, "/", wanted));
    if (!status.ok()) return status;
  }
  if (absl::Status status = WriteChanges(patched, to); !status.ok()) {
    return status;
  }
  return plan;
}

}  // namespace glibc_patches
