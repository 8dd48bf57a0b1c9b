/* What the tree's code is linked with in place of the rest of glibc.  */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ldsodefs.h>
#include <elf/dl-tunables.h>

#include "probe.h"
#include "request.h"

struct cpu_features _dl_x86_cpu_features;
#if __has_include(<feature-control.h>) || __has_include(<cet-control.h>)
struct dl_x86_feature_control _dl_x86_feature_control;
unsigned int _dl_x86_feature_1;
#else
unsigned int _dl_x86_feature_1[2];
#endif
void *_dl_x86_64_runtime_resolve, *_dl_x86_tlsdesc_dynamic;
uint64_t _dl_hwcap, _dl_hwcap2, _dl_hwcap_mask;
const char *_dl_platform;
size_t _dl_minsigstacksize = 2048;
const char _dl_x86_hwcap_flags[3][9];
const char _dl_x86_platforms[4][9];
const char _dl_x86_cap_flags[32][8];

static const struct probe_request *request;

void
_dl_fatal_printf (const char *format, ...)
{
  (void) format;
  abort ();
}

/* Answers, for stubs.S.  */

PROBE_HIDDEN void
probe_answer_cpuid (uint32_t leaf, uint32_t subleaf, uint32_t *registers)
{
  request->cpuid (request->context, leaf, subleaf, registers);
}

PROBE_HIDDEN uint64_t
probe_answer_xgetbv (uint32_t index)
{
  return request->xgetbv (request->context, index);
}

void
probe_emit (const char *name, uint64_t value)
{
  request->answer (request->context, name, value, NULL);
}

/* Variants have no code: each is an address in this table of the build.  */
extern const struct probe_variant
{
  const void *address;
  const char *name;
} probe_variants[] PROBE_HIDDEN;

void
probe_emit_variant (const char *function, const void *address)
{
  char name[64];
  snprintf (name, sizeof (name), "variant.%s", function);
  for (const struct probe_variant *row = probe_variants; row->name != NULL;
       ++row)
    if (row->address == address)
      {
        request->answer (request->context, name, 0, row->name);
        return;
      }
  abort ();
}

/* Tunables.  */

enum probe_type
{
  STRING,
  INT_32,
  UINT_64,
  SIZE_T
};

struct probe_tunable
{
  const char *name;
  enum probe_type type;
  uint64_t min, max, value;
  bool set;
  const char *text;
};

#define TUNABLE(name, type, min, max, value) \
  { #name, type, min, max, value, false, NULL },
static struct probe_tunable tunables[] = {
#include "probe_lists.h"
  /* In lists outside of sysdeps/x86; nothing here sets them.  */
  { "prefer_map_32bit_exec", INT_32, 0, 1, 0, false, NULL },
  { "plt_rewrite", INT_32, 0, 2, 0, false, NULL },
};
#undef TUNABLE

static struct probe_tunable *
find_tunable (const char *name)
{
  for (size_t i = 0; i < sizeof (tunables) / sizeof (tunables[0]); ++i)
    if (strcmp (tunables[i].name, name) == 0)
      return &tunables[i];
  /* glibc would not compile.  */
  abort ();
}

static bool
is_less (const struct probe_tunable *tunable, uint64_t one, uint64_t other)
{
  if (tunable->type == INT_32)
    return (int64_t) one < (int64_t) other;
  return one < other;
}

static bool
is_inside (const struct probe_tunable *tunable, uint64_t value)
{
  return !is_less (tunable, value, tunable->min)
         && !is_less (tunable, tunable->max, value);
}

/* As elf/dl-tunables.c does it: outside of the list's bounds a number is
   dropped without a word.  */
static void
take_tunables (void)
{
  for (const char *const *item = request->tunables; *item != NULL; item += 2)
    for (size_t i = 0; i < sizeof (tunables) / sizeof (tunables[0]); ++i)
      {
        struct probe_tunable *tunable = &tunables[i];
        if (strcmp (tunable->name, item[0]) != 0)
          continue;
        const uint64_t value = strtoull (item[1], NULL, 0);
        if (tunable->type == STRING)
          tunable->text = item[1];
        else if (is_inside (tunable, value))
          tunable->value = value;
        else
          continue;
        tunable->set = true;
      }
}

void
probe_tunable_get (const char *name, void *value, size_t size,
                   tunable_callback_t callback)
{
  struct probe_tunable *tunable = find_tunable (name);
  tunable_val_t val;
  if (tunable->type == STRING)
    {
#if __has_include(<dl-tunables-parse.h>)
      val.strval.str = tunable->text;
      val.strval.len = tunable->text == NULL ? 0 : strlen (tunable->text);
#else
      val.strval = tunable->text;
#endif
    }
  else
    val.numval = (tunable_num_t) tunable->value;
  memset (value, 0, size);
  if (tunable->type != STRING)
    memcpy (value, &tunable->value, size < 8 ? size : 8);
  if (tunable->set && callback != NULL)
    callback (&val);
}

bool
probe_tunable_is_initialized (const char *name)
{
  return find_tunable (name)->set;
}

void
probe_tunable_set (const char *name, tunable_num_t value)
{
  struct probe_tunable *tunable = find_tunable (name);
  if (!is_inside (tunable, (uint64_t) value))
    return;
  tunable->value = (uint64_t) value;
  tunable->set = true;
}

/* As elf/dl-tunables.c does it from 2.34 on: bounds can only become narrower,
   and a value outside of them leaves everything as it was; or, before, only
   the value.  */
void
probe_tunable_set_with_bounds (const char *name, tunable_num_t value,
                               tunable_num_t min, tunable_num_t max,
                               bool keep_bounds)
{
  struct probe_tunable *tunable = find_tunable (name);
  struct probe_tunable narrowed = *tunable;
  if (is_less (tunable, tunable->min, (uint64_t) min))
    narrowed.min = (uint64_t) min;
  if (is_less (tunable, (uint64_t) max, tunable->max))
    narrowed.max = (uint64_t) max;
  if (is_less (tunable, narrowed.max, narrowed.min))
    narrowed = *tunable;
  const bool inside = is_inside (&narrowed, (uint64_t) value);
  if (inside || keep_bounds)
    *tunable = narrowed;
  if (!inside)
    return;
  tunable->value = (uint64_t) value;
  tunable->set = true;
}

static void
emit_tunables (void)
{
  for (size_t i = 0; i < sizeof (tunables) / sizeof (tunables[0]) - 2; ++i)
    {
      const struct probe_tunable *tunable = &tunables[i];
      if (tunable->type == STRING)
        continue;
      const struct
      {
        const char *suffix;
        uint64_t value;
      } rows[] = { { "", tunable->value },
                   { ".min", tunable->min },
                   { ".max", tunable->max } };
      for (size_t row = 0; row < 3; ++row)
        {
          char name[96];
          snprintf (name, sizeof (name), "tunable.%s%s", tunable->name,
                    rows[row].suffix);
          probe_emit (name, rows[row].value);
        }
    }
}

#define SELECTOR(function) \
  PROBE_HIDDEN void probe_select_##function (void);
#include "probe_lists.h"
#undef SELECTOR

__attribute__ ((visibility ("default"))) void
glibc_probe (const struct probe_request *asked)
{
  request = asked;
  take_tunables ();
  probe_init_features ();
  probe_init_variables ();
  probe_emit_features ();
  probe_emit_variables ();
  emit_tunables ();
#define SELECTOR(function) probe_select_##function ();
#include "probe_lists.h"
#undef SELECTOR
}
