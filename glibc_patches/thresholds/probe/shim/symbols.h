/* What glibc's <libc-symbols.h> and its build's config.h give to every file, as
   far as the threshold code needs it.  */

#ifndef PROBE_SYMBOLS_H
#define PROBE_SYMBOLS_H

#define MODULE_libc 1
#define MODULE_rtld 2
#define IS_IN(module) (PROBE_MODULE == MODULE_##module)

#define SHARED 1
#define PIC 1
#define USE_MULTIARCH 1
#define HAVE_TUNABLES 1
#ifdef PROBE_CET
#define CET_ENABLED 1
#else
#define CET_ENABLED 0
#endif

#define attribute_hidden __attribute__((visibility("hidden")))
#define attribute_relro
#define inhibit_stack_protector
#define libc_hidden_def(name)
#define libc_hidden_proto(name)
#define rtld_hidden_def(name)
#define rtld_hidden_proto(name)
/* A reference to such a name makes ld.so or libc.so call INIT; here the probe
   does.  */
#define __ifunc(type_name, name, expression, argument, init) \
  void name(void) { (void)init; }                            \
  typedef int probe_unused_##name

#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect((condition), 0)

/* The dump answers in place of the processor: every CPUID and XGETBV of these
   files, however it is spelled in C, is a call in the assembly.  */
__asm__(
    ".hidden probe_cpuid_stub\n\t"
    ".hidden probe_xgetbv_stub\n\t"
    ".macro cpuid\n\tcall probe_cpuid_stub\n\t.endm\n\t"
    ".macro xgetbv\n\tcall probe_xgetbv_stub\n\t.endm");

#endif
