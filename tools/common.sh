# What the scripts of this folder share; to be sourced.

set -euo pipefail

# The script behind any symbolic links, and the workspace.
SCRIPT_NAME=$(basename "$0")
WORKSPACE=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")

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

# Bazel wants both, and a bare root may have neither; a container's user may have
# no name. A home that others can write in, like /tmp, is none.
user=$(getent passwd "$(id -u)" || true)
USER=${USER:-${user%%:*}}
USER=${USER:-$(id -u)}
HOME=${HOME:-$(cut -d: -f6 <<<"$user")}
[[ -n $HOME ]] || fail 2 "expected the variable HOME, found none"
export USER HOME

# Runs a command in the workspace; shows its output only when it fails.
# Returns its exit status.
quietly() {
  local output status=0
  # In memory: a file would stay behind after Ctrl-C.
  output=$(cd "$WORKSPACE" && "$@" 2>&1 </dev/null) || status=$?
  if [[ $status != 0 ]]; then printf '%s\n' "$output" >&2; fi
  return "$status"
}
