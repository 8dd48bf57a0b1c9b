#!/bin/bash
# decision_status_test.sh VALIDATE_PATCH [VERSION_H]: the exit status of each
# verdict, by patches to threshold code, which are judged within seconds.
set -euo pipefail

if (($# < 2)); then
  echo "skipped: no glibc source on this machine"
  exit 0
fi
program=$1
source=$(dirname "$(readlink -f "$2")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The function that has the caches' sizes; its first variable has one of these
# names in every release.
readonly VARIABLE='^ *(long|unsigned) (long )?int (data|core|shared)\b.*;'
file=
for candidate in sysdeps/x86/dl-cacheinfo.h sysdeps/x86/cacheinfo.c; do
  if grep -qE "$VARIABLE" "$source/$candidate" 2>/dev/null; then
    file=$candidate
    break
  fi
done
if [[ -z $file ]]; then
  echo "skipped: this release has the caches' sizes elsewhere"
  exit 0
fi

# patch NAME LINE: puts LINE after each of those variables.
patch() {
  mkdir -p "$scratch/$1/a" "$scratch/$1/b"
  sed -E "/$VARIABLE/a $2" "$source/$file" >"$scratch/$1/new"
  diff -u --label "a/$file" --label "b/$file" \
    "$source/$file" "$scratch/$1/new" >"$scratch/$1.patch" || true
}
patch comment '/* Nothing. */'
patch nop '__asm__ volatile ("nop");'

failures=0
# expect STATUS WORD ARGS...: the verdict is WORD.
expect() {
  local expected=$1 word=$2 status=0
  shift 2
  "$program" "$@" --base="$source" >"$scratch/out" 2>"$scratch/err" ||
    status=$?
  if [[ $status != "$expected" || -s $scratch/err ]] ||
    ! grep -qi "$word" "$scratch/out"; then
    echo "$*: status $status, expected $expected and \"$word\""
    cat "$scratch/out" "$scratch/err"
    failures=$((failures + 1))
  fi
}
expect 0 accept "$scratch/comment.patch"
expect 1 reject "$scratch/comment.patch" --claim=change
expect 3 inconclusive "$scratch/nop.patch"
expect 0 accept "$scratch/nop.patch" --claim=no-change
exit $((failures > 0))
