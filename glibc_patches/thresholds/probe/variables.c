/* The tree's own code of libc.so that sets what the kernels read.  */

#include "probe.h"

#include <ldsodefs.h>

/* Not when the shared object is loaded, but when asked for (before 2.33).  */
#define constructor used
#include <cacheinfo.c>
#undef constructor

void
probe_init_variables (void)
{
  init_cacheinfo ();
}

void
probe_emit_variables (void)
{
#define VARIABLE(name) probe_emit (#name, name);
#include "probe_lists.h"
#undef VARIABLE
}
