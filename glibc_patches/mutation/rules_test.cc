#include "glibc_patches/mutation/rules.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/mutation/mutation_run.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

// "before -> after" of all that a rule makes of a text.
std::vector<std::string> Planted(const char* rule, const char* text) {
  const Listing listing = ParseListing(text);
  std::vector<std::string> planted;
  for (const auto& rules : {FaultRules(), PreservingRules()}) {
    for (const Mutant& mutant :
         Plant(RuleContext::Of(listing, "copy"), rules)) {
      if (mutant.rule != rule) continue;
      planted.push_back(absl::StrCat(mutant.before, " -> ", mutant.after));
      EXPECT_NE(Apply(listing.text, mutant.edits), listing.text);
    }
  }
  return planted;
}

struct RuleRow {
  const char* rule;
  const char* text;
  std::vector<std::string> planted;
};

TEST(RulesTest, PlantWhatTheySay) {
  const RuleRow kRows[] = {
      {"weakened_branch", " ja .L1\n je .L1\n.L1: ret", {"ja .L1 -> jae .L1"}},
      {"displacement_off_by_one",
       " movups %xmm0, -16(%rdi, %rdx)\n prefetcht0 64(%rsi)",
       {"movups %xmm0, -16(%rdi, %rdx) -> movups %xmm0, -16+1(%rdi, %rdx)",
        "movups %xmm0, -16(%rdi, %rdx) -> movups %xmm0, -16-1(%rdi, %rdx)"}},
      {"wrong_alignment",
       " andq $-64, %rdi\n andl $15, %ecx",
       {"andq $-64, %rdi -> andq $-128, %rdi",
        "andq $-64, %rdi -> andq $-32, %rdi"}},
      {"narrowed_access",
       " vmovdqu (%rsi), %ymm1\n movq %rcx, (%rdi)",
       {"vmovdqu (%rsi), %ymm1 -> vmovdqu (%rsi), %xmm1",
        "movq %rcx, (%rdi) -> movl %ecx, (%rdi)"}},
      {"dropped_overlap_check",
       " cmp %rdx, %rcx\n jb .L1\n.L1: ret",
       {"cmp %rdx, %rcx jb .L1 -> (nothing)"}},
      // Not the end of a loop.
      {"dropped_overlap_check", ".L1:\n cmp %rdx, %rcx\n jb .L1", {}},
      {"wrong_threshold",
       " cmp __x86_a(%rip), %rdx\n cmp __x86_b(%rip), %rdx\n",
       {"cmp __x86_a(%rip), %rdx -> cmp __x86_b(%rip), %rdx",
        "cmp __x86_b(%rip), %rdx -> cmp __x86_a(%rip), %rdx"}},
      {"truncated_register",
       " movq %rdx, %rcx\n movq %rdx, (%rdi)",
       {"movq %rdx, %rcx -> movl %edx, %ecx"}},
      {"swapped_instructions",
       " movups (%rsi), %xmm0\n movups %xmm1, (%rdi)\n movups %xmm2, 16(%rdi)",
       {"movups (%rsi), %xmm0 movups %xmm1, (%rdi) -> movups %xmm1, (%rdi) "
        "movups (%rsi), %xmm0"}},
      {"lost_fence", " sfence\n ret", {"sfence -> (nothing)"}},
      {"clobbered_register", " ret", {"ret -> mov %rdx, %rbx; ret"}},
      {"independent_loads",
       " movups (%rsi), %xmm0\n movups 16(%rsi), %xmm1\n movl (%rsi), %esi\n"
       " movl 4(%rsi), %ecx",
       {"movups (%rsi), %xmm0 movups 16(%rsi), %xmm1 -> movups 16(%rsi), %xmm1 "
        "movups (%rsi), %xmm0"}},
      // The size of such code may not change.
      {"extra_nop", " jmp *%rcx\n ret", {}},
  };
  for (const RuleRow& row : kRows) {
    const std::vector<std::string> planted = Planted(row.rule, row.text);
    EXPECT_THAT(planted, ::testing::UnorderedElementsAreArray(row.planted))
        << row.rule << " in " << row.text;
  }
}

TEST(RulesTest, ARenamedLabelIsRenamedWhereverItStands) {
  const Listing listing = ParseListing(".L1: ret\n.L10: jmp .L1\n");
  for (const Mutant& mutant :
       Plant(RuleContext::Of(listing, "copy"), PreservingRules())) {
    if (mutant.rule != "label_rename" || mutant.line != 1) continue;
    EXPECT_EQ(Apply(listing.text, mutant.edits),
              ".L1_renamed: ret\n.L10: jmp .L1_renamed\n");
    return;
  }
  ADD_FAILURE() << "no label was renamed";
}

TEST(RulesTest, AreSortedAndDescribed) {
  for (const auto& rules : {FaultRules(), PreservingRules()}) {
    EXPECT_TRUE(std::is_sorted(
        rules.begin(), rules.end(),
        [](const Rule& a, const Rule& b) { return a.name < b.name; }));
    for (const Rule& rule : rules) {
      EXPECT_FALSE(rule.description.empty()) << rule.name;
    }
  }
}

TEST(InTurnTest, TakesOneOfEachRuleAndFileBeforeASecond) {
  std::vector<Mutant> mutants;
  for (const char* rule : {"a", "a", "a", "b", "c"}) {
    for (const char* source : {"x", "y"}) {
      mutants.push_back({});
      mutants.back().rule = rule;
      mutants.back().source = source;
    }
  }
  const std::vector<Mutant> ordered = InTurn(mutants, 7);
  ASSERT_EQ(ordered.size(), mutants.size());
  std::set<std::pair<std::string, std::string>> first;
  for (int i = 0; i < 6; ++i)
    first.insert({ordered[i].rule, ordered[i].source});
  EXPECT_EQ(first.size(), 6u);
}

}  // namespace
}  // namespace glibc_patches
