#include "advisor/machine_texts.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/host/archive_reader.h"
#include "advisor/host/interrupt.h"

namespace advisor {
namespace {

// More than any corpus has.
constexpr int kMaxDepth = 32;

using Take = std::function<absl::Status(MachineText)>;

// `names` are what the folder `path` holds.
absl::Status TakeFolder(const FileReader& files, const std::string& path,
                        std::vector<std::string> names, bool recursive,
                        int depth, std::set<std::string>& seen,
                        const Take& take) {
  if (depth == kMaxDepth) {
    return take(
        MachineText{path, true,
                    absl::InvalidArgumentError(absl::StrCat(
                        path, ": deeper than ", kMaxDepth, " folders"))});
  }
  std::sort(names.begin(), names.end(),
            [](const std::string& a, const std::string& b) {
              return DumpName(a) < DumpName(b);
            });
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    std::string inside = absl::StrCat(absl::StripSuffix(path, "/"), "/", name);
    if (files.List(inside).ok()) {
      folders.push_back(std::move(inside));
      continue;
    }
    // A pipe among them is not waited for.
    if (const absl::Status status = files.ReadFront(inside, 0).status();
        absl::IsInvalidArgument(status)) {
      const absl::Status taken = take(MachineText{inside, true, status});
      if (!taken.ok()) return taken;
      continue;
    }
    const absl::Status status = take(MachineText{std::move(inside)});
    if (!status.ok()) return status;
  }
  if (!recursive) return absl::OkStatus();
  for (const std::string& folder : folders) {
    // Links lead to folders again and again.
    const absl::StatusOr<std::string> resolved = files.Resolve(folder);
    if (!resolved.ok() || !seen.insert(*resolved).second) continue;
    absl::StatusOr<std::vector<std::string>> inside = files.List(folder);
    if (!inside.ok()) continue;
    const absl::Status status = TakeFolder(files, folder, *std::move(inside),
                                           true, depth + 1, seen, take);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status TakePath(const FileReader& files, const std::string& path,
                      bool recursive, const Take& take) {
  absl::StatusOr<std::vector<std::string>> names = files.List(path);
  if (!names.ok()) return take(MachineText{path});
  std::set<std::string> seen;
  if (const auto resolved = files.Resolve(path); resolved.ok()) {
    seen.insert(*resolved);
  }
  return TakeFolder(files, path, *std::move(names), recursive, 0, seen, take);
}

absl::Status TakeArchive(const std::string& path, const Take& take) {
  absl::StatusOr<std::unique_ptr<ArchiveReader>> reader =
      ArchiveReader::Open(path);
  if (!reader.ok()) return take(MachineText{path, true, reader.status()});
  while (true) {
    absl::StatusOr<std::optional<ArchiveReader::Entry>> entry =
        (*reader)->Next();
    // What came before it stands.
    if (!entry.ok()) return take(MachineText{path, true, entry.status()});
    if (!entry->has_value()) return absl::OkStatus();
    const absl::Status status = take(MachineText{
        std::move((*entry)->name), true, std::move((*entry)->content)});
    if (!status.ok()) return status;
  }
}

}  // namespace

std::string DumpName(absl::string_view path) {
  absl::string_view name = absl::StripSuffix(path, "/");
  const size_t slash = name.rfind('/');
  if (slash != absl::string_view::npos) name.remove_prefix(slash + 1);
  return std::string(absl::StripSuffix(name, ".txt"));
}

absl::Status ForEachMachineText(const FileReader& files,
                                absl::Span<const std::string> paths,
                                bool recursive, const Take& take) {
  for (const std::string& path : paths) {
    const absl::Status status = path == "-" || IsArchiveName(path)
                                    ? TakeArchive(path, take)
                                    : TakePath(files, path, recursive, take);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ForEachMachineChunk(
    const FileReader& files, absl::Span<const std::string> paths,
    bool recursive, size_t size,
    const std::function<void(std::vector<MachineText>)>& take) {
  std::vector<MachineText> chunk;
  const absl::Status status = ForEachMachineText(
      files, paths, recursive, [&](MachineText text) -> absl::Status {
        if (Interrupted().has_value()) {
          return absl::CancelledError("interrupted");
        }
        chunk.push_back(std::move(text));
        if (chunk.size() == size) {
          take(std::move(chunk));
          chunk.clear();
        }
        return absl::OkStatus();
      });
  if (!chunk.empty()) take(std::move(chunk));
  return status;
}

}  // namespace advisor
