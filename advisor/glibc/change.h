// The changes of behaviour in glibc's x86-64 memory functions, their cache and
// threshold code, their tunables: one dated row each. A glibc build is a set of
// these; code asks GlibcBuild::Has, and never compares releases.
//
// Source of every row: glibc's git history, releases as tagged and the stable
// branches as of 2026-01-20.

#ifndef ADVISOR_GLIBC_CHANGE_H_
#define ADVISOR_GLIBC_CHANGE_H_

#include <cstddef>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

// In the order of the main line. "Names" are hwcaps mask names.
enum class Change {
  kRangeCheckFromType,
  kIbtShstkNames,
  kMathVecPreferNoAvx512Name,
  kXsavecUsableName,
  kPreferFsrm,
  kMempcpyEnds,
  kAvxFastUnalignedLoadAnyVendor,
  kCetTunables,
  kCpuNamespace,
  kHaswellFlags,
  kHygonAsAmd,
  kZhaoxin,
  kAtomTable,
  kRepThresholdTunables,
  kUsableBits,
  kNonTemporalPerThread,
  kAmdCcxShare,
  kNoMovsbListDefault,
  kShortDistanceTest,
  kCacheInfoInLoader,
  kListTunables,
  kRepMovsbStop,
  kTunableRecord,
  kListDiagnostics,
  kXsaveDependents,
  kRtmAvoidsVzeroupper,
  kEvexMemmove,
  kEvexMemset,
  kRtmVariants,
  kParserLooksAgain,
  kPagedLargeCopy,
  kMemsetNeedsBmi2,
  kFsrm2112,
  kRtmAlwaysAbort,
  kAvoidShortDistance,
  kNoPreferAvx2Strcmp,
  kMovsbStopEntersLargeCopy,
  kDoubledMovsb,
  kAvxVnniAllowsAvx512,
  kNoPreferMap32BitName,
  kKeepDefaultSizes,
  kTsxList,
  kNoSsse3Back,
  kStopAfterTunables,
  kNonTemporalRecordBounds,
  kLargeCopyChecksNonTemporal,
  kSsse3BeforeSse2,
  kNonTemporalClamp,
  kAmdLeaf8000001d,
  kPreferMap32BitTunable,
  kMaskEndsAtNul,
  kNonTemporal64MiB,
  kNonTemporalOfTotal,
  kMicroarchTable,
  kNonTemporalDivisor,
  kAmdLegacyFallback,
  kPerThreadOnAllPaths,
  kLeaf2LowByte,
  kParserEnds,
  kSecureIgnoresTunables,
  kIllFormedRejected,
  kMaskItemsByLength,
  kWholeNumber,
  kShstkSettable,
  kPltRewrite,
  kAmdMovsbIsNonTemporal,
  kAmdStosbMax,
  kTlsdescStateSize,
  kEnableSecureTunable,
  kLastDuplicate,
  kNonTemporalMemset,
  kMemsetNonTemporalThreshold,
  kMemsetNonTemporalAmd,
  kSortedListing,
  kNoHwcapMask,
  kZhaoxinKh40000,
  kSsse3NonTemporal,
  kZhaoxinNonTemporal,
  kAvoidNonTemporalMemset,
  kAvoidNonTemporalMemsetDefault,
  kAvoidStosb,
  kHygonKind,
  kWideMovsb,
  kTlsdescOwnStateSize,
  kArrowLake,
  kUnknownIntelDefault,
  kDiamondRapids,
  kWildcatLake,
  kNovaLake,
};

inline constexpr size_t kChangeCount =
    static_cast<size_t>(Change::kNovaLake) + 1;

// One stable branch that took the change.
struct Backport {
  int release;  // The NN of release/2.NN/master.
  absl::string_view date;
  absl::string_view commit;
};

struct ChangeRow {
  Change change;
  absl::string_view commit;  // Main line.
  absl::string_view date;    // YYYY-MM-DD.
  // The NN of the first 2.NN with it; of what is in the repository since the
  // last release, the NN of the next.
  int first_release;
  absl::string_view effect;
  absl::Span<const Backport> backports;  // Sorted by release.
};

// One row for each Change, in the order of the enumeration.
absl::Span<const ChangeRow> AllChanges();

}  // namespace advisor

#endif  // ADVISOR_GLIBC_CHANGE_H_
