#!/bin/bash
# A corpus test must be able to fail.

set -euo pipefail
program=tools/fuzzing/picky_target
corpus=$TEST_TMPDIR/corpus
mkdir "$corpus"

expect() {
  local wanted=$1 status=0
  output=$("$program" "$corpus" 2>&1) || status=$?
  if [[ $status != "$wanted" ]]; then
    echo "expected exit status $wanted, found $status: $output"
    exit 1
  fi
}

# Nothing was tested.
expect 1

printf good >"$corpus/1"
printf '' >"$corpus/2"
expect 0
[[ $output == *"2 inputs" ]]

printf bad >"$corpus/3"
expect 134
[[ $output == *"$corpus/3"*"required: no bad input"* ]]
