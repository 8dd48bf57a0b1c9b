#include "glibc_patches/mutation/assembly.h"

#include "glibc_patches/mutation/instruction_kinds.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

constexpr char kText[] = R"(# 1 "copy.S"
 .text
.globl copy; .type copy,@function; copy: .cfi_startproc; ;
 mov %rdi, %rax
.Lloop:
 vmovdqu64 -(32 * 2)(%rsi, %rdx), %ymm16; vmovdqu8 %ymm16, (%rax){%k1}
# 40 "other.S"
 rep movsb
 jb .Lloop
 ; ret
 .string "a; b"
)";

TEST(ParseListingTest, FindsInstructionsOperandsAndPlaces) {
  const Listing listing = ParseListing(kText);
  ASSERT_EQ(listing.instructions.size(), 6u);
  const AssemblyInstruction& load = listing.instructions[1];
  EXPECT_EQ(load.mnemonic, "vmovdqu64");
  EXPECT_EQ(load.labels, std::vector<std::string>{".Lloop"});
  EXPECT_EQ(load.function, "copy");
  EXPECT_EQ(load.file, "copy.S");
  EXPECT_EQ(load.line, 5);
  ASSERT_EQ(load.operands.size(), 2u);
  EXPECT_EQ(load.operands[0].kind, OperandKind::kMemory);
  EXPECT_EQ(load.operands[0].text, "-(32 * 2)(%rsi, %rdx)");
  EXPECT_EQ(listing.text.substr(load.operands[1].begin, 6), "%ymm16");
  EXPECT_EQ(listing.instructions[3].mnemonic, "rep movsb");
  EXPECT_EQ(listing.instructions[3].file, "other.S");
  EXPECT_EQ(listing.instructions[3].line, 40);
  EXPECT_EQ(listing.instructions[5].mnemonic, "ret");
}

TEST(PartsOfTest, TellsDisplacementRegistersAndMask) {
  const Listing listing = ParseListing(kText);
  const MemoryParts load = PartsOf(listing.instructions[1].operands[0]);
  EXPECT_EQ(load.displacement, "-(32 * 2)");
  EXPECT_EQ(load.registers, "%rsi, %rdx");
  const MemoryParts store = PartsOf(listing.instructions[2].operands[1]);
  EXPECT_EQ(store.displacement, "");
  EXPECT_EQ(store.mask, "{%k1}");
}

TEST(EvaluateTest, ReadsConstantsAsTheAssemblerDoes) {
  EXPECT_EQ(Evaluate("$(32 * -4 + -1)"), -129);
  EXPECT_EQ(Evaluate("0x1C0"), 0x1c0);
  EXPECT_EQ(Evaluate("$(4096 - 32 * 8)"), 4096 - 256);
  EXPECT_EQ(Evaluate("$1<<4"), 16);
  EXPECT_EQ(Evaluate(""), 0);
  EXPECT_EQ(Evaluate("__x86_threshold"), std::nullopt);
  EXPECT_EQ(Evaluate("(1"), std::nullopt);
  EXPECT_EQ(Evaluate("1/0"), std::nullopt);
}

TEST(RegistersTest, HaveWidthsAndParts) {
  EXPECT_EQ(WholeRegister("%sil"), "%rsi");
  EXPECT_EQ(WholeRegister("%ymm17"), "%zmm17");
  EXPECT_EQ(RegisterAsWideAs("%r8", "%esi"), "%r8d");
  EXPECT_EQ(RegisterBytes("%dl"), 1);
  EXPECT_EQ(RegisterBytes("%zmm3"), 64);
  EXPECT_EQ(RegisterBytes("%k1"), 0);
}

TEST(InstructionKindsTest, LoadsOfOtherRegistersAreIndependent) {
  const Listing listing = ParseListing(
      " movups (%rsi), %xmm0\n movups 16(%rsi), %xmm1\n mov (%rsi), %rsi\n"
      " cmp $1, %rdx\n ja .L1\n");
  const auto& all = listing.instructions;
  EXPECT_TRUE(IsLoad(all[0]));
  EXPECT_FALSE(DependOnEachOther(all[0], all[1]));
  EXPECT_TRUE(DependOnEachOther(all[1], all[2]));
  EXPECT_TRUE(DependOnEachOther(all[3], all[4]));
}

}  // namespace
}  // namespace glibc_patches
