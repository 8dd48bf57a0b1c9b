# Not written: the GLIBC_TUNABLES that is there holds characters that the
#   readers of such files take differently. Mend it, then ask again.
# Why: Copies between 2112 bytes and 24 KiB take 0.57 of their time.
# Sets glibc.cpu.x86_rep_movsb_threshold: 2112 bytes -> 24 KiB. The vector
#   loop is faster below.
# Valid for: glibc 2.36-9+deb12u14 on Oxide Virtual Turin-like Processor, Zen
#   5, family 26 model 2, bhyve guest. Its names exist in glibc 2.32 to 2.42;
#   others ignore them.
# Made on 2023-11-14 by the glibc tunables advisor 0.1.0, measured there, and
#   proved on its libc.
# Drop it: after an upgrade from glibc 2.36-9+deb12u14, or when the CPU, the
#   hypervisor or the host changes. Then ask again.
