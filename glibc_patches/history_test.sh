#!/bin/bash
# Replays the whole table over the clone of glibc that $GLIBC_HISTORY names:
#
#   bazel test -c opt //glibc_patches:history_test --test_env=GLIBC_HISTORY
set -euo pipefail

if [[ -z ${GLIBC_HISTORY:-} ]]; then
  echo "skipped: no \$GLIBC_HISTORY names a clone of glibc"
  exit 0
fi
status=0
"$1" --validate-patch="$2" --history="$GLIBC_HISTORY" || status=$?
if [[ $status == 3 ]]; then
  echo "skipped: nothing in $GLIBC_HISTORY can be shown here"
  exit 0
fi
exit "$status"
