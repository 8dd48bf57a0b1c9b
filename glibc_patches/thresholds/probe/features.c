/* The tree's own code of ld.so: features, cache sizes, thresholds.  */

#include "probe.h"

#include <ldsodefs.h>

#include <dl-get-cpu-features.c>

#ifdef PROBE_INIT_IN_LIBC_START /* Before 2.33.  */
# include <cpu-features.c>
#endif

void
probe_init_features (void)
{
#ifdef PROBE_INIT_IN_LIBC_START
  init_cpu_features (&_dl_x86_cpu_features);
#else
  _dl_x86_init_cpu_features ();
#endif
}

void
probe_emit_features (void)
{
  const struct cpu_features *cpu_features = &_dl_x86_cpu_features;
#define FIELD(name) probe_emit (#name, cpu_features->name);
#ifdef CPU_FEATURE_USABLE_P
# define FEATURE(name) \
  probe_emit ("usable." #name, CPU_FEATURE_USABLE_P (cpu_features, name));
#else
# define FEATURE(name) \
  probe_emit ("cpuid." #name, CPU_FEATURES_CPU_P (cpu_features, name));
#endif
#define FLAG(name) \
  probe_emit ("preferred." #name, CPU_FEATURES_ARCH_P (cpu_features, name));
#include "probe_lists.h"
#undef FIELD
#undef FEATURE
#undef FLAG
}
