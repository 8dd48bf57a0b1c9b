# Writes probe_lists.h: what the tree's own files name, a macro call each.
#
#   awk -f lists.awk KIND=fields cpu-features.h KIND=tunables dl-tunables.list ..
#
# FIELD     sizes and thresholds in struct cpu_features
# FEATURE   bits of CPUID, FLAG preferred ones
# VARIABLE  what libc.so's kernels read
# TUNABLE   rows of glibc.cpu (before 2.29 glibc.tune): name, type, bounds,
#           default, as scripts/gen-tunables.awk of the tree reads them

function begin(macro) { printf "#ifdef %s\n", macro; guard = macro }
function end() { if (guard) print "#endif"; guard = "" }
function once(macro, name) {
  if (!((macro, name) in seen)) printf "%s (%s)\n", macro, name
  seen[macro, name] = 1
}
function first(text, otherwise) {
  if (text != "") return text
  return otherwise == "" ? "0" : otherwise
}

BEGIN {
  macro_of["fields"] = "FIELD"
  macro_of["features"] = "FEATURE"
  macro_of["flags"] = "FLAG"
  macro_of["variables"] = "VARIABLE"
  macro_of["tunables"] = "TUNABLE"
  lowest["INT_32"] = "INT32_MIN"
  highest["INT_32"] = "INT32_MAX"
  highest["UINT_64"] = highest["SIZE_T"] = "UINT64_MAX"
}

FNR == 1 {
  end()
  depth = 0
  begin(macro_of[KIND])
}

KIND == "fields" && /^ +unsigned long int [a-z0-9_]+;/ {
  sub(/;.*/, "", $4)
  if ($4 ~ /^xsave_state_/ || $4 ~ /^tlsdesc_/) next
  once("FIELD", $4)
}
# "long int" is a type of 2.26.
KIND == "fields" && /^ +long int [a-z0-9_]+;/ {
  sub(/;.*/, "", $3)
  once("FIELD", $3)
}

KIND == "features" && /^#[ \t]*define[ \t]+index_cpu_[A-Za-z0-9_]+/ {
  sub(/.*index_cpu_/, "")
  sub(/[^A-Za-z0-9_].*/, "")
  if ($0 !~ /^INDEX_/) once("FEATURE", $0)
}

KIND == "flags" && /^BIT \([A-Za-z0-9_]+\)/ {
  gsub(/BIT \(|\).*/, "")
  once("FLAG", $0)
}
KIND == "flags" && /^#[ \t]*define[ \t]+index_arch_[A-Za-z0-9_]+/ {
  sub(/.*index_arch_/, "")
  sub(/[^A-Za-z0-9_].*/, "")
  once("FLAG", $0)
}

KIND == "variables" && /^(long )?int __x86_[a-z_]+ attribute_hidden/ {
  sub(/^(long )?int /, "")
  sub(/ .*/, "")
  if ($0 !~ /_half$|_raw_|_prefetchw$/) once("VARIABLE", $0)
}

KIND == "tunables" {
  sub(/#.*/, "")
  if ($0 ~ /^[ \t]*$/) next
  if ($2 == "{") {
    ++depth
    if (depth == 2) namespace = $1
    if (depth == 3) {
      name = $1
      type = "STRING"
      min = max = value = ""
    }
  } else if ($1 == "}") {
    if (depth == 3 && (namespace == "cpu" || namespace == "tune")) {
      printf "TUNABLE (%s, %s, %s, %s, %s)\n", name, type,
             first(min, lowest[type]), first(max, highest[type]),
             first(type == "STRING" ? "" : value, "0")
    }
    --depth
  } else if (depth == 3) {
    split($0, pair, ":")
    gsub(/[ \t]/, "", pair[1])
    gsub(/[ \t]/, "", pair[2])
    if (pair[1] == "type") type = pair[2]
    if (pair[1] == "minval") min = pair[2]
    if (pair[1] == "maxval") max = pair[2]
    if (pair[1] == "default") value = pair[2]
  } else {
    printf "#error %s:%d: a tunable outside of a name space\n", FILENAME, FNR
  }
}

END { end() }
