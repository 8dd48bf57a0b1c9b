/* Without the number of the line, which a comment above would change.  */
#undef assert
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#ifndef static_assert
#define static_assert _Static_assert
#endif
