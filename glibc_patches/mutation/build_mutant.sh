#!/bin/bash
# Builds one changed file of a tree that build_tree.sh built with $KEEP_PARTS,
# and links it with the tree's other objects.
#
#   build_mutant.sh BUILT FILE TEXT OUT
#
# BUILT  the tree's folder
# FILE   the file's name there, without .s
# TEXT   its changed text
# OUT    a folder; gets FILE.o, sizes.txt (the new sizes of its functions: NAME
#        BYTES) and tree.so, or nothing but FILE.o when that is as in BUILT
set -euo pipefail

readonly built=$1 file=$2 text=$3 out=$4

as --64 --noexecstack -o "$out/$file.o" "$text"
"${NM:-nm}" -S --radix=d "$out/$file.o" |
  awk 'NF == 4 && $3 == "T" { print $4, $2 + 0 }' >"$out/sizes.txt"
"${OBJCOPY:-objcopy}" --prefix-symbols=tree_ "$out/$file.o"
if cmp -s "$out/$file.o" "$built/$file.o"; then exit 0; fi

objects=("$out/$file.o")
for object in "$built"/*.o; do
  if [[ $object != "$built/$file.o" ]]; then objects+=("$object"); fi
done
"${CXX:-g++}" -shared -Wl,-Bsymbolic -Wl,--version-script="$built/exports" \
  -Wl,--no-undefined-version -o "$out/tree.so" "${objects[@]}"
