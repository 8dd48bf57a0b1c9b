// A changed assembler text, and where and how it was changed.

#ifndef GLIBC_PATCHES_MUTATION_MUTANT_H_
#define GLIBC_PATCHES_MUTATION_MUTANT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace glibc_patches {

// Bytes of the text that something else takes the place of.
struct TextEdit {
  size_t begin;
  size_t size;
  std::string replacement;
};

struct Mutant {
  // "weakened_branch": the row of FaultRules() or PreservingRules().
  std::string rule;
  // The variants' source file, without ".S".
  std::string source;
  // In the order of their places, without overlap.
  std::vector<TextEdit> edits;
  // Of the first instruction that is changed: file and line in the tree, and
  // the function or label that it stands after.
  std::string file;
  int line = 0;
  std::string function;
  // One line each.
  std::string before;
  std::string after;
};

// `text` with the edits made.
std::string Apply(absl::string_view text, const std::vector<TextEdit>& edits);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_MUTANT_H_
