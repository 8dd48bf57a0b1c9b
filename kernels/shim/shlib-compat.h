// glibc's header of this name gives a symbol the versions it had in earlier
// releases. Nothing links against ours by version.

#ifndef KERNELS_SHIM_SHLIB_COMPAT_H_
#define KERNELS_SHIM_SHLIB_COMPAT_H_

#define SHLIB_COMPAT(library, introduced, obsoleted) 0
#define compat_symbol(library, local, name, version)
#define versioned_symbol(library, local, name, version)

#endif  // KERNELS_SHIM_SHLIB_COMPAT_H_
