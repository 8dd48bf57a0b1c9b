#!/bin/bash
# What a glibc_patch_test runs:
#
#   glibc_patch_test.sh EXPECTED REASON PATCH [BASE PATCHED FLAG...]
#
# REASON is "-", or why the test is skipped, with _ for blanks. BASE and PATCHED
# are files.txt in the folders of the two built trees.
set -euo pipefail

readonly expected=$1 reason=$2 patch=$3
if [[ $reason != - ]]; then
  echo "skipped: $patch: ${reason//_/ }"
  exit 0
fi
readonly base=$4 patched=$5
shift 5

exec glibc_patches/validate_patch "$patch" --expect="$expected" \
  --base=../glibc_source --built-base="$(dirname "$base")" \
  --built-patched="$(dirname "$patched")" "$@"
