// Plants faults and judges them.

#ifndef GLIBC_PATCHES_MUTATION_MUTATION_RUN_H_
#define GLIBC_PATCHES_MUTATION_MUTATION_RUN_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "glibc_patches/mutation/score.h"

namespace glibc_patches {

struct MutationOptions {
  // Faults that are judged; fewer when there are not so many.
  int mutants = 500;
  // Edits that change nothing.
  int preserving = 24;
  uint64_t seed = 1;
  // At a time.
  int jobs = 2;
  // Parts of names; empty: all.
  std::vector<std::string> rules;
  std::vector<std::string> sources;
};

struct MutationDoors {
  const advisor::FileReader& files;
  const advisor::Subprocess& subprocess;
  // This project's folder or runfiles.
  std::string root;
  // The program that ServeJudge() answers in.
  std::string judge;
  // For what is built; removed by the caller.
  std::string scratch;
  // Called after each mutant, from one thread at a time.
  std::function<void(const JudgedMutant&)> judged;
};

// `source` is a folder with glibc's source; it is only read. Cancelled after a
// signal.
absl::StatusOr<Score> RunMutation(const std::string& source,
                                  const MutationOptions& options,
                                  const MutationDoors& doors);

// Evenly over rules and files: one mutant of each pair of them in turn, in an
// order that the seed decides.
std::vector<Mutant> InTurn(std::vector<Mutant> mutants, uint64_t seed);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_MUTATION_RUN_H_
