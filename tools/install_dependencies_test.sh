#!/bin/bash
# Tests of install_dependencies, with fakes of dpkg-query, apt-get, sudo and id.

set -euo pipefail

program=$PWD/tools/install_dependencies
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fake() {
  mkdir -p bin
  printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}

# run EXPECTED_STATUS ARGS...
run() {
  local expected=$1 status=0
  shift
  : >calls
  PATH=$work/bin:$PATH OS_RELEASE=$work/os-release "$program" "$@" \
    >out 2>err || status=$?
  expect "status of $*" "$expected" "$status"
}

expect() {
  if [[ $2 != "$3" ]]; then
    echo "$1: expected \"$2\", found \"$3\""
    cat err
    failures=$((failures + 1))
  fi
}

expect_match() {
  if [[ ! $3 =~ $2 ]]; then
    echo "$1: expected a match of \"$2\", found \"$3\""
    failures=$((failures + 1))
  fi
}

lines() {
  wc -l <"$1" | tr -d ' '
}

# A machine where all is installed but $MISSING; $REFUSED cannot be installed.
fake dpkg-query '
for word; do
  [[ $word == -* || $word == *{* || " $MISSING " == *" $word "* ]] ||
    echo "installed $word"
done'
fake apt-get '
echo "apt-get $*" >>"$CALLS"
[[ -z ${REFUSED:-} || "$*" != *"$REFUSED"* ]]'
fake sudo 'echo "sudo $*" >>"$CALLS"; [[ -n ${RIGHTS:-} ]] || exit 1; "${@:2}"'
fake id 'echo "${USER_ID:-0}"'
fake bazel 'exit 0'
fake npx 'exit 0'
export CALLS=$work/calls
export MISSING="" REFUSED="" RIGHTS="" USER_ID=0
echo 'ID=debian' >os-release

run 0
expect "nothing missing" "install_dependencies: nothing is missing" "$(<err)"
expect "nothing called" "" "$(<calls)"
run 0 --quiet check
expect "quiet" "" "$(<err)"

MISSING="g++ qemu-user clang"
run 0
expect_match "only what a build needs" "--no-install-recommends g\+\+$" \
  "$(tail -n 1 calls)"
expect "one line" "install_dependencies: installing g++" "$(<err)"
expect_match "lists first" "update" "$(head -n 1 calls)"
run 0 test
expect_match "for tests too" "g\+\+ qemu-user$" "$(tail -n 1 calls)"
run 0 check
expect_match "for checks too" "clang g\+\+ qemu-user$" "$(tail -n 1 calls)"
run 0 --print check
expect "names" "clang g++ qemu-user" "$(xargs <out)"
expect "print installs nothing" "" "$(<calls)"

MISSING="npm"
run 0 check
expect "npx is there" "install_dependencies: nothing is missing" "$(<err)"

MISSING="glibc-source" REFUSED="glibc-source"
run 0
expect_match "optional" "going on without glibc-source" "$(<err)"
MISSING="g++" REFUSED="g++"
run 2
expect_match "needed" "could not install: g\+\+" "$(<err)"

MISSING="g++ glibc-source" REFUSED="" USER_ID=1000
run 2
expect "one line without rights" 1 "$(lines err)"
expect_match "the command" \
  "sudo apt-get install --no-install-recommends g\+\+ glibc-source$" "$(<err)"
expect_match "no apt-get" "^sudo -n true$" "$(<calls)"
MISSING="glibc-source"
run 0
expect_match "optional without rights" "going on without" "$(<err)"
MISSING="g++" RIGHTS=yes
run 0
expect_match "with sudo" "apt-get .*install .*g\+\+" "$(tail -n 1 calls)"

echo 'ID=fedora' >os-release
RIGHTS="" USER_ID=0
run 2
expect "one line elsewhere" 1 "$(lines err)"
expect_match "list elsewhere" "g\+\+.*libabsl-dev" "$(<err)"
run 0 --quiet
printf 'ID=linuxmint\nID_LIKE="ubuntu debian"\n' >os-release
run 0
expect_match "derived" "installing g\+\+" "$(<err)"

run 2 --nonsense
expect "usage in one line" 1 "$(lines err)"

[[ $failures == 0 ]]
