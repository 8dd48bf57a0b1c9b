#!/bin/bash
# Builds a glibc tree's memory functions as shared objects that the harness
# loads (loaded_trees.h).
#
#   build_tree.sh SOURCE OUT ROOT FILE...
#
# SOURCE  glibc's source: version.h and sysdeps/{x86,x86_64,generic}
# OUT     gets FILE.o, tree.N.so with all of them, once for each placement, and
#         files.txt: the files of SOURCE that they were made from
# ROOT    this project (or its runfiles): kernels/assemble_tree.sh and others
# FILE    as for assemble_tree.sh; what the tree has not is left out
#
# Every tree's symbols have the same prefix, so that equal sources give equal
# object files. $CC, $CXX, $NM and $OBJCOPY may name the tools. With $KEEP_PARTS
# what a changed file needs to be built anew stays: FILE.s, tree.o and exports.
set -euo pipefail

readonly source=$1 out=$2 root=$3
shift 3

export CC=${CC:-gcc} NM=${NM:-nm} OBJCOPY=${OBJCOPY:-objcopy}
readonly cxx=${CXX:-g++}

# Lines of 64 bytes before the first function, one number a placement: where
# code stands within its page, and so in the branch predictors and the caches of
# decoded code, changes its speed more than many patches do.
readonly placements=(1 10 23 44)

release=$(sed -n 's/^#define VERSION "\(.*\)"$/\1/p' "$source/version.h")
files=()
for file in "$@"; do
  if [[ -e $source/sysdeps/x86_64/multiarch/$file.S ]]; then
    files+=("$file")
  fi
done

# Of the lines that are paths below SOURCE, the rest. Its name is no pattern.
below_source() {
  BELOW=$source/ awk '
    index($0, ENVIRON["BELOW"]) == 1 {
      print substr($0, length(ENVIRON["BELOW"]) + 1)
    }'
}

mkdir -p "$out"
for file in "${files[@]}"; do
  "$CC" -M -x assembler-with-cpp -DSHARED -DPIC \
    -include "$root/kernels/shim/glibc_symbols.h" -I "$root/kernels/shim" \
    -I "$source/sysdeps/x86_64/multiarch" -I "$source/sysdeps/x86_64" \
    -I "$source/sysdeps/x86/include" -I "$source/sysdeps/x86" \
    -I "$source/sysdeps/generic" -I "$source" \
    "$source/sysdeps/x86_64/multiarch/$file.S"
done | tr -s ' \\' '\n' | below_source | sort -u >"$out/files.txt"

"$root/kernels/assemble_tree.sh" tree "$release" "" "$source" \
  "$root/kernels/shim" "$out" "${files[@]}"
"$cxx" -std=c++17 -O1 -fPIC -I "$root" \
  -c "$out/tree.cc" -o "$out/tree.o"

# Only the tree's definition can be seen from outside.
printf '{ global: *Tree_tree*; local: *; };\n' >"$out/exports"
objects=()
for file in "${files[@]}"; do objects+=("$out/$file.o"); done
for i in "${!placements[@]}"; do
  printf '.section .note.GNU-stack,"",@progbits\n.text\n.skip %d\n' \
    $((64 * placements[i])) | as --64 -o "$out/pad.o" -
  "$cxx" -shared -Wl,-Bsymbolic -Wl,--version-script="$out/exports" \
    -Wl,--no-undefined-version -o "$out/tree.$i.so" \
    "$out/pad.o" "${objects[@]}" "$out/tree.o"
done
rm "$out/pad.o"
if [[ -z ${KEEP_PARTS:-} ]]; then rm "$out/exports" "$out/tree.o"; fi
