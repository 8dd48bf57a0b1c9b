#!/bin/bash
# Faults of several rules must be found, and edits that change nothing must be
# accepted:
#
#   mutation_score_test.sh MUTATION_SCORE SOURCE
#
# SOURCE is version.h of glibc's source, or left out where there is none.
set -euo pipefail

readonly score=$1 version=${2:-}
if [[ -z $version ]]; then
  echo "skipped: no glibc source on this machine"
  exit 0
fi
readonly base=--base=$(dirname "$version")

fail() {
  echo "$output"
  echo "FAIL: $*"
  exit 1
}

# Rules whose every mutant is a fault, and files that every CPU runs.
readonly faults=clobbered,dropped_repeat,lost_fence,narrowed,vector_offset,wrong_return
readonly same=comment,equal_encoding,independent_loads,label_rename
readonly files=memmove-erms,memset-sse2,memmove-sse2
output=$("$score" "$base" --verbose --mutants=12 --preserving=6 \
  --rule=$faults,$same --file=$files) || fail "expected status 0, found $?"
grep -q " 12 killed, 0 survived" <<<"$output" || fail "expected 12 faults killed"
grep -q ": 6 accepted, 0 rejected" <<<"$output" ||
  fail "expected 6 edits accepted"
for rule in clobbered_register wrong_vector_offset lost_fence; do
  grep -q "^killed .* $rule: " <<<"$output" || fail "expected a mutant of $rule"
done

# Two of these refuse what they must not, two make memmove take the other right
# way at one distance.
erms=$(dirname "$version")/sysdeps/x86_64/multiarch/memmove-erms.S
if [[ -e $erms ]]; then
  output=$("$score" "$base" --preserving=0 --rule=weakened_branch \
    --file=memmove-erms) || fail "expected status 0, found $?"
  grep -q ": 2 killed, 0 survived, 2 equivalent" <<<"$output" ||
    fail "expected 2 faults killed and 2 that only decide"
fi

# No score where nothing was planted.
if output=$("$score" "$base" --rule=no_such_rule 2>&1); then
  fail "expected an error for a rule that there is not"
fi
echo "12 faults killed, 6 edits accepted"
