# What the scripts of this folder share; to be sourced.

set -euo pipefail

# The script behind any symbolic links, and the workspace.
SCRIPT_NAME=$(basename "$0")
WORKSPACE=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

# Bazel wants both, and a bare root may have neither.
USER=${USER:-$(id -un)}
HOME=${HOME:-/tmp}
export USER HOME

# One line about what goes on.
say() {
  printf '%s: %s\n' "$SCRIPT_NAME" "$*" >&2
}

# One line about what went wrong, and the end: fail STATUS WORDS...
fail() {
  local status=$1
  shift
  say "$@"
  exit "$status"
}

# Runs a command in the workspace; shows its output only when it fails.
# Returns its exit status.
quietly() {
  local log status=0
  log=$(mktemp)
  (cd "$WORKSPACE" && "$@") >"$log" 2>&1 </dev/null || status=$?
  if [[ $status != 0 ]]; then cat "$log" >&2; fi
  rm -f "$log"
  return "$status"
}
