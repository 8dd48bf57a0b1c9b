/* The tree's own, not the system's.  */
#include <sysdeps/x86/sys/platform/x86.h>
