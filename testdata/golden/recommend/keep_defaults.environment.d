# Nothing to set: keep the defaults, and GLIBC_TUNABLES=glibc.malloc.check=0,
#   which is there.
# Why: No setting is faster by more than the noise floor of 2%.
# Valid for: glibc 2.36-9+deb12u14 on Oxide Virtual Turin-like Processor, Zen
#   5, family 26 model 2, bhyve guest.
# Made on 2023-11-14 by the glibc tunables advisor 0.1.0, measured there.
