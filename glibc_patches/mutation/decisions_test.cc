#include "glibc_patches/mutation/decisions.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/mutation/equivalence.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

// The first mutant of a rule whose instruction begins with `before`.
Mutant MutantOf(const RuleContext& context, absl::string_view rule,
                absl::string_view before) {
  for (const Mutant& mutant : Plant(context, FaultRules())) {
    if (mutant.rule == rule && absl::StartsWith(mutant.before, before)) {
      return mutant;
    }
  }
  ADD_FAILURE() << "no mutant of " << rule << " at " << before;
  return {};
}

constexpr char kCopy[] = R"(
copy: mov %rdi, %rax
 mov %rsi, %rcx
 sub %rdi, %rcx
 lea 64(%rsi), %r8
 cmp __x86_threshold(%rip), %rdx
 jb 1f
 and $15, %ecx
 jz .Lloop
1: rep movsb
 ret
.Lloop:
 movups (%rsi), %xmm0
 movups %xmm0, (%rdi)
 add $16, %rsi
 cmp %r8, %rsi
 jb .Lloop
.Lend:
 ret
)";

TEST(OnlyDecidesTest, TellsDecisionsFromAddressesAndResults) {
  const Listing listing = ParseListing(kCopy);
  const RuleContext context = RuleContext::Of(listing, "memmove-copy");
  const auto only_decides = [&](const char* rule, const char* before) {
    return OnlyDecides(context, MutantOf(context, rule, before));
  };
  EXPECT_TRUE(only_decides("weakened_branch", "jb 1f"));
  EXPECT_TRUE(only_decides("weakened_branch", "jb .Lloop"));
  EXPECT_TRUE(only_decides("dropped_branch", "jz .Lloop"));
  // r8 is compared only.
  EXPECT_TRUE(only_decides("displacement_off_by_one", "lea"));
  EXPECT_TRUE(only_decides("truncated_register", "cmp __x86_threshold"));
  EXPECT_FALSE(only_decides("wrong_target", "jz .Lloop"));
  // rcx is the count of rep movsb.
  EXPECT_FALSE(only_decides("immediate_off_by_one", "and"));
  EXPECT_FALSE(only_decides("immediate_off_by_one", "add"));
  EXPECT_FALSE(only_decides("dropped_instruction", "mov %rdi, %rax"));
  EXPECT_FALSE(only_decides("displacement_off_by_one", "movups (%rsi)"));
  EXPECT_FALSE(only_decides("wrong_return_value", "ret"));
}

TEST(OnlyDecidesTest, SaysNothingAboutComputedJumps) {
  const Listing listing =
      ParseListing("f: sub %rsi, %rcx\n cmp $1, %rdx\n jmp *%rcx\n");
  const RuleContext context = RuleContext::Of(listing, "memmove-copy");
  EXPECT_FALSE(
      OnlyDecides(context, MutantOf(context, "immediate_off_by_one", "cmp")));
}

TEST(WhyEquivalentTest, KnowsWhatIsTheSameInOtherWords) {
  const auto explained = [](const char* source, const char* rule,
                            const char* text, const char* before) {
    const Listing listing = ParseListing(absl::StrCat("f:", text));
    const RuleContext context = RuleContext::Of(listing, source);
    return WhyEquivalent(context, MutantOf(context, rule, before)).has_value();
  };
  constexpr char kAligned[] = " and $-64, %rdi\n add $64, %rdi\n ret\n";
  EXPECT_TRUE(explained("memset-x", "swapped_instructions", kAligned, "and"));
  // 32 is no multiple of 64.
  EXPECT_FALSE(explained("memset-x", "swapped_instructions",
                         " and $-64, %rdi\n add $32, %rdi\n ret\n", "and"));
  // Coarser by two vectors, and for memset only.
  constexpr char kLoop[] = " movups %xmm0, (%rdi)\n and $-16, %rdi\n ret\n";
  EXPECT_TRUE(explained("memset-x", "wrong_alignment", kLoop, "and"));
  EXPECT_FALSE(explained("memmove-x", "wrong_alignment", kLoop, "and"));
  EXPECT_FALSE(explained("memset-x", "wrong_alignment",
                         " and $-64, %rdi\n movups %xmm0, (%rdi)\n", "and"));
  constexpr char kStart[] =
      " movups %xmm0, (%rax)\n lea 64(%rax), %rdi\n lea -32(%rdi, %rdx), "
      "%rcx\n";
  EXPECT_FALSE(explained("memset-x", "wrong_vector_step", kStart, "lea -32"));
  // Before the loop, and by more than before.
  constexpr char kBefore[] =
      " movups %xmm0, (%rax)\n subq $-64, %rdi\n.Lloop:\n movups %xmm0, "
      "(%rdi)\n addq $64, %rdi\n cmp %rcx, %rdi\n jb .Lloop\n ret\n";
  EXPECT_TRUE(explained("memset-x", "wrong_vector_step", kBefore, "subq"));
  EXPECT_FALSE(explained("memmove-x", "wrong_vector_step", kBefore, "subq"));
  EXPECT_FALSE(explained("memset-x", "wrong_vector_step", kBefore, "addq"));
  // A loop of 64 bytes moves on by 48, and by 80.
  const auto loop = [](const char* stores, const char* step) {
    return absl::StrCat(".Lloop:\n movups %xmm0, (%rdi)\n", stores,
                        " movups %xmm0, 32(%rdi)\n", step,
                        ", %rdi\n cmp %rcx, %rdi\n jb .Lloop\n ret\n");
  };
  constexpr char kRest[] = " movups %xmm0, 16(%rdi)\n movups %xmm0, 48(%rdi)\n";
  const std::string shorter = loop(kRest, " sub $-64");
  EXPECT_TRUE(
      explained("memset-x", "wrong_vector_step", shorter.c_str(), "sub"));
  EXPECT_FALSE(
      explained("memmove-x", "wrong_vector_step", shorter.c_str(), "sub"));
  EXPECT_FALSE(explained("memset-x", "wrong_vector_step",
                         loop(kRest, " add $64").c_str(), "add"));
  // With a gap in what it sets.
  EXPECT_FALSE(explained("memset-x", "wrong_vector_step",
                         loop("", " sub $-64").c_str(), "sub"));
  constexpr char kMasked[] = " movq %rdi, %r8\n andq $63, %r8\n ret\n";
  EXPECT_TRUE(explained("memmove-x", "truncated_register", kMasked, "movq"));
  EXPECT_FALSE(explained("memmove-x", "truncated_register",
                         " movq %rdi, %r8\n andq $-64, %r8\n ret\n", "movq"));
  EXPECT_FALSE(explained("memmove-x", "truncated_register",
                         " movq %rdi, %r8\n andq $63, %r9\n ret\n", "movq"));
  // 32 bytes are stored apart, and 16.
  constexpr char kAligning[] =
      " addq $(32 - 1), %rdi\n andq $-(32), %rdi\n rep movsb\n"
      " movups %xmm0, (%r8)\n movups %xmm1, 16(%r8)\n ret\n";
  EXPECT_TRUE(
      explained("memmove-x", "immediate_off_by_one", kAligning, "addq"));
  // A ymm register elsewhere, so that vectors need more than 16.
  const std::string wide =
      absl::StrCat(kAligning, "g: vmovdqa %ymm0, (%rdi)\n");
  const std::string wide_loop =
      "andq $-(32), %rdi\n vmovdqa %ymm0, (%rdi)\n ret\n";
  const auto finer = [](const std::string& text) {
    const Listing listing = ParseListing(absl::StrCat("f:", text));
    const RuleContext context = RuleContext::Of(listing, "memmove-x");
    for (const Mutant& mutant : Plant(context, FaultRules())) {
      if (mutant.rule == "wrong_alignment" &&
          absl::StrContains(mutant.after, "$-16")) {
        return WhyEquivalent(context, mutant).has_value();
      }
    }
    ADD_FAILURE() << "no mutant that aligns to 16";
    return false;
  };
  EXPECT_TRUE(finer(wide));
  EXPECT_FALSE(finer(wide_loop));
  // To 63 and to 15 in place of 31.
  const auto finer_or = [](const char* stores) {
    const Listing listing = ParseListing(
        absl::StrCat("f: orq $31, %rsi\n rep movsb\n", stores, " ret\n"));
    const RuleContext context = RuleContext::Of(listing, "memmove-x");
    std::vector<bool> results;
    for (const Mutant& mutant : Plant(context, FaultRules())) {
      if (mutant.rule != "wrong_alignment") continue;
      results.push_back(WhyEquivalent(context, mutant).has_value());
    }
    return results;
  };
  constexpr char kHead[] = " movups %xmm0, (%r8)\n movups %xmm1, 16(%r8)\n";
  EXPECT_EQ(finer_or(kHead), (std::vector<bool>{false, true}));
  EXPECT_EQ(finer_or(" movups %xmm0, (%r8)\n"),
            (std::vector<bool>{false, false}));
  EXPECT_FALSE(explained("memmove-x", "immediate_off_by_one",
                         " addq $(32 - 1), %rdi\n andq $-(32), %rdi\n"
                         " rep movsb\n movups %xmm0, (%r8)\n ret\n",
                         "addq"));
  EXPECT_FALSE(explained("memmove-x", "dropped_return", kLoop, "ret"));
  EXPECT_TRUE(explained("memset-x", "dropped_return", kLoop, "ret"));
}

TEST(WhyNoneDiffersTest, KnowsWhatNumbersCannotBe) {
  const auto explained = [](const char* rule, const char* text,
                            const char* before) {
    const Listing listing = ParseListing(absl::StrCat("f:", text));
    const RuleContext context = RuleContext::Of(listing, "memmove-x");
    return WhyNoneDiffers(context, MutantOf(context, rule, before)).has_value();
  };
  EXPECT_TRUE(explained("wrong_sign", " cmp %rdx, %rcx\n jb 1f\n", "jb"));
  EXPECT_FALSE(explained("weakened_branch", " cmp %rdx, %rcx\n jb 1f\n", "jb"));
  EXPECT_FALSE(explained("shift_count", " shrq $62, %r8\n", "shrq"));
  EXPECT_FALSE(explained("shift_count", " shrl $31, %r8d\n", "shrl"));
  const Listing listing = ParseListing("f: shrq $63, %r8\n");
  const RuleContext context = RuleContext::Of(listing, "memmove-x");
  std::vector<bool> explained_shifts;
  for (const Mutant& mutant : Plant(context, FaultRules())) {
    if (mutant.rule != "shift_count") continue;
    explained_shifts.push_back(WhyNoneDiffers(context, mutant).has_value());
  }
  EXPECT_EQ(explained_shifts, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace glibc_patches
