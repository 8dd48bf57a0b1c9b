// The rules by which faults, and edits that change nothing, are planted.

#ifndef GLIBC_PATCHES_MUTATION_RULES_H_
#define GLIBC_PATCHES_MUTATION_RULES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "glibc_patches/mutation/assembly.h"
#include "glibc_patches/mutation/mutant.h"

namespace glibc_patches {

// What a rule sees of one variants' file.
struct RuleContext {
  const Listing& listing;
  std::string source;
  // By label: the instruction that follows it.
  std::map<std::string, size_t> targets;
  // The widest vector register in it: 16, 32, 64; 0 without vectors.
  int vector_bytes = 0;
  // "__x86_..." that it reads, sorted.
  std::vector<std::string> variables;

  static RuleContext Of(const Listing& listing, std::string source);
};

struct Rule {
  absl::string_view name;
  absl::string_view description;
  // Emits the mutants of the instruction with that index; as replacement of its
  // text, or of its and its successor's.
  using Emit = absl::FunctionRef<void(std::vector<TextEdit>)>;
  void (*plant)(const RuleContext& context, size_t index, Emit emit);
};

// Faults. Not planted, since no caller can see them in what a call does:
// changes to prefetches, to alignment directives and to debug information.
absl::Span<const Rule> FaultRules();

// Edits that leave what a call does as it is.
absl::Span<const Rule> PreservingRules();

// All mutants of one file by these rules, in the order of rules and places.
std::vector<Mutant> Plant(const RuleContext& context,
                          absl::Span<const Rule> rules);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_RULES_H_
