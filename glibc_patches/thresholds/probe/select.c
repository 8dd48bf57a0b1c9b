/* The tree's own selector of one function: -DSYMBOL_NAME=memmove
   -DPROBE_SELECTOR="<ifunc-memmove.h>".  Its variants are addresses without
   code, which select.sh's table turns back into names.  */

#include "probe.h"

#include <stddef.h>

#define PROBE_PASTE1(a, b) a##b
#define PROBE_PASTE(a, b) PROBE_PASTE1 (a, b)
#define PROBE_TEXT1(a) #a
#define PROBE_TEXT(a) PROBE_TEXT1 (a)

extern void *PROBE_PASTE (__redirect_, SYMBOL_NAME) (void *, const void *,
                                                     size_t);

#include PROBE_SELECTOR

void
PROBE_PASTE (probe_select_, SYMBOL_NAME) (void)
{
  probe_emit_variant (PROBE_TEXT (SYMBOL_NAME), IFUNC_SELECTOR ());
}
