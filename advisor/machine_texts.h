// Machine inputs from files, folders and archives, one after the other.

#ifndef ADVISOR_MACHINE_TEXTS_H_
#define ADVISOR_MACHINE_TEXTS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct MachineText {
  // A path, or "ARCHIVE:NAME".
  std::string name;
  // False: a file of that path, not read yet.
  bool is_read = false;
  // An error is one line that names the file.
  absl::StatusOr<std::string> text = std::string();
};

// The input's name without folder and ".txt": "seed_guest_htt0".
std::string DumpName(absl::string_view path);

// Calls `take` for every file: of a folder those in it, sorted by DumpName, and
// with `recursive` those of its folders after them; of an archive (see
// IsArchiveName; "-" is one on standard input) all. Returns the first error of
// `take`.
absl::Status ForEachMachineText(
    const FileReader& files, absl::Span<const std::string> paths,
    bool recursive, const std::function<absl::Status(MachineText)>& take);

// The same, `size` files at a time; ends with Cancelled after a signal. What
// was gathered before an error is taken, too.
absl::Status ForEachMachineChunk(
    const FileReader& files, absl::Span<const std::string> paths,
    bool recursive, size_t size,
    const std::function<void(std::vector<MachineText>)>& take);

}  // namespace advisor

#endif  // ADVISOR_MACHINE_TEXTS_H_
