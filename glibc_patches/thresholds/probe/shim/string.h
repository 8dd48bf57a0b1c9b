/* The system's, with what glibc's own include/string.h adds for selectors.  A
   selector's file renames the function that it defines before it includes
   this.  */

#include_next <string.h>

#ifndef PROBE_STRING_H
#define PROBE_STRING_H

extern void *__memcpy_chk(void *, const void *, size_t, size_t);
extern void *__memmove_chk(void *, const void *, size_t, size_t);
extern void *__mempcpy_chk(void *, const void *, size_t, size_t);
extern void *__memset_chk(void *, int, size_t, size_t);

#endif
