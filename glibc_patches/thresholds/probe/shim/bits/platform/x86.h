/* The tree's own, not the system's.  */
#include <sysdeps/x86/bits/platform/x86.h>
