// Files in a private folder.

#ifndef GLIBC_PATCHES_SCRATCH_FOLDER_H_
#define GLIBC_PATCHES_SCRATCH_FOLDER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/scratch_folder.h"

namespace glibc_patches {

using ::advisor::ScratchFolder;

// Writes a whole file, its folders too.
absl::Status WriteFile(const std::string& path, absl::string_view content);

// Copies a folder or a file with all that is in it; links are followed, so that
// nothing in the copy can lead to the original.
absl::Status CopyAll(const std::string& from, const std::string& to);

absl::Status RemoveFile(const std::string& path);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SCRATCH_FOLDER_H_
