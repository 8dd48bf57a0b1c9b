#include "kernels/xtest.h"

#include <cstdint>

#include "gtest/gtest.h"

namespace kernels {
namespace {

ucontext_t At(const unsigned char* code) {
  ucontext_t context = {};
  context.uc_mcontext.gregs[REG_RIP] = reinterpret_cast<intptr_t>(code);
  return context;
}

TEST(XtestTest, IsAnsweredAndPassed) {
  const unsigned char code[] = {0x0f, 0x01, 0xd6, 0xc3};
  ucontext_t context = At(code);
  constexpr greg_t kInterrupts = 1 << 9, kZero = 1 << 6, kCarry = 1;
  context.uc_mcontext.gregs[REG_EFL] = kInterrupts | kCarry;
  ASSERT_TRUE(AnswerXtest(context));
  EXPECT_EQ(context.uc_mcontext.gregs[REG_RIP],
            reinterpret_cast<intptr_t>(code + 3));
  EXPECT_EQ(context.uc_mcontext.gregs[REG_EFL], kInterrupts | kZero);
}

TEST(XtestTest, AnotherInstructionIsNot) {
  const unsigned char code[] = {0x0f, 0x01, 0xd5, 0xc3};  // xend
  ucontext_t context = At(code);
  EXPECT_FALSE(AnswerXtest(context));
  EXPECT_EQ(context.uc_mcontext.gregs[REG_RIP],
            reinterpret_cast<intptr_t>(code));
}

}  // namespace
}  // namespace kernels
