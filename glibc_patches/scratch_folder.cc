#include "glibc_patches/scratch_folder.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace glibc_patches {
namespace {

namespace fs = std::filesystem;

absl::Status StatusOf(const std::error_code& error, absl::string_view path) {
  if (!error) return absl::OkStatus();
  return absl::ErrnoToStatus(error.value(), path);
}

}  // namespace

absl::Status WriteFile(const std::string& path, absl::string_view content) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return StatusOf(error, path);
  // Anew, so that no link is followed.
  fs::remove(path, error);
  std::ofstream file(path, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file)
    return absl::UnavailableError(absl::StrCat(path, ": cannot write"));
  return absl::OkStatus();
}

absl::Status CopyAll(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::create_directories(fs::path(to).parent_path(), error);
  if (error) return StatusOf(error, to);
  fs::copy(from, to,
           fs::copy_options::recursive | fs::copy_options::overwrite_existing,
           error);
  return StatusOf(error, from);
}

absl::Status RemoveFile(const std::string& path) {
  std::error_code error;
  fs::remove(path, error);
  return StatusOf(error, path);
}

}  // namespace glibc_patches
