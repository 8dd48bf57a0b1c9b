/* Tunables for the threshold code.  Their list is the tree's own
   (dl-tunables.list), their values come with the request.  Unlike in glibc a
   tunable is found by its last name.  */

#ifndef PROBE_DL_TUNABLES_H
#define PROBE_DL_TUNABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef intmax_t tunable_num_t;

#if __has_include(<dl-tunables-parse.h>)
struct tunable_str_t {
  const char *str;
  size_t len;
};
#endif

typedef union {
  tunable_num_t numval;
#if __has_include(<dl-tunables-parse.h>)
  struct tunable_str_t strval;
#else
  const char *strval;
#endif
} tunable_val_t;

typedef void (*tunable_callback_t)(tunable_val_t *);

#define TUNABLE_CALLBACK(name) _dl_tunable_##name

extern void probe_tunable_get(const char *, void *, size_t,
                              tunable_callback_t) attribute_hidden;
extern void probe_tunable_set(const char *, tunable_num_t) attribute_hidden;
extern void probe_tunable_set_with_bounds(const char *, tunable_num_t,
                                          tunable_num_t, tunable_num_t,
                                          bool) attribute_hidden;
extern bool probe_tunable_is_initialized(const char *) attribute_hidden;

#define TUNABLE_GET(id, type, callback)                                  \
  ({                                                                     \
    type probe_value;                                                    \
    probe_tunable_get(#id, &probe_value, sizeof(probe_value), callback); \
    probe_value;                                                         \
  })
#define TUNABLE_SET(id, value) probe_tunable_set(#id, (value))
/* 2.33 names the type, too, and sets the bounds whatever the value is.  */
#define PROBE_FOUR(id, value, min, max) \
  probe_tunable_set_with_bounds(#id, (value), (min), (max), false)
#define PROBE_FIVE(id, type, value, min, max)                                 \
  probe_tunable_set_with_bounds(#id, (type)(value), (type)(min), (type)(max), \
                                true)
#define PROBE_SIXTH(a, b, c, d, e, f, ...) f
#define TUNABLE_SET_WITH_BOUNDS(...) \
  PROBE_SIXTH(__VA_ARGS__, PROBE_FIVE, PROBE_FOUR, )(__VA_ARGS__)
#define TUNABLE_IS_INITIALIZED(id) probe_tunable_is_initialized(#id)

#endif
