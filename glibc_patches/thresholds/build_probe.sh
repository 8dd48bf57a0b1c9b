#!/bin/bash
# Builds a probe: a glibc tree's own threshold code, as a shared object that the
# harness runs with the CPUID of a dump (probe/request.h).
#
#   build_probe.sh SOURCE OUT PROBE
#
# SOURCE  glibc's source: version.h and sysdeps/{x86,x86_64,generic}
# OUT     gets probe.so, the object files that it is linked from, lists.txt
#         (tunables and names, from the tree's own files) and files.txt (the
#         files of SOURCE that it was made from)
# PROBE   the folder probe of this project or its runfiles
#
# SOURCE's names do not reach the object files: equal code gives equal files.
# $CC and $NM may name the tools. With $PROBE_CET it is built as libraries with
# CET are (2.28 to 2.42); its value is what the kernel tells: 0 off, 1 branches,
# 2 shadow stacks, 3 both.
set -euo pipefail

readonly source=$1 out=$2 probe=$3
readonly cc=${CC:-gcc} nm=${NM:-nm}
readonly x86=$source/sysdeps/x86 multiarch=$source/sysdeps/x86_64/multiarch

# Functions with a selector, each in its own file. strlen stands for the many
# string functions that are selected as it is.
readonly functions=(memmove memmove_chk memcpy memcpy_chk mempcpy mempcpy_chk
  memset memset_chk strlen)

# Of the lines that are paths below SOURCE, the rest. Its name is no pattern.
below_source() {
  BELOW=$source/ awk '
    index($0, ENVIRON["BELOW"]) == 1 {
      print substr($0, length(ENVIRON["BELOW"]) + 1)
    }'
}

mkdir -p "$out"
first_of() { # FILE...: the first that exists
  for file in "$@"; do
    if [[ -e $file ]]; then echo "$file" && return; fi
  done
  echo "$1: no such file" >&2
  return 1
}

header=$(first_of "$x86/include/cpu-features.h" "$x86/cpu-features.h")
flags=$header
for file in "$x86"/include/cpu-features-preferred_*.def; do
  if [[ -e $file ]]; then flags=$file; fi
done
# Before 2.33 the code that computes is in libc.so.
variables=$(first_of "$x86/cacheinfo.h" "$x86/cacheinfo.c")
definitions=()
if [[ ! -e $x86/dl-cacheinfo.h ]]; then
  definitions+=(-DPROBE_INIT_IN_LIBC_START)
fi
if [[ -n ${PROBE_CET:-} ]]; then definitions+=(-DPROBE_CET="$PROBE_CET"); fi

lists=$out/probe_lists.h
{
  awk -f "$probe/lists.awk" KIND=fields "$header" KIND=features "$header" \
    KIND=flags "$flags" KIND=variables "$variables" \
    KIND=tunables "$x86/dl-tunables.list"
  echo "#ifdef SELECTOR"
  printf 'SELECTOR (%s)\n' "${functions[@]}"
  echo "#endif"
} >"$lists"

# GCC may move top-level assembly, Clang may not and has no such flag.
in_order=()
if "$cc" -fno-toplevel-reorder -x c -fsyntax-only /dev/null 2>/dev/null; then
  in_order+=(-fno-toplevel-reorder)
fi

compile() { # MODULE OBJECT FILE FLAG...
  local module=$1 object=$2 file=$3
  shift 3
  # -idirafter: of the tree, only what the system's headers have not.
  "$cc" -std=gnu11 -fgnu89-inline -O2 -g0 -fPIC "${in_order[@]}" -w \
    -Werror=implicit-function-declaration \
    -mno-red-zone -fno-stack-protector -fcf-protection=none \
    -ffile-prefix-map="$source"= -fmacro-prefix-map="$source"= \
    -D_GNU_SOURCE -DPROBE_MODULE="MODULE_$module" "${definitions[@]}" \
    -include "$probe/shim/symbols.h" -I "$out" -I "$probe/shim" -I "$probe" \
    -I "$source" \
    -idirafter "$multiarch" -idirafter "$source/sysdeps/x86_64" \
    -idirafter "$x86/include" -idirafter "$x86" \
    -idirafter "$source/sysdeps/generic" \
    "$@" -MD -MF "$out/$object.d" -c "$probe/$file" -o "$out/$object.o"
}

compile rtld features features.c
compile rtld hwcaps hwcaps.c
compile libc variables variables.c
objects=("$out"/{features,hwcaps,variables}.o)
for function in "${functions[@]}"; do
  compile libc "select_$function" select.c \
    -DPROBE_FUNCTION="$function" -DPROBE_SELECTOR="<$function.c>"
  objects+=("$out/select_$function.o")
done
compile rtld glue glue.c

# Every variant that a selector names is an address, and a row of the table.
{
  rows=()
  echo '.section .rodata'
  for function in "${functions[@]}"; do
    while read -r symbol; do
      if [[ $symbol == *"${function}_"* && $symbol != probe_* ]]; then
        printf '.globl %s\n.hidden %s\n%s: .quad 0\n' "$symbol" "$symbol" \
          "$symbol"
        rows+=("$symbol")
      fi
    done < <("$nm" -u "$out/select_$function.o" | awk '{print $2}')
  done
  for i in "${!rows[@]}"; do echo "name_$i: .asciz \"${rows[i]}\""; done
  echo '.section .data.rel.ro,"aw"'
  printf '.balign 8\n.globl probe_variants\n.hidden probe_variants\n'
  echo 'probe_variants:'
  for i in "${!rows[@]}"; do echo ".quad ${rows[i]}, name_$i"; done
  echo '.quad 0, 0'
  echo '.section .note.GNU-stack,"",@progbits'
} >"$out/variants.s"
"$cc" -c "$out/variants.s" -o "$out/variants.o"
"$cc" -c "$probe/stubs.S" -o "$out/stubs.o"
# The process has an ld.so and a libc of its own with some of these names.
printf '{ global: glibc_probe; local: *; };\n' >"$out/exports"
"$cc" -shared -Wl,-Bsymbolic -Wl,--version-script="$out/exports" -Wl,-z,defs \
  -o "$out/probe.so" "${objects[@]}" "$out"/{glue,variants,stubs}.o

{
  # What the lists were made from.
  printf '%s\n' "$header" "$flags" "$variables" "$x86/dl-tunables.list"
  cat "$out"/*.d | tr -s ' \\' '\n'
} | below_source | sed 's|[^/]*/\.\./||' | sort -u >"$out/files.txt"
mv "$lists" "$out/lists.txt"
rm "$out"/*.d "$out"/{exports,variants.s}
