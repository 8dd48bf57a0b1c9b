#!/bin/bash
# A short run says all that a long one says, and bad arguments are one line.

set -euo pipefail

output=$("$1" 2 2 same)
for line in "2 runs of 5 cells in 2 placements each; a busy process: same" \
  "A/A           called slower in" "planted 3 %   called slower in" \
  "planted 10 %  called slower in" "of 10, " \
  "identical code was called slower or faster: " "disturbed runs: "; do
  if [[ $output != *"$line"* ]]; then
    printf 'expected "%s" in:\n%s\n' "$line" "$output"
    exit 1
  fi
done

status=0
errors=$("$1" none 2>&1) || status=$?
if [[ $status != 2 || $errors != "noise_benchmark: expected "* ]]; then
  printf 'expected usage and status 2, found %s and "%s"\n' "$status" "$errors"
  exit 1
fi
