/* The tree's own selector of one function: -DPROBE_FUNCTION=memmove
   -DPROBE_SELECTOR="<memmove.c>".  Its variants are addresses without code,
   which the table of the build turns back into names.  */

#include "probe.h"

#define PROBE_PASTE1(a, b) a##b
#define PROBE_PASTE(a, b) PROBE_PASTE1 (a, b)
#define PROBE_TEXT1(a) #a
#define PROBE_TEXT(a) PROBE_TEXT1 (a)

/* What defines the function becomes a call that tells.  */
#define libc_ifunc_redirected(redirected, name, expression)          \
  void PROBE_PASTE (probe_select_, PROBE_FUNCTION) (void)            \
  {                                                                  \
    probe_emit_variant (PROBE_TEXT (PROBE_FUNCTION), (expression));  \
  }                                                                  \
  extern int probe_unused
#define strong_alias(name, alias) extern int probe_unused;
#define weak_alias(name, alias) extern int probe_unused;
#define libc_hidden_builtin_def(name)
#define libc_hidden_weak(name)
#define __hidden_ver1(local, internal, name) extern int probe_unused
#define __attribute_copy__(name)

#include PROBE_SELECTOR
