#!/bin/bash
# Tests of the scripts of this folder, with a fake Bazel on a machine where
# nothing is missing.

set -euo pipefail

tools=$PWD/tools
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failures=0

fake() {
  mkdir -p "$(dirname "$1")"
  printf '#!/bin/bash\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

# run EXPECTED_STATUS PROGRAM ARGS...
run() {
  local expected=$1 status=0
  shift
  PATH=$work/bin:$PATH OS_RELEASE=$work/os-release "$@" >out 2>err || status=$?
  expect "status of $*" "$expected" "$status"
}

expect() {
  if [[ $2 != "$3" ]]; then
    echo "$1: expected \"$2\", found \"$3\""
    cat err
    failures=$((failures + 1))
  fi
}

echo 'ID=debian' >os-release
fake bin/apt-get 'exit 1'
fake bin/dpkg-query 'for word; do echo "installed $word"; done'
fake bin/bazel '
case $1 in
  info) echo "$BAZEL_BIN" ;;
  build)
    echo noise
    if [[ -n ${SLOW:-} ]]; then
      touch "$SLOW"
      sleep 100
    fi
    if [[ -n ${BROKEN:-} ]]; then
      echo "no such target"
      exit 1
    fi
    ;;
  query) printf "//a:one_fuzzer\n//b:other_fuzzer\n" ;;
  run)
    if [[ -n ${BROKEN:-} ]]; then
      echo "no such target"
      exit 1
    fi
    for word; do
      if [[ $word == --script_path=* ]]; then
        printf "#!/bin/bash\n%s\n" "$FUZZER" >"${word#*=}"
        chmod +x "${word#*=}"
      fi
    done
    ;;
  test)
    echo noise
    if [[ -n ${SLOW:-} ]]; then
      touch "$SLOW"
      sleep 100
    fi
    for word; do
      if [[ $word == --build_event_json_file=* ]]; then
        cp "$EVENTS" "${word#*=}"
      fi
      echo "$word" >>"$TEST_WORDS"
    done
    exit "${TEST_STATUS:-0}"
    ;;
esac'
export BAZEL_BIN="$work/bazel bin"
fake "$BAZEL_BIN/advisor/advisor" '
printf "<%s>" "$@"
pwd
cat
exit "${ADVISOR_STATUS:-0}"'

# run_advisor: a link in a folder with a space, called from elsewhere.
mkdir -p "a b" elsewhere
ln -s "$tools/run_advisor" "a b/advisor link"
cd elsewhere
echo input >input
ADVISOR_STATUS=3 run 3 "../a b/advisor link" --x "two  words" "" '$HOME' <input
expect "untouched" "<--x><two  words><><\$HOME>$work/elsewhere
input" "$(<out)"
expect "one line" 1 "$(wc -l <err)"
BROKEN=yes run 4 "$tools/run_advisor"
expect "no output of a broken build" "" "$(<out)"
expect "the build's own words" 1 "$(grep -c 'no such target' err)"

# validate_patch: no --base is made up where Bazel has no source unpacked.
fake "$BAZEL_BIN/glibc_patches/validate_patch" '
printf "<%s>" "$@"
exit "${VERDICT:-0}"'
VERDICT=1 run 1 "$tools/validate_patch" "a patch" --quick
expect "untouched" "<a patch><--quick>" "$(<out)"
mkdir -p "$BAZEL_BIN/external/glibc_source"
touch "$BAZEL_BIN/external/glibc_source/version.h"
run 0 "$tools/validate_patch" p
expect "the source of Bazel" "<--base=$BAZEL_BIN/external/glibc_source><p>" \
  "$(<out)"
GLIBC_SOURCE=x run 0 "$tools/validate_patch" p
expect "the source of the user" "<p>" "$(<out)"
BROKEN=yes run 4 "$tools/validate_patch" p
fake "$BAZEL_BIN/glibc_patches/replay_history" 'printf "<%s>" "$@"'
run 0 "$tools/validate_patch" --history=clone 1234567
expect "its history" "<--history=clone><1234567>" "$(<out)"

# The smaller ones: a build that fails is not wrong usage, and never silent.
for script in record_sizes check_corpus regenerate_goldens; do
  BROKEN=yes run 4 "$tools/$script" --x
  expect "no output of $script" "" "$(<out)"
  expect "$script says so" 1 "$(grep -c "^$script: the build failed" err)"
done

# A user without a name, as a container's may be.
if [[ $(id -u) == 0 ]]; then
  chmod 755 "$work"
  cp -L "$tools/common.sh" "$work"
  chmod 644 "$work/common.sh"
  nameless=(env -u USER setpriv --reuid=4242 --clear-groups)
  readonly no_home='source "$1/common.sh"; echo "$USER $HOME"'
  run 0 env HOME=/nowhere "${nameless[@]}" bash -c "$no_home" script "$work"
  expect "its number" "4242 /nowhere" "$(<out)"
  run 2 "${nameless[@]}" env -u HOME bash -c "$no_home" script "$work"
  expect "no home" "script: expected the variable HOME, found none" "$(<err)"
fi

# run_tests.
export EVENTS=$work/events TEST_WORDS=$work/words
event() {
  printf '{"id":{"testResult":{"label":"%s"}},"testResult":{"status":"%s"}}\n' \
    "$1" "$2"
}
event //a:b PASSED >"$EVENTS"
run 0 "$tools/run_tests"
expect "all targets" "//..." "$(tail -n 1 "$TEST_WORDS")"
expect "last line" "1 passed, 0 failed, 0 skipped" "$(tail -n 1 out)"
run 0 "$tools/run_tests" --config=asan //a:b
expect "given targets" "--config=asan //a:b" "$(tail -n 2 "$TEST_WORDS" | xargs)"
TEST_STATUS=37 run 37 "$tools/run_tests"
event //a:c FAILED >>"$EVENTS"
TEST_STATUS=3 run 1 "$tools/run_tests"
expect "named" 1 "$(grep -c '^FAILED //a:c' out)"
expect "last line" "1 passed, 1 failed, 0 skipped" "$(tail -n 1 out)"
: >"$EVENTS"
TEST_STATUS=4 run 1 "$tools/run_tests"
expect "last line" "0 passed, 0 failed, 0 skipped" "$(tail -n 1 out)"

# fuzz: what it finds is kept where nobody else can put anything.
export FUZZER='
echo "stat::number_of_executed_units: 7"
echo "stat::slowest_unit_time_sec: 1"
printf "<%s>" "$@" >&2'
export XDG_CACHE_HOME=$work/cache
umask 022
run 0 "$tools/fuzz"
expect "the targets" "one other" "$(xargs <out)"
run 2 "$tools/fuzz" tunables
expect "one line" 1 "$(wc -l <err)"
run 2 "$tools/fuzz" one many
run 0 "$tools/fuzz" one 7
expect "the figures" "number_of_executed_units 7" "$(<out)"
found=$XDG_CACHE_HOME/glibc_tunables_advisor/fuzz
expect "a private folder" 700 "$(stat -c %a "$found/one")"
expect "its folder, too" 700 "$(stat -c %a "$found")"
expect "where it looks" 1 "$(grep -c -- "-runs=7>.*<$found/one>" "$found/one.log")"
run 0 "$tools/fuzz" --minimise one
expect "merged" 1 "$(grep -c -- "<-set_cover_merge=1><.*/testdata/fuzz/one><$found/one>" err)"
BROKEN=yes run 4 "$tools/fuzz" one 7
expect "the build's own words" 1 "$(grep -c 'no such target' err)"
FUZZER='echo "required: more"; exit 77' run 1 "$tools/fuzz" one 7
expect "what is wrong" "required: more" "$(<out)"
# A machine that was busy for a second, and an input that is slow.
export SCRATCH=$PWD
FUZZER='
if [[ ${!#} == "$SCRATCH/unit" ]]; then exit "${ALONE:-0}"; fi
echo "stat::number_of_executed_units: 4"
printf "<%s>" "$@"
if [[ -e $SCRATCH/again ]]; then exit 0; fi
touch "$SCRATCH/again" "$SCRATCH/unit"
printf "\nERROR: timeout\nTest unit written to $SCRATCH/unit\n"
exit 70'
run 0 "$tools/fuzz" one 7
expect "goes on" 1 "$(grep -c 'unit takes less than a second alone' err)"
expect "with the rest" 1 "$(grep -c -- '<-runs=3>' "$found/one.log")"
expect "no fault" no "$([[ -e unit ]] && echo yes || echo no)"
rm again
ALONE=70 run 1 "$tools/fuzz" one 7
expect "what it is" 1 "$(grep -c '^ERROR: timeout' out)"
expect "where it is" 1 "$(grep -c 'written to .*/unit' out)"
FUZZ_FOLDER=here run 0 "$tools/fuzz" other 7
[[ -d here/other ]] || expect "the folder that was asked for" yes no

# A signal to the process group, as from a terminal: no temporary file is left.
mkdir temporary
set -m
for script in run_advisor run_tests; do
  for signal in INT TERM; do
    rm -f started
    SLOW=$PWD/started TMPDIR=$PWD/temporary PATH=$work/bin:$PATH \
      OS_RELEASE=$work/os-release "$tools/$script" >out 2>err &
    for ((i = 0; i < 600; ++i)); do
      [[ ! -e started ]] || break
      sleep 0.1
    done
    [[ -e started ]] || expect "$script started" yes no
    kill "-$signal" -- "-$!"
    status=0
    wait "$!" || status=$?
    [[ $status != 0 ]] || expect "$script ended by $signal" yes no
    expect "left by $script after $signal" "" "$(ls temporary)"
  done
done

[[ $failures == 0 ]]
