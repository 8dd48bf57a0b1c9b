// What became of the mutants, and how it is told.

#ifndef GLIBC_PATCHES_MUTATION_SCORE_H_
#define GLIBC_PATCHES_MUTATION_SCORE_H_

#include <string>
#include <vector>

#include "glibc_patches/mutation/judge.h"
#include "glibc_patches/mutation/mutant.h"

namespace glibc_patches {

enum class Fate {
  kKilled,
  kSurvived,
  // It changes nothing that the checks could see; `reason` says how that is
  // known.
  kEquivalent,
  // No statement: it cannot be assembled, gives the same code as another
  // mutant, or no variant of its file runs on this CPU.
  kNotPlanted,
};

struct JudgedMutant {
  Mutant mutant;
  Fate fate = Fate::kNotPlanted;
  std::string reason;
  Judgement judgement;
  double seconds = 0;  // wall clock, building included
};

struct Score {
  std::string release;
  std::vector<JudgedMutant> faults;
  // "Survived" is what they must do.
  std::vector<JudgedMutant> preserving;
  // "content __memmove_erms": the base fails it too, so that it counted for
  // nothing.
  std::vector<std::string> excused;
  // Places where a fault could have been planted.
  int candidates = 0;
  double seconds = 0;

  int Count(Fate fate) const;
  // Unexplained survivors and rejected edits that preserve behaviour.
  int Failures() const;
};

// Tables by rule and by file, then survivors and equivalent ones with their
// reasons.
std::string RenderScore(const Score& score);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_SCORE_H_
