/* The loader's variables that the threshold code reads and writes.  */

#ifndef PROBE_LDSODEFS_H
#define PROBE_LDSODEFS_H

#include <cpu-features.h>
#include <elf.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sysdep.h>
#include <unistd.h>

#define GLRO(name) _##name
#define GL(name) _##name

#if __has_include(<feature-control.h>) /* From 2.39 on.  */
#include <feature-control.h>
#elif __has_include(<cet-control.h>) /* From 2.33 on.  */
#include <cet-control.h>
#endif
#if __has_include(<feature-control.h>) || __has_include(<cet-control.h>)
extern struct dl_x86_feature_control _dl_x86_feature_control;
extern unsigned int _dl_x86_feature_1;
#else
extern unsigned int _dl_x86_feature_1[2];
#endif

extern struct cpu_features _dl_x86_cpu_features;
#if defined PROBE_INIT_IN_LIBC_START && defined __get_cpu_features
/* On the way to 2.33 the tree calls it without a declaration of its own.  */
extern const struct cpu_features *__x86_get_cpu_features(unsigned int)
    __attribute__((const));
#endif
extern void *_dl_x86_64_runtime_resolve, *_dl_x86_tlsdesc_dynamic;
extern uint64_t _dl_hwcap, _dl_hwcap2, _dl_hwcap_mask;
extern const char *_dl_platform;
extern size_t _dl_minsigstacksize;
extern const char _dl_x86_hwcap_flags[3][9];
extern const char _dl_x86_platforms[4][9];
extern const char _dl_x86_cap_flags[32][8];
extern void _dl_fatal_printf(const char *, ...) __attribute__((noreturn));

#endif
