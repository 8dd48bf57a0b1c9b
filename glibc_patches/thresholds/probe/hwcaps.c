/* The tree's own parser of glibc.cpu.hwcaps.  */

#include <ldsodefs.h>

#include <cpu-tunables.c>
