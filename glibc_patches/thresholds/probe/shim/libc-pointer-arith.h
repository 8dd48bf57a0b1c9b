/* glibc has it in include/, which is not at hand here.  */
#ifndef PROBE_POINTER_ARITH_H
#define PROBE_POINTER_ARITH_H
#define ALIGN_DOWN(base, size) ((base) & -((__typeof__(base))(size)))
#define ALIGN_UP(base, size) ALIGN_DOWN((base) + (size)-1, (size))
#endif
