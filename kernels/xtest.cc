#include "kernels/xtest.h"

#include <cstring>

namespace kernels {

// ZF set says "not in a transaction"; the other status flags are cleared (Intel
// SDM volume 2C, XTEST).
bool AnswerXtest(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  const auto* code = reinterpret_cast<const void*>(registers[REG_RIP]);
  constexpr unsigned char kXtest[] = {0x0f, 0x01, 0xd6};
  if (std::memcmp(code, kXtest, sizeof(kXtest)) != 0) return false;
  constexpr greg_t kZero = 1 << 6;
  constexpr greg_t kOthers = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 11;
  registers[REG_EFL] = (registers[REG_EFL] & ~kOthers) | kZero;
  registers[REG_RIP] += sizeof(kXtest);
  return true;
}

}  // namespace kernels
