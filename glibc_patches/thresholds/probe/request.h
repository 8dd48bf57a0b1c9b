/* What the harness asks a probe, and how it answers: C and C++.  */

#ifndef GLIBC_PATCHES_THRESHOLDS_PROBE_REQUEST_H_
#define GLIBC_PATCHES_THRESHOLDS_PROBE_REQUEST_H_

#include <stdint.h>

struct probe_request {
  void *context;
  /* EAX, EBX, ECX, EDX of CPUID.  */
  void (*cpuid)(void *context, uint32_t leaf, uint32_t subleaf,
                uint32_t registers[4]);
  uint64_t (*xgetbv)(void *context, uint32_t index);
  /* One value of the answer: a number, or text when it is not null.  */
  void (*answer)(void *context, const char *name, uint64_t value,
                 const char *text);
  /* Names without "glibc.cpu." and values, in turns; ended by a null.  */
  const char *const *tunables;
};

/* Runs the tree's start-up code once and answers with all that it set.  Its
   variables keep their values: a second call needs a fresh process.  */
typedef void probe_function(const struct probe_request *request);
#define PROBE_SYMBOL "glibc_probe"

#endif
