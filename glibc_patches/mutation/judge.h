// Judges one mutant, in a process of its own: a tree is loaded once in a
// process's life.

#ifndef GLIBC_PATCHES_MUTATION_JUDGE_H_
#define GLIBC_PATCHES_MUTATION_JUDGE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "glibc_patches/checks/check.h"

namespace glibc_patches {

// The first argument of the process that judges.
inline constexpr char kJudge[] = "--judge";

struct JudgeRequest {
  std::string tree;    // tree.so
  std::string sizes;   // sizes.txt of build_mutant.sh; empty: none
  std::string source;  // only variants of this file
  // Quick: the first look only.
  Effort effort = Effort::kNormal;
  uint64_t seed = 1;
  // Checks whose findings do not count, "content __memmove_erms": the base
  // fails them as well.
  std::vector<std::string> excused;
  // Of the one check that is made; empty: all of the plan.
  std::string only_check;
  std::string only_variant;
  // The base's tree: no check is made, the ways of both are compared.
  std::string base_tree;
};

struct Judgement {
  bool killed = false;
  // Of the first finding.
  bool in_second_look = false;
  std::string check;
  std::string variant;
  std::string what;
  // Checks that passed, and variants that this CPU lacks a feature for.
  int passed = 0;
  int not_runnable = 0;
  // As in PathComparison.
  int64_t compared = 0;
  int64_t differ = 0;
  int64_t reached = 0;
  int64_t wrong = 0;
};

// The words after argv[0].
std::vector<std::string> WordsOf(const JudgeRequest& request);

// What the process does with `words` after kJudge: makes the checks of
// check_plan.h until one fails, and prints a Judgement. The exit status.
int ServeJudge(absl::Span<const std::string> words);

// Of what ServeJudge() printed.
absl::StatusOr<Judgement> ParseJudgement(absl::string_view text);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_MUTATION_JUDGE_H_
