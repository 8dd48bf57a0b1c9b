"""THE list of memmove, memcpy, mempcpy and memset variants.

A variant that a tree has and this list lacks fails //kernels:registry_test; a
row that no tree has is harmless, since the list spans all releases from 2.26.
wmemset, bzero and the _chk entries are other doors to the same code and are
left out.
"""

# Source files in sysdeps/x86_64/multiarch that hold the variants, without .S.
SOURCES = [
    "memcpy-ssse3",  # until 2.35
    "memcpy-ssse3-back",  # until 2.35
    "memmove-avx-unaligned-erms",
    "memmove-avx-unaligned-erms-rtm",  # from 2.34
    "memmove-avx512-no-vzeroupper",
    "memmove-avx512-unaligned-erms",
    "memmove-erms",  # from 2.36; in the sse2 file before
    "memmove-evex-unaligned-erms",  # from 2.34
    "memmove-sse2-unaligned-erms",
    "memmove-ssse3",
    "memmove-ssse3-back",  # until 2.35
    "memset-avx2-unaligned-erms",
    "memset-avx2-unaligned-erms-rtm",  # from 2.34
    "memset-avx512-no-vzeroupper",
    "memset-avx512-unaligned-erms",
    "memset-erms",  # from 2.36; in the sse2 file before
    "memset-evex-unaligned-erms",  # from 2.34
    "memset-sse2-unaligned-erms",
]

_NT = "shared_non_temporal_threshold"
_MOVSB = ["rep_movsb_threshold", "rep_movsb_stop_threshold", "string_control"]
_STOSB = ["rep_stosb_threshold", "memset_non_temporal_threshold"]
_DATA = ["data_cache_size", "data_cache_size_half"]
_SHARED = "shared_cache_size_half"

_EVEX_SET = ["AVX512VL", "AVX512BW", "BMI2"]

# Rows of one technique.
#   technique   end of the symbols, after "__memmove_" or "__memset_"
#   vector      bytes of a vector register; 0 without vectors
#   erms        has a rep movsb or rep stosb zone
#   features    what its instructions need beyond the x86-64 baseline, in
#               glibc's names. Source: sysdeps/x86_64/multiarch/
#               ifunc-impl-list.c, the condition beside each variant (AVX512VL
#               implies AVX512F in that file)
#   thresholds  variables it reads in at least one release, without "__x86_";
#               a tree's own are found in its object files
_COPY_ROWS = [
    # (technique, vector, erms, features, thresholds)
    ("avx512_no_vzeroupper", 64, False, ["AVX512F"], [_SHARED]),
    ("avx512_unaligned", 64, False, ["AVX512VL"], [_NT]),
    ("avx512_unaligned_erms", 64, True, ["AVX512VL"], [_NT] + _MOVSB),
    ("avx_unaligned", 32, False, ["AVX"], [_NT]),
    ("avx_unaligned_erms", 32, True, ["AVX"], [_NT] + _MOVSB),
    ("avx_unaligned_erms_rtm", 32, True, ["AVX", "RTM"], [_NT] + _MOVSB),
    ("avx_unaligned_rtm", 32, False, ["AVX", "RTM"], [_NT]),
    ("erms", 0, True, [], []),
    ("evex_unaligned", 32, False, ["AVX512VL"], [_NT]),
    ("evex_unaligned_erms", 32, True, ["AVX512VL"], [_NT] + _MOVSB),
    ("sse2_unaligned", 16, False, [], [_NT]),
    ("sse2_unaligned_erms", 16, True, [], [_NT] + _MOVSB),
    ("ssse3", 16, False, ["SSSE3"], _DATA + [_NT, _SHARED]),
    ("ssse3_back", 16, False, ["SSSE3"], _DATA + [_SHARED]),
]

_SET_ROWS = [
    # (technique, vector, erms, features, thresholds)
    ("avx2_erms", 0, True, ["AVX"], []),  # until 2.35; has vzeroupper
    ("avx2_erms_rtm", 0, True, ["AVX2", "RTM"], []),  # 2.34, 2.35
    ("avx2_unaligned", 32, False, ["AVX2"], []),
    ("avx2_unaligned_erms", 32, True, ["AVX2"], _STOSB),
    ("avx2_unaligned_erms_rtm", 32, True, ["AVX2", "RTM"], _STOSB),
    ("avx2_unaligned_rtm", 32, False, ["AVX2", "RTM"], []),
    ("avx512_erms", 0, True, ["AVX"], []),  # until 2.35; as avx2_erms
    ("avx512_no_vzeroupper", 64, False, ["AVX512F"], [_SHARED]),
    ("avx512_unaligned", 64, False, _EVEX_SET, []),
    ("avx512_unaligned_erms", 64, True, _EVEX_SET, _STOSB),
    ("erms", 0, True, [], []),
    ("evex_erms", 0, True, [], []),  # 2.34, 2.35
    ("evex_unaligned", 32, False, _EVEX_SET, []),
    ("evex_unaligned_erms", 32, True, _EVEX_SET, _STOSB),
    ("sse2_unaligned", 16, False, [], []),
    ("sse2_unaligned_erms", 16, True, [], _STOSB),
]

# Our own code in kernels/ports, by its whole name.
_PORT_ROWS = [
    # (symbol, vector, erms, features, thresholds)
    ("port_memmove_avx_unaligned", 32, False, ["AVX"], [_NT]),
    ("port_memmove_sse2_unaligned", 16, False, [], [_NT]),
]

def _variant(symbol, function, row):
    return struct(
        symbol = symbol,
        function = function,
        vector_size = row[1],
        erms = row[2],
        features = row[3],
        thresholds = row[4],
    )

VARIANTS = [
    _variant("__%s_%s" % (function, row[0]), function, row)
    for function in ["memmove", "memcpy", "mempcpy"]
    for row in _COPY_ROWS
] + [
    _variant("__memset_" + row[0], "memset", row)
    for row in _SET_ROWS
] + [
    _variant(row[0], "memmove", row)
    for row in _PORT_ROWS
]
