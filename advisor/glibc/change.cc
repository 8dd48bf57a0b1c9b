#include "advisor/glibc/change.h"

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {
namespace {

// {release of the stable branch, date of the commit there, commit}
constexpr Backport kRangeCheckFromTypeBackports[] = {
    {26, "2017-10-23", "77eea8950c"},
};
constexpr Backport kXsavecUsableNameBackports[] = {
    {26, "2017-10-22", "f82a6fc223"},
};
constexpr Backport kMempcpyEndsBackports[] = {
    {26, "2018-05-24", "6b4362f2cb"},
    {27, "2018-05-24", "f51c836768"},
};
constexpr Backport kHaswellFlagsBackports[] = {
    {26, "2018-11-02", "dc40423dba"},
    {27, "2018-11-02", "d8eee5ef55"},
    {28, "2018-11-02", "65010329f2"},
};
constexpr Backport kNonTemporalPerThreadBackports[] = {
    {31, "2020-10-30", "8d730cb25a"},
    {32, "2020-10-28", "e61a8fd8fa"},
};
constexpr Backport kAmdCcxShareBackports[] = {
    {31, "2020-10-30", "48cf525f4b"},
    {32, "2020-10-30", "8813b2682e"},
};
constexpr Backport kShortDistanceTestBackports[] = {
    {28, "2021-01-12", "56fbd0ba21"}, {29, "2021-01-12", "8493ba72b1"},
    {30, "2021-01-12", "369b47aaf7"}, {31, "2021-01-12", "8b7be87aa2"},
    {32, "2021-01-12", "1a24bbd43e"},
};
constexpr Backport kRepMovsbStopBackports[] = {
    {33, "2022-05-02", "374d54d0a0"},
};
constexpr Backport kTunableRecordBackports[] = {
    {33, "2021-02-10", "15afd6b8d8"},
};
constexpr Backport kListDiagnosticsBackports[] = {
    {33, "2021-03-02", "33dc1dd602"},
};
constexpr Backport kRtmAvoidsVzeroupperBackports[] = {
    {28, "2022-01-27", "b2e59f87ae"}, {29, "2022-01-27", "be07b3e059"},
    {30, "2022-01-27", "293a787c88"}, {31, "2022-01-27", "2d612b2c5f"},
    {32, "2022-01-27", "3bb13e9149"}, {33, "2022-01-27", "f0a2b67147"},
};
constexpr Backport kEvexMemmoveBackports[] = {
    {28, "2022-01-27", "5141ddbe3a"}, {29, "2022-01-27", "2f4a98ab17"},
    {30, "2022-01-27", "8ebaa0fb1e"}, {31, "2022-01-27", "cf239ddd2e"},
    {32, "2022-01-27", "0b5c3ed5e3"}, {33, "2022-01-27", "1697e739ef"},
};
constexpr Backport kEvexMemsetBackports[] = {
    {28, "2022-01-27", "c7289e2bfd"}, {29, "2022-01-27", "9650d04fb6"},
    {30, "2022-01-27", "373f43fd0c"}, {31, "2022-01-27", "f00fad4e4c"},
    {32, "2022-01-27", "04e991f22e"}, {33, "2022-01-27", "47bf9f38bb"},
};
constexpr Backport kRtmVariantsBackports[] = {
    {28, "2022-01-27", "5f59aaddc9"}, {29, "2022-01-27", "5be8a84721"},
    {30, "2022-01-27", "51bf3df138"}, {31, "2022-01-27", "fbaa99ed41"},
    {32, "2022-01-27", "2a7cef79d5"}, {33, "2022-01-27", "0598a25cbe"},
};
constexpr Backport kParserLooksAgainBackports[] = {
    {28, "2021-04-14", "83d6f50313"}, {29, "2021-04-14", "2c9083f93d"},
    {30, "2021-04-14", "7341e72bc2"}, {31, "2021-04-14", "8e88c0d888"},
    {32, "2021-04-14", "0e49f103ad"}, {33, "2021-04-14", "1bf38e7260"},
};
constexpr Backport kPagedLargeCopyBackports[] = {
    {33, "2022-05-02", "e2afbc1ed8"},
};
constexpr Backport kMemsetNeedsBmi2Backports[] = {
    {33, "2022-05-02", "d130da85f3"},
};
constexpr Backport kFsrm2112Backports[] = {
    {33, "2022-05-02", "6d74f1b712"},
};
constexpr Backport kRtmAlwaysAbortBackports[] = {
    {28, "2022-02-01", "277331ee21"}, {29, "2022-02-01", "7aac95739a"},
    {30, "2022-02-01", "071e2bdd85"}, {31, "2022-02-01", "5b99f172b8"},
    {32, "2022-02-01", "77317b3b0d"}, {33, "2022-02-01", "0a5f5e2dc1"},
};
constexpr Backport kAvoidShortDistanceBackports[] = {
    {33, "2022-05-02", "0834ee7398"},
};
constexpr Backport kNoPreferAvx2StrcmpBackports[] = {
    {33, "2022-05-02", "ce78592170"},
    {34, "2022-04-26", "a182bb7a39"},
};
constexpr Backport kMovsbStopEntersLargeCopyBackports[] = {
    {33, "2022-05-02", "5d56ee94f2"},
    {34, "2022-04-26", "a7392db2ff"},
};
constexpr Backport kDoubledMovsbBackports[] = {
    {33, "2022-05-02", "d0fac98a30"},
    {34, "2022-04-26", "cecbac5212"},
};
constexpr Backport kAvxVnniAllowsAvx512Backports[] = {
    {33, "2022-05-02", "63fd074112"},
    {34, "2022-04-26", "f3a99b2216"},
};
constexpr Backport kKeepDefaultSizesBackports[] = {
    {33, "2022-01-17", "a51b76b71e"},
    {34, "2022-01-17", "1d401d1fcc"},
};
constexpr Backport kTsxListBackports[] = {
    {28, "2022-02-01", "5219747d67"}, {29, "2022-02-01", "5d94c86a47"},
    {30, "2022-02-01", "76e30dd44e"}, {31, "2022-02-01", "5db3239baf"},
    {32, "2022-02-01", "b1fcaf14fe"}, {33, "2022-02-01", "54fdfa2b33"},
    {34, "2022-02-01", "b952c25dc7"},
};
constexpr Backport kStopAfterTunablesBackports[] = {
    {33, "2022-07-18", "20bfbb3a57"},
    {34, "2022-07-18", "6e008c884d"},
    {35, "2022-07-18", "7f7a728b71"},
};
constexpr Backport kNonTemporalRecordBoundsBackports[] = {
    {33, "2022-07-18", "2416fd15b9"},
    {34, "2022-07-18", "94b0dc9419"},
    {35, "2022-07-18", "863987a6ef"},
};
constexpr Backport kLargeCopyChecksNonTemporalBackports[] = {
    {33, "2022-07-18", "4e7f3b34a4"},
    {34, "2022-07-18", "ba1c3f23d9"},
    {35, "2022-07-18", "ce32ad91eb"},
};
constexpr Backport kNonTemporalClampBackports[] = {
    {34, "2023-04-20", "89c017de2f"},
    {35, "2023-04-20", "b7cc55a24e"},
    {36, "2023-03-15", "f3991fec80"},
};
constexpr Backport kNonTemporalOfTotalBackports[] = {
    {28, "2023-09-11", "ba37e6a4d1"}, {29, "2023-09-11", "d4386d345e"},
    {30, "2023-09-11", "e8132392cd"}, {31, "2023-09-11", "9e5693b446"},
    {32, "2023-09-11", "b462b80b08"}, {33, "2023-09-11", "5e2d2d7cbd"},
    {34, "2023-09-05", "c8c0aac68f"}, {35, "2023-09-05", "d1b1da26ea"},
    {36, "2023-09-05", "2e74c90167"}, {37, "2023-08-28", "1caf955269"},
};
constexpr Backport kAmdLegacyFallbackBackports[] = {
    {37, "2023-09-26", "9d5c6e27ed"},
    {38, "2023-08-06", "ced101ed9d"},
};
constexpr Backport kPerThreadOnAllPathsBackports[] = {
    {28, "2023-09-11", "29f401e05d"}, {29, "2023-09-11", "bb7c57219d"},
    {30, "2023-09-11", "86418cbed3"}, {31, "2023-09-11", "9f27ef8090"},
    {32, "2023-09-11", "077f1f78bb"}, {33, "2023-09-11", "1a200935e1"},
    {34, "2023-09-05", "7a6b1f06e7"}, {35, "2023-09-05", "561e9dadc0"},
    {36, "2023-09-05", "eb8bf044bd"}, {37, "2023-08-28", "f94ff95e93"},
    {38, "2023-08-12", "5ea70cc026"},
};
constexpr Backport kLeaf2LowByteBackports[] = {
    {34, "2025-01-11", "e13bf07e4e"}, {35, "2025-01-10", "543efedcb3"},
    {36, "2025-01-10", "f1c33665e5"}, {37, "2025-01-09", "ec7c01efee"},
    {38, "2025-01-09", "58822f954f"},
};
constexpr Backport kParserEndsBackports[] = {
    {34, "2023-10-02", "dcc367f148"}, {35, "2023-10-02", "c84018a05a"},
    {36, "2023-10-02", "22955ad851"}, {37, "2023-10-02", "b4e23c75ae"},
    {38, "2023-10-02", "750a45a783"},
};
constexpr Backport kShstkSettableBackports[] = {
    {38, "2025-08-19", "5f6e2a06f6"},
};
constexpr Backport kAmdMovsbIsNonTemporalBackports[] = {
    {39, "2024-04-04", "aa4249266e"},
};
constexpr Backport kAmdStosbMaxBackports[] = {
    {39, "2024-04-04", "6484a92698"},
};
constexpr Backport kTlsdescStateSizeBackports[] = {
    {38, "2025-08-19", "6f076f1366"},
    {39, "2024-04-01", "853e915fdd"},
};
constexpr Backport kNonTemporalMemsetBackports[] = {
    {37, "2025-01-09", "7e84df6892"},
    {38, "2025-01-09", "04b8d48432"},
    {39, "2025-01-08", "61daaa7639"},
};
constexpr Backport kMemsetNonTemporalThresholdBackports[] = {
    {39, "2025-04-14", "0da58e8be0"},
};
constexpr Backport kMemsetNonTemporalAmdBackports[] = {
    {39, "2025-04-14", "cc59fa5dbc"},
};
constexpr Backport kAvoidNonTemporalMemsetBackports[] = {
    {39, "2025-04-14", "bde201e92c"},
};
constexpr Backport kAvoidNonTemporalMemsetDefaultBackports[] = {
    {39, "2025-04-14", "65ae73be01"},
    {40, "2025-04-12", "8fe27af20c"},
};
constexpr Backport kWideMovsbBackports[] = {
    {34, "2024-12-17", "1b1f940938"}, {35, "2024-12-17", "d626c31ce5"},
    {36, "2024-12-17", "fbcde5ea46"}, {37, "2024-12-17", "71fca07505"},
    {38, "2024-12-17", "cf06772360"}, {39, "2024-12-17", "2c8a7f14fa"},
    {40, "2024-12-17", "94e4a8c7d6"},
};
constexpr Backport kTlsdescOwnStateSizeBackports[] = {
    {38, "2025-08-20", "5cb05015c9"},
    {39, "2025-03-29", "87ab0c7f7f"},
    {40, "2025-03-29", "df22af58f6"},
    {41, "2025-03-29", "80cd656649"},
};
constexpr Backport kArrowLakeBackports[] = {
    {39, "2025-04-14", "7620d98186"},
    {40, "2025-04-12", "44f92df800"},
    {41, "2025-04-12", "aca31d2712"},
};
constexpr Backport kUnknownIntelDefaultBackports[] = {
    {39, "2025-04-14", "e09436c2cb"},
    {40, "2025-04-12", "9ee8083c4e"},
    {41, "2025-04-12", "a53e764657"},
};
constexpr Backport kDiamondRapidsBackports[] = {
    {39, "2025-04-14", "3463100f2d"},
    {40, "2025-04-12", "d8a1a1aef7"},
    {41, "2025-04-12", "046b33800c"},
};
constexpr Backport kWildcatLakeBackports[] = {
    {39, "2025-10-08", "835b1e3379"},
    {40, "2025-10-08", "43ea89efc0"},
    {41, "2025-10-08", "4b1f8c90f9"},
    {42, "2025-10-08", "bf48b17a28"},
};
constexpr Backport kNovaLakeBackports[] = {
    {39, "2025-10-08", "58cbbd43fe"},
    {40, "2025-10-08", "c4458286b3"},
    {41, "2025-10-08", "7c0632472d"},
    {42, "2025-10-08", "ab8c1b5d62"},
};

// {change, commit on the main line, its date, first release, effect,
//  stable branches that took it}
constexpr ChangeRow kChanges[] = {
    {Change::kRangeCheckFromType, "cebcb9f864d4", "2017-09-27", 27,
     "A tunable with a minimum and no maximum can be set; bounds "
     "come from the type.",
     kRangeCheckFromTypeBackports},
    {Change::kIbtShstkNames,
     "73322d5ff6ad",
     "2017-08-14",
     27,
     "Mask accepts -IBT and -SHSTK.",
     {}},
    {Change::kMathVecPreferNoAvx512Name,
     "ef8adeb04163",
     "2017-09-12",
     27,
     "Mask accepts MathVec_Prefer_No_AVX512.",
     {}},
    {Change::kXsavecUsableName, "b52b0d793dcb", "2017-10-20", 27,
     "Mask accepts -XSAVEC_Usable, no longer "
     "Use_dl_runtime_resolve_slow.",
     kXsavecUsableNameBackports},
    {Change::kPreferFsrm,
     "e28e9b1ec40d",
     "2018-05-21",
     28,
     "Prefer_FSRM (mask only) selects the erms memmove.",
     {}},
    {Change::kMempcpyEnds, "9aaaab7c6e41", "2018-05-23", 28,
     "Bug 23196: mempcpy of avx512_no_vzeroupper ends with its destination.",
     kMempcpyEndsBackports},
    {Change::kAvxFastUnalignedLoadAnyVendor,
     "bce5911b6739",
     "2018-07-06",
     28,
     "AVX_Fast_Unaligned_Load for every vendor with usable AVX2, not"
     " for AMD family 0x15 models 0x60-0x7f.",
     {}},
    {Change::kCetTunables,
     "f753fa7dea33",
     "2018-07-16",
     28,
     "Tunables x86_ibt and x86_shstk.",
     {}},
    {Change::kCpuNamespace,
     "dce452dc5278",
     "2018-08-02",
     29,
     "glibc.tune.* became glibc.cpu.*.",
     {}},
    {Change::kHaswellFlags, "c3d8dc45c9df", "2018-10-23", 29,
     "Bug 23709: Haswell gets Fast_Unaligned_Copy and its like "
     "again.",
     kHaswellFlagsBackports},
    {Change::kHygonAsAmd,
     "ade8b817fead",
     "2018-12-13",
     29,
     "HygonGenuine is treated as AMD; before, as an unknown vendor.",
     {}},
    {Change::kZhaoxin,
     "32ac0b988466",
     "2020-04-30",
     32,
     "CentaurHauls and Shanghai are known, sizes from leaf 4; "
     "before, an unknown vendor.",
     {}},
    {Change::kAtomTable,
     "76d5b2f002a1",
     "2020-05-21",
     32,
     "Goldmont Plus, Airmont 0x75 and Tremont in the table of flags.",
     {}},
    {Change::kRepThresholdTunables,
     "3f4b61a0b8de",
     "2020-07-06",
     32,
     "rep_movsb_threshold and rep_stosb_threshold are variables with"
     " tunables; before, constants.",
     {}},
    {Change::kUsableBits,
     "107e6a3c2212",
     "2020-07-13",
     32,
     "Selectors and the mask use one usable bit per feature; names "
     "with _Usable are gone.",
     {}},
    {Change::kNonTemporalPerThread, "d3c57027470b", "2020-09-28", 33,
     "non_temporal_threshold is 3/4 of one thread's share, no longer"
     " times threads.",
     kNonTemporalPerThreadBackports},
    {Change::kAmdCcxShare, "59803e81f96b", "2020-10-28", 33,
     "AMD family 0x17 and later: the L3 share of one CCX, from "
     "0x8000001D.",
     kAmdCcxShareBackports},
    {Change::kNoMovsbListDefault,
     "2ee7711bdd7d",
     "2020-12-14",
     33,
     "Bug 27061: x86_rep_movsb_threshold has no list default, so the"
     " default by vector size acts.",
     {}},
    {Change::kShortDistanceTest, "3ec5d83d2a23", "2021-01-04", 33,
     "Bug 27130: no rep movsb when source and destination are 1 to "
     "63 bytes apart.",
     kShortDistanceTestBackports},
    {Change::kCacheInfoInLoader,
     "2d651eb9265d",
     "2021-01-14",
     33,
     "Sizes and thresholds are computed in ld.so, before the hwcaps "
     "mask.",
     {}},
    {Change::kListTunables,
     "86f65dffc239",
     "2021-01-15",
     33,
     "ld.so --list-tunables.",
     {}},
    {Change::kRepMovsbStop, "6e02b3e9327b", "2021-02-02", 34,
     "rep_movsb_stop_threshold: the L2 size on AMD, "
     "non_temporal_threshold elsewhere.",
     kRepMovsbStopBackports},
    {Change::kTunableRecord, "61117bfa1b08", "2021-02-10", 34,
     "A record takes value and bounds together or not at all.",
     kTunableRecordBackports},
    {Change::kListDiagnostics, "851f32cf7bf7", "2021-03-02", 34,
     "ld.so --list-diagnostics.", kListDiagnosticsBackports},
    {Change::kXsaveDependents,
     "27f74636752d",
     "2021-03-29",
     34,
     "Bug 27605: without OSXSAVE, or XSAVE and XSAVEC, AVX and "
     "AVX512 bits are cleared; mask accepts -XSAVE.",
     {}},
    {Change::kRtmAvoidsVzeroupper, "1da50d4bda07", "2021-03-29", 34,
     "Intel with RTM: Prefer_No_VZEROUPPER; mask accepts "
     "Prefer_AVX2_STRCMP.",
     kRtmAvoidsVzeroupperBackports},
    {Change::kEvexMemmove, "63ad43566f7a", "2021-03-29", 34,
     "memmove variants evex_*, selected by AVX512VL.", kEvexMemmoveBackports},
    {Change::kEvexMemset, "1b968b6b9b3a", "2021-03-29", 34,
     "memset variants evex_*, selected by AVX512VL and AVX512BW.",
     kEvexMemsetBackports},
    {Change::kRtmVariants, "7ebba91361ba", "2021-03-29", 34,
     "Variants *_rtm, selected by RTM.", kRtmVariantsBackports},
    {Change::kParserLooksAgain, "2ed18c5b534d", "2021-04-12", 34,
     "GLIBC_TUNABLES: the last value is read once more as name=value"
     " (CVE-2023-4911).",
     kParserLooksAgainBackports},
    {Change::kPagedLargeCopy, "1a8605b6cd25", "2021-04-16", 34,
     "Non-temporal copies go by 2 or 4 pages; a threshold below "
     "0x4040 corrupts memory.",
     kPagedLargeCopyBackports},
    {Change::kMemsetNeedsBmi2, "f53790272ce7", "2021-04-19", 34,
     "memset variants evex_* and avx512_* also need BMI2.",
     kMemsetNeedsBmi2Backports},
    {Change::kFsrm2112, "cf2c57526ba4", "2021-05-03", 34,
     "rep_movsb_threshold is 2112 with FSRM.", kFsrm2112Backports},
    {Change::kRtmAlwaysAbort, "ea8e465a6b8d", "2021-07-01", 34,
     "Bug 28033: RTM is not usable with RTM_ALWAYS_ABORT.",
     kRtmAlwaysAbortBackports},
    {Change::kAvoidShortDistance, "91cc803d27bd", "2021-07-28", 34,
     "Avoid_Short_Distance_REP_MOVSB on Intel with FSRM; the test of"
     " distances only there.",
     kAvoidShortDistanceBackports},
    {Change::kNoPreferAvx2Strcmp, "14dbbf46a007", "2021-11-01", 35,
     "Prefer_AVX2_STRCMP is gone.", kNoPreferAvx2StrcmpBackports},
    {Change::kMovsbStopEntersLargeCopy, "a6b7502ec0c2", "2021-11-06", 35,
     "memmove: sizes from rep_movsb_stop_threshold enter the non-"
     "temporal copy in erms variants.",
     kMovsbStopEntersLargeCopyBackports},
    {Change::kDoubledMovsb, "475b63702ef3", "2021-11-06", 35,
     "rep_movsb_threshold is 8192 for 32-byte and 16384 for 64-byte "
     "vectors.",
     kDoubledMovsbBackports},
    {Change::kAvxVnniAllowsAvx512, "ceeffe968c01", "2021-12-06", 35,
     "Intel with AVX_VNNI: no Prefer_No_AVX512.",
     kAvxVnniAllowsAvx512Backports},
    {Change::kNoPreferMap32BitName,
     "ea5814467a02",
     "2021-12-10",
     35,
     "Mask no longer accepts Prefer_MAP_32BIT_EXEC.",
     {}},
    {Change::kKeepDefaultSizes, "c242fcce06e3", "2022-01-17", 35,
     "Bug 28784: 32 KiB and 1 MiB stay where the sizes are unknown.",
     kKeepDefaultSizesBackports},
    {Change::kTsxList, "1e000d3d3321", "2022-01-18", 35,
     "Bug 27398: RTM is off on more Intel models.", kTsxListBackports},
    {Change::kNoSsse3Back,
     "d85916e30a90",
     "2022-04-14",
     36,
     "memmove variant ssse3_back is gone.",
     {}},
    {Change::kStopAfterTunables, "035591551400", "2022-06-14", 36,
     "rep_movsb_stop_threshold follows x86_non_temporal_threshold.",
     kStopAfterTunablesBackports},
    {Change::kNonTemporalRecordBounds, "b446822b6ae4", "2022-06-15", 36,
     "x86_non_temporal_threshold is listed with bounds 0x4040 and "
     "SIZE_MAX>>4; values outside still act.",
     kNonTemporalRecordBoundsBackports},
    {Change::kLargeCopyChecksNonTemporal, "89a25c6f6474", "2022-06-15", 36,
     "memmove: the non-temporal copy compares with "
     "non_temporal_threshold again.",
     kLargeCopyChecksNonTemporalBackports},
    {Change::kSsse3BeforeSse2,
     "b6a02c360655",
     "2022-07-05",
     36,
     "memmove selection tests SSSE3 before ERMS.",
     {}},
    {Change::kNonTemporalClamp, "48b74865c638", "2023-01-03", 37,
     "Bug 29953: the threshold is clamped to 0x4040 and SIZE_MAX>>4;"
     " a tunable outside is refused.",
     kNonTemporalClampBackports},
    {Change::kAmdLeaf8000001d,
     "103a469dc775",
     "2023-01-18",
     37,
     "AMD sizes come from 0x8000001D only.",
     {}},
    {Change::kPreferMap32BitTunable,
     "317f1c0a8a71",
     "2023-02-22",
     38,
     "Tunable prefer_map_32bit_exec.",
     {}},
    {Change::kMaskEndsAtNul,
     "4c721f24fc19",
     "2023-03-07",
     38,
     "Bug 30183: the mask parser stops at the end of its value.",
     {}},
    {Change::kNonTemporal64MiB,
     "ed2f9dc9420c",
     "2023-05-27",
     38,
     "Bug 30429: a threshold below 0x4040 becomes 64 MiB.",
     {}},
    {Change::kNonTemporalOfTotal, "af992e7abdc9", "2023-06-12", 38,
     "The threshold is a fraction of the total cache, at least 3/4 "
     "of one thread's share, which it is without ERMS.",
     kNonTemporalOfTotalBackports},
    {Change::kMicroarchTable,
     "f193ea20eddc",
     "2023-06-12",
     38,
     "Intel models are looked up as micro-architectures; Slow_BSF on"
     " Saltwell.",
     {}},
    {Change::kNonTemporalDivisor,
     "180897c161a1",
     "2023-06-12",
     38,
     "The fraction of the total is 1/2, 1/4 or 1/8 by micro-"
     "architecture; unsigned division.",
     {}},
    {Change::kAmdLegacyFallback, "dcad5c857813", "2023-08-06", 39,
     "AMD sizes from 0x80000005 and 0x80000006 where 0x8000001D is "
     "empty.",
     kAmdLegacyFallbackBackports},
    {Change::kPerThreadOnAllPaths, "084fb31bc2c5", "2023-08-11", 39,
     "Bug 30745: one thread's share is divided whenever the threads "
     "are known.",
     kPerThreadOnAllPathsBackports},
    {Change::kLeaf2LowByte, "1493622f4f90", "2023-08-29", 39,
     "Bug 30643: leaf 2 counts only if its low byte is 1; else leaf "
     "4.",
     kLeaf2LowByteBackports},
    {Change::kParserEnds, "1056e5b4c3f2", "2023-10-02", 39,
     "GLIBC_TUNABLES: the parser stops after the last item "
     "(CVE-2023-4911 fixed).",
     kParserEndsBackports},
    {Change::kSecureIgnoresTunables,
     "9c96c87d60ea",
     "2023-11-21",
     39,
     "AT_SECURE programs ignore all tunables.",
     {}},
    {Change::kIllFormedRejected,
     "680c597e9c36",
     "2023-11-21",
     39,
     "GLIBC_TUNABLES: an ill-formed string is rejected whole, with a"
     " warning.",
     {}},
    {Change::kMaskItemsByLength,
     "4862d546c04b",
     "2023-11-21",
     39,
     "Mask names must match by length and bytes.",
     {}},
    {Change::kWholeNumber,
     "f94446c38fb3",
     "2023-12-19",
     39,
     "A value that is not a whole number is ignored, with a warning.",
     {}},
    {Change::kShstkSettable, "541641a3de8d", "2024-01-01", 39,
     "Mask can set SHSTK.", kShstkSettableBackports},
    {Change::kPltRewrite,
     "848746e88ec2",
     "2024-01-05",
     39,
     "Tunable plt_rewrite.",
     {}},
    {Change::kAmdMovsbIsNonTemporal, "0c0d39fe4aeb", "2024-02-13", 40,
     "Bug 30994: AMD rep_movsb_threshold is the computed "
     "non_temporal_threshold; the stop threshold is "
     "non_temporal_threshold for all.",
     kAmdMovsbIsNonTemporalBackports},
    {Change::kAmdStosbMax, "272708884cb7", "2024-02-13", 40,
     "AMD rep_stosb_threshold is SIZE_MAX unless the tunable is set.",
     kAmdStosbMaxBackports},
    {Change::kTlsdescStateSize, "9b7091415af4", "2024-02-29", 40,
     "TLS descriptors overwrite the XSAVE size that a mask without XSAVEC "
     "falls back to: such a program crashes.",
     kTlsdescStateSizeBackports},
    {Change::kEnableSecureTunable,
     "71648e800426",
     "2024-02-29",
     40,
     "Tunable glibc.rtld.enable_secure.",
     {}},
    // The 2.39 branch has a commit of this title (71149c2a2e) that still keeps
    // every occurrence.
    {Change::kLastDuplicate,
     "bcae44ea8536",
     "2024-05-07",
     40,
     "Bug 31686: of a repeated tunable only the last occurrence is "
     "looked at.",
     {}},
    {Change::kNonTemporalMemset, "5bf0ab80573d", "2024-05-30", 40,
     "memset uses non-temporal stores in erms variants.",
     kNonTemporalMemsetBackports},
    {Change::kMemsetNonTemporalThreshold, "46b5e98ef6f1", "2024-05-30", 40,
     "memset_non_temporal_threshold and its tunable; Intel only.",
     kMemsetNonTemporalThresholdBackports},
    {Change::kMemsetNonTemporalAmd, "bef2a827a55f", "2024-06-10", 40,
     "memset_non_temporal_threshold also on AMD.",
     kMemsetNonTemporalAmdBackports},
    {Change::kSortedListing,
     "8859607eaa06",
     "2024-06-12",
     40,
     "Bug 30027: --list-tunables sorts by name.",
     {}},
    {Change::kNoHwcapMask,
     "ad0aa1f54975",
     "2024-06-18",
     40,
     "Tunable hwcap_mask is gone.",
     {}},
    {Change::kZhaoxinKh40000,
     "44d757eb9f44",
     "2024-06-30",
     40,
     "Flags of Zhaoxin 7/0x5b and 7/0x6b; 1/2 as the fraction of "
     "7/0x5b.",
     {}},
    {Change::kSsse3NonTemporal,
     "c19457aec67d",
     "2024-06-30",
     40,
     "memmove variant ssse3 uses non_temporal_threshold.",
     {}},
    {Change::kZhaoxinNonTemporal,
     "9dc645cb569a",
     "2024-06-30",
     40,
     "Zhaoxin without ERMS keeps the fraction of the total.",
     {}},
    {Change::kAvoidNonTemporalMemset, "5bcf6265f215", "2024-07-16", 40,
     "Avoid_Non_Temporal_Memset on Skylake-SP and Cannon Lake; mask "
     "accepts it.",
     kAvoidNonTemporalMemsetBackports},
    {Change::kAvoidNonTemporalMemsetDefault, "b93dddfaf440", "2024-08-15", 41,
     "Avoid_Non_Temporal_Memset unless Intel or AMD.",
     kAvoidNonTemporalMemsetDefaultBackports},
    {Change::kAvoidStosb,
     "f446d90fe660",
     "2024-08-15",
     41,
     "Avoid_STOSB without ERMS: rep_stosb_threshold is "
     "memset_non_temporal_threshold; memset takes erms variants for "
     "their non-temporal stores.",
     {}},
    {Change::kHygonKind,
     "6b08116b2dea",
     "2024-08-26",
     41,
     "Hygon is a vendor of its own: sizes from 0x8000001D, non-"
     "temporal memset.",
     {}},
    {Change::kWideMovsb, "61c3450db96d", "2024-12-17", 41,
     "Bug 32470: rep_movsb_threshold is no longer cut to 32 bits.",
     kWideMovsbBackports},
    {Change::kTlsdescOwnStateSize, "145097dff170", "2025-03-29", 42,
     "Bug 32810: TLS descriptors have a size of their own.",
     kTlsdescOwnStateSizeBackports},
    {Change::kArrowLake, "e53eb952b970", "2025-04-10", 42,
     "Intel models 0xb5, 0xc5, 0xcc, 0xdd.", kArrowLakeBackports},
    {Change::kUnknownIntelDefault, "9f0deff558d1", "2025-04-11", 42,
     "Intel families other than 6 get the default flags.",
     kUnknownIntelDefaultBackports},
    {Change::kDiamondRapids, "de14f1959ee5", "2025-04-12", 42,
     "Intel family 0x13 model 1.", kDiamondRapidsBackports},
    {Change::kWildcatLake, "f8dd52901b72", "2025-10-07", 43,
     "Intel model 0xd5.", kWildcatLakeBackports},
    {Change::kNovaLake, "a114e29ddd53", "2025-10-07", 43,
     "Intel family 0x12 models 1 and 3.", kNovaLakeBackports},
};

}  // namespace

absl::Span<const ChangeRow> AllChanges() { return kChanges; }

}  // namespace advisor
