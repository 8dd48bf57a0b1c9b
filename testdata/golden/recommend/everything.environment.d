# As ~/.config/environment.d/50-glibc-tunables.conf, for all services and the
#   session of one user; then log in again. For one unit: EnvironmentFile= with
#   this file's path.
# WARNING: this reaches every process, also those that nobody measured.
#   Set-uid programs (sudo, su, ping) ignore the variable, and what they start
#   may lose it. Security monitors may raise an alert at any GLIBC_TUNABLES
#   since CVE-2023-4911: ask who runs them first. One service at a time is
#   safer.
# Why: Proved on the real libc: the sizes that it touches take 0.83 of the
#   time they took, in the mean.
# Sets glibc.cpu.hwcaps: -AVX512F,-AVX512VL. No slower in any cell, and no
#   AVX-512 state to save.
# Sets glibc.cpu.x86_non_temporal_threshold: 99 MiB -> 8 MiB. Copies beyond
#   the L3 that this guest gets are faster.
# Sets glibc.cpu.x86_rep_movsb_threshold: 2112 bytes -> 4 KiB. The vector loop
#   is faster below.
# Valid for: glibc 2.36-9+deb12u14 on Intel(R) Xeon(R) Processor, Emerald
#   Rapids, family 6 model 207, KVM guest. Its names exist in glibc 2.32 to
#   2.42; others ignore them.
# Made on 2023-11-14 by the glibc tunables advisor 0.1.0, measured there, and
#   proved on its libc.
# Drop it: after an upgrade from glibc 2.36-9+deb12u14, or when the CPU, the
#   hypervisor or the host changes. Then ask again.
GLIBC_TUNABLES=glibc.pthread.rseq=0:glibc.cpu.hwcaps=-AVX512F,-AVX512VL:glibc.cpu.x86_non_temporal_threshold=8388608:glibc.cpu.x86_rep_movsb_threshold=4096
