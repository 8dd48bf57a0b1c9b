/* Versions of symbols: the probe exports none.  */
#ifndef PROBE_SHLIB_COMPAT_H
#define PROBE_SHLIB_COMPAT_H
#define versioned_symbol(library, local, symbol, version) \
  extern int probe_unused
#define compat_symbol(library, local, symbol, version) extern int probe_unused
#define SHLIB_COMPAT(library, introduced, obsoleted) 0
#endif
