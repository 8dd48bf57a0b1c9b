/* Between the files of a probe; in C, and without the tree's headers.  */

#ifndef GLIBC_PATCHES_THRESHOLDS_PROBE_PROBE_H_
#define GLIBC_PATCHES_THRESHOLDS_PROBE_PROBE_H_

#include <stdint.h>

#define PROBE_HIDDEN __attribute__((visibility("hidden")))

PROBE_HIDDEN void probe_emit(const char *name, uint64_t value);
PROBE_HIDDEN void probe_emit_variant(const char *function, const void *address);

PROBE_HIDDEN void probe_init_features(void);
PROBE_HIDDEN void probe_emit_features(void);
PROBE_HIDDEN void probe_init_variables(void);
PROBE_HIDDEN void probe_emit_variables(void);

#endif
