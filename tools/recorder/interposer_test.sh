#!/bin/bash
# What the preloaded object brings into a program, and what it calls.

set -euo pipefail
object=tools/recorder/libsize_recorder.so
failures=0

expect() {
  if [[ $2 != "$3" ]]; then
    echo "$1: expected \"$2\", found \"$3\""
    failures=$((failures + 1))
  fi
}

needed=$(readelf -dW "$object" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
expect "libraries" libc.so.6 "$needed"

# It would call itself.
called=$(nm -D --undefined-only "$object" | grep -E ' mem|_chk' || true)
expect "called functions" "" "$called"

defined=$(nm -D --defined-only "$object" | awk '$2 == "T" { print $3 }' | sort | tr '\n' ' ')
expect "defined functions" "__memcpy_chk __memmove_chk __mempcpy \
__mempcpy_chk __memset_chk memcpy memmove mempcpy memset " "$defined"

# A function that runs before relocation must find its variables all the same.
relocated=$(readelf -rW "$object" | grep -cE 'early_calls|ready' || true)
expect "relocated variables" 0 "$relocated"

exit "$((failures != 0))"
