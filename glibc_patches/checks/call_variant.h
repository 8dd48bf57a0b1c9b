// Calls a variant as a caller that trusts it with nothing.

#ifndef GLIBC_PATCHES_CHECKS_CALL_VARIANT_H_
#define GLIBC_PATCHES_CHECKS_CALL_VARIANT_H_

#include <cstdint>

#include "glibc_patches/checks/world.h"
#include "kernels/variant.h"

namespace glibc_patches {

// What a call left behind. The System V AMD64 ABI (section 3.2.1) has rbx, rbp,
// r12 to r15 and rsp belong to the caller, the direction flag clear, and the
// control bits of MXCSR and the x87 control word preserved.
struct AfterCall {
  char* result;
  // Differences to before the call, 0 when preserved: rbx, rbp, r12, r13, r14,
  // r15.
  uint64_t changed[6];
  // rsp after, minus rsp before.
  int64_t stack_moved;
  // 8-byte words of the caller's stack frame, above the return address, that
  // changed.
  uint64_t stack_words_changed;
  uint64_t flags;  // rflags
  uint32_t mxcsr_before;
  uint32_t mxcsr;
  uint16_t x87_control_before;
  uint16_t x87_control;
  // The x87 tag word; 0xffff: all empty, as at every call. MMX leaves others.
  uint16_t x87_tags;
  // xgetbv(1): state components in use. 0 where the CPU has no xgetbv(1).
  uint32_t in_use;
};

extern const char* const kPreservedNames[6];

// Bits of AfterCall::in_use (Intel SDM volume 1, section 13.1): the upper
// halves of ymm0-15 and of zmm0-15.
constexpr uint32_t kYmmUpper = 1 << 2;
constexpr uint32_t kZmmUpper = 1 << 6;

// Sets the tree's thresholds only when they differ from the last call's.
// Everything that AfterCall names is as before once this returns, whatever the
// variant did to it. The upper halves are clean before the call. `fourth` is
// the argument after the size, which only _chk entries have.
AfterCall CallVariant(const kernels::Variant& variant, const PlacedCall& call,
                      uint64_t fourth = 0);

// Forces the next call to store its thresholds.
void ForgetParameters();

// Can xgetbv(1) tell here that upper halves are in use, and that vzeroupper
// cleans them? (Some CPUs call them in use for good, emulators never.)
bool CanTellUpperHalves();

// Do transactions work here, at least sometimes?
bool CanTransact();

// Makes the call within a transaction. False when that was aborted each time;
// then nothing was done. Needs CanTransact().
bool CallInTransaction(const kernels::Variant& variant, const PlacedCall& call,
                       int attempts);

// Could anything that writes the call's destination be committed? False when
// the machine is too disturbed to tell.
bool CanTransactOn(const PlacedCall& call, int attempts);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CALL_VARIANT_H_
