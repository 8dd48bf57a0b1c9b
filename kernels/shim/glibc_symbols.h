// Stands in for what glibc's build force-includes into its assembly: the names
// of symbols and of the module. Everything that becomes an instruction
// (entries, returns, vzeroupper) comes from the tree's own sysdep.h, so that a
// patch to it takes effect here too.

#ifndef KERNELS_SHIM_GLIBC_SYMBOLS_H_
#define KERNELS_SHIM_GLIBC_SYMBOLS_H_

// A compiler that emits endbr64 by default built a libc that has it (Ubuntu);
// <cet.h> defines the entry's instruction, as glibc's --enable-cet does.
#ifdef __CET__
#include <cet.h>
#endif

#define USE_MULTIARCH 1
#define IS_IN(module) 1

#define C_SYMBOL_NAME(name) name

// Inside libc.so these are other, hidden names of the same functions.
#define HIDDEN_JUMPTARGET(name) name
#define HIDDEN_BUILTIN_JUMPTARGET(name) name

#define strong_alias(original, alias) \
  .globl alias;                       \
  .set alias, original
#define weak_alias(original, alias) \
  .weak alias;                      \
  .set alias, original

// Versions and hidden aliases exist only inside libc.so.
#define libc_hidden_builtin_def(name)
#define libc_hidden_def(name)
#define libc_hidden_ver(local, name)
#define libc_hidden_weak(name)

#endif  // KERNELS_SHIM_GLIBC_SYMBOLS_H_
