#!/bin/bash
# A run of speed_benchmark with the base as its own patch: that it runs, and says
# what it counts.
#
#   speed_benchmark_test.sh SPEED_BENCHMARK [FILES]
#
# FILES is files.txt in the folder of a built tree; none without glibc's source.
set -euo pipefail

if [[ $# -lt 2 ]]; then
  echo "skipped: no glibc source on this machine"
  exit 0
fi
tree=$(dirname "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
output=$("$1" "$tree" "$tree" "$scratch" __memmove_sse2_unaligned 1)
if [[ ! $output =~ ^run\ 1:\ [0-9]+\ slower,\ [0-9]+\ faster,\ [0-9]+\ undecided\ of\ [1-9] ]]
then
  printf 'expected "run 1: N slower, N faster, ...", found:\n%s\n' "$output"
  exit 1
fi
