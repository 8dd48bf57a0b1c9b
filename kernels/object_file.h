// The code of an ELF object file, with the fields that only a linker fills in.

#ifndef KERNELS_OBJECT_FILE_H_
#define KERNELS_OBJECT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace kernels {

// Bytes of one section; where `known` is false a relocation decides the byte.
struct CodePattern {
  std::string bytes;
  std::vector<bool> known;
};

// The section that defines function `symbol`, whole: the functions of a file
// jump into each other, and only the whole section has their distances too.
// `object` is the content of an x86-64 ELF file of type ET_REL.
absl::StatusOr<CodePattern> SectionOfSymbol(absl::string_view object,
                                            absl::string_view symbol);

// Offsets in `image` at which all known bytes of the pattern stand.
std::vector<size_t> FindPattern(absl::string_view image,
                                const CodePattern& pattern);

}  // namespace kernels

#endif  // KERNELS_OBJECT_FILE_H_
