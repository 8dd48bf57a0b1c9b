// apply_patch SOURCE OUT PATCH: copies the memory functions' part of glibc's
// SOURCE to OUT and applies PATCH there. For glibc_patch_test's actions.

#include <iostream>
#include <string>
#include <vector>

#include "advisor/host/file_reader.h"
#include "advisor/program_end.h"
#include "glibc_patches/diff.h"
#include "glibc_patches/patched_source.h"

namespace {

int Fail(const absl::Status& status) {
  return advisor::EndProgram(std::cerr, "apply_patch", status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    return Fail(absl::InvalidArgumentError("expected SOURCE OUT PATCH"));
  }
  const advisor::RealFileReader files;
  const auto text = files.Read(argv[3]);
  if (!text.ok()) return Fail(text.status());
  auto diff = glibc_patches::ParseDiff(*text, argv[3]);
  if (!diff.ok()) return Fail(diff.status());
  const auto plan =
      glibc_patches::ApplyPatches({*diff}, argv[1], argv[2], files);
  if (!plan.ok()) return Fail(plan.status());
  return 0;
}
