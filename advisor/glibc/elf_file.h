// The parts of an x86-64 ELF file that say what it is and where its code lies.

#ifndef ADVISOR_GLIBC_ELF_FILE_H_
#define ADVISOR_GLIBC_ELF_FILE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace advisor {

struct ElfFile {
  // A part of the file that is mapped to be executed.
  struct Code {
    // Before relocation.
    uint64_t address;
    absl::string_view bytes;
  };

  bool is_position_independent = false;
  uint64_t entry = 0;
  // Sections with instructions; without a section table, the segments with
  // them (which may hold data, too).
  std::vector<Code> code;
  // PT_INTERP: the loader that the file asks for. A loader has none, and a
  // statically linked program neither.
  std::optional<std::string> interpreter;
  // Lower-case hexadecimal.
  std::optional<std::string> build_id;
  // 1 to 4: the x86-64 level that the file says it needs (the highest bit of
  // the property GNU_PROPERTY_X86_ISA_1_NEEDED, x86-64 psABI). nullopt: it says
  // nothing.
  std::optional<int> isa_level;
};

// `content` must outlive the result. InvalidArgument: "NAME: expected ...,
// found ...".
absl::StatusOr<ElfFile> ParseElfFile(absl::string_view content,
                                     absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_ELF_FILE_H_
