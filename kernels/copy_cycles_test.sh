#!/bin/bash
# copy_cycles' table and its refusal of bad arguments.
set -euo pipefail

readonly program=$1

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Arguments that must be refused: exit status 2, the usage on stderr.
refused() {
  local status=0 output
  output=$("$program" "$@" 2>&1 >/dev/null) || status=$?
  [[ $status == 2 ]] || fail "copy_cycles $*: exit status $status"
  [[ $output == "usage: copy_cycles SIZE CALLS"* ]] ||
    fail "copy_cycles $*: printed '$output'"
  [[ $(wc -l <<<"$output") == 1 ]] || fail "more than one line of usage"
}

refused
refused 1024
refused 1024 x
refused -1 100
refused 0 100
refused 1k 100
refused 1024 0
refused 2000000000 10
refused 1024 100 x
refused 1024 100 5 6

table=$("$program" 1024 200)
for row in 'libc memcpy +its own' "host +23592960" 'guest +0' \
  'recommended +12582912'; do
  grep -Eq "$row +[0-9.]+ +[0-9.]+\$" <<<"$table" ||
    fail "no row '$row' in: $table"
done
"$program" 1 1 65536 | grep -Eq 'recommended +65536 ' || fail "own threshold"
