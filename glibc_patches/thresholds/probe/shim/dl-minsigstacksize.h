/* Of signal stacks; no threshold depends on it.  */
static inline void dl_check_minsigstacksize(
    const struct cpu_features *features) {
  (void)features;
}
