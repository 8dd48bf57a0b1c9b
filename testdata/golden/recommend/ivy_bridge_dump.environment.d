# As ~/.config/environment.d/50-glibc-tunables.conf, for all services and the
#   session of one user; then log in again. For one unit: EnvironmentFile= with
#   this file's path.
# WARNING: this reaches every process, also those that nobody measured.
#   Set-uid programs (sudo, su, ping) ignore the variable, and what they start
#   may lose it. Security monitors may raise an alert at any GLIBC_TUNABLES
#   since CVE-2023-4911: ask who runs them first. One service at a time is
#   safer.
# Why: With the threshold 0, copies of 1 KiB were measured to take 1503
#   instead of 78 cycles on such a guest.
# Sets glibc.tune.x86_non_temporal_threshold: 0 bytes -> 12 MiB. Three
#   quarters of the L3.
# Valid for: glibc 2.28 on Intel(R) Xeon(R) ?[31mE7 v2 ?, Ivy Bridge, family 6
#   model 62, KVM guest. Its names exist in glibc 2.26 to 2.28; others ignore
#   them.
# Made on 2023-11-14 by the glibc tunables advisor 0.1.0, from the model;
#   nothing was measured.
# Drop it: with glibc 2.33, which computes a sound value here by itself; after
#   an upgrade from glibc 2.28, or when the CPU, the hypervisor or the host
#   changes. Then ask again.
GLIBC_TUNABLES=glibc.tune.x86_non_temporal_threshold=12582912
