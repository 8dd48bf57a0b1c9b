#include "glibc_patches/history_table.h"

namespace glibc_patches {
namespace {

constexpr HistoryEvidence kCheck = HistoryEvidence::kCheck;
constexpr HistoryEvidence kSpeed = HistoryEvidence::kSpeed;
constexpr HistoryEvidence kThresholds = HistoryEvidence::kThresholds;
constexpr HistoryEvidence kValues = HistoryEvidence::kValues;
constexpr HistoryEvidence kNone = HistoryEvidence::kNone;

constexpr absl::string_view kX32 =
    "needs pointers of 32 bits (x32): in 64 bits the code does the same";

// Source: the commits' messages and changes.
constexpr HistoryFix kFixes[] = {
    // (commit, date, fault, evidence, where, variant, limit)
    {"ea2785e96fa503f3a2b5dd9f3a6ca65622b3c5f2", "2016-04-03",
     "__memmove_erms stands between a _chk entry and its function, so that "
     "__memmove_chk runs into it",
     kCheck, "chk_entries", "__memmove_sse2_unaligned_erms", ""},
    {"02b78ff749f0c88771713368dbb2a09b1979814f", "2017-01-30",
     "memset leaves upper halves in use (bug 21081)", kCheck, "upper_halves",
     "__memset_avx2_unaligned_erms", ""},
    {"9aaaab7c6e4176e61c59b0a63c6ba906d875dc0e", "2018-05-22",
     "mempcpy writes past its end (bug 23196)", kCheck, "content",
     "__mempcpy_avx512_no_vzeroupper", ""},
    {"231c56760c1e2ded21ad96bbb860b1f08c556c7a", "2019-01-21",
     "the upper half of a 32-bit length is not ignored (bug 24097)", kNone, "",
     "", kX32},
    {"3ec5d83d2a237d39e7fd6ef7a0bc8ac4c171a4a5", "2020-01-25",
     "rep movsb at a short distance is slow (bug 27130)", kSpeed,
     "short-distance", "__memmove_avx_unaligned_erms", ""},
    {"55c7bcc71b84123d5d4bd2814366a6b05fcf8ebd", "2020-05-09",
     "a 32-bit threshold is compared as 64 bits (bug 25966)", kNone, "", "",
     kX32},
    {"d3c57027470b78dba79c6d931e4e409b1fecfc80", "2020-09-28",
     "the non-temporal threshold counts the threads twice", kThresholds,
     "non_temporal_threshold", "", ""},
    {"7ebba91361badf7531d4e75050627a88d424872f", "2021-03-05",
     "vzeroupper of AVX variants ends transactions (bug 27457)", kNone, "", "",
     "the parent's variants are right by what they promise; the fix adds "
     "others and selects them"},
    {"91cc803d27bda34919717b496b53cf279e44a922", "2021-07-22",
     "short distances are avoided where rep movsb is fast", kSpeed,
     "short-distance", "__memmove_avx_unaligned_erms", "FSRM"},
    {"c242fcce06e3102ca663b2f992611d0bda4f2668", "2022-01-17",
     "without cache information sizes are 0 (bug 28784)", kThresholds,
     "shared_cache_size", "", ""},
    {"1b0c60f95bbe2eded80b2bb5be75c0e45b11cde1", "2022-02-07",
     "the SSE2 memset uses SSSE3", kCheck, "instruction_set",
     "__memset_sse2_unaligned_erms", ""},
    {"8ea20ee5f6145de4bff9481d3e09ac36ba9df8f3", "2022-04-22",
     "the upper half of a 32-bit length is not ignored in memmove-ssse3", kNone,
     "", "", kX32},
    {"035591551400cfc810b07244a015c9411e8bff7c", "2022-06-14",
     "rep_movsb_stop_threshold ignores x86_non_temporal_threshold", kValues,
     "rep_movsb_stop_threshold", "", ""},
    {"89a25c6f64746732b87eaf433af0964b564d4a92", "2022-06-15",
     "large copies begin below the non-temporal threshold", kCheck, "content",
     "__memmove_evex_unaligned_erms", ""},
    {"48b74865c63840b288bd85b4d8743533b73b339b", "2023-01-03",
     "non_temporal_threshold is not held to its bounds (bug 29953)",
     kThresholds, "non_temporal_threshold", "", ""},
    {"ed2f9dc9420c4c61436328778a70459d0a35556a", "2023-05-08",
     "without cache information every large copy is non-temporal (bug 30429)",
     kValues, "non_temporal_threshold", "", ""},
    {"dcad5c8578130dec7f35fd5b0885304b59f9f543", "2023-08-01",
     "old AMD processors have no cache sizes", kValues, "shared_cache_size", "",
     ""},
    {"61c3450db96dce96ad2b24b4f0b548e6a46d68e5", "2024-12-17",
     "rep_movsb_threshold is cut to 32 bits, as with an L3 of 1 TiB "
     "(bug 32470)",
     kValues, "rep_movsb_threshold", "", ""},
};

}  // namespace

absl::Span<const HistoryFix> HistoryFixes() { return kFixes; }

}  // namespace glibc_patches
