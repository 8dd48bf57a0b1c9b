#include "glibc_patches/checks/check.h"

#include "glibc_patches/checks/checks.h"

namespace glibc_patches {
namespace {

std::optional<std::string> Always(const CheckContext&) { return std::nullopt; }

// One row a check; check.h has the columns.
constexpr CheckRow kChecks[] = {
    {"accesses", "single-stepped, no byte outside the operands is touched",
     Always, RunAccessesCheck, AttemptAccesses, 10},
    {"chk_entries", "the _chk entry rejects sizes past the object",
     SkipChkEntries, RunChkEntriesCheck, AttemptChkEntries, 2},
    {"content", "destination, source and surroundings hold what they must",
     Always, RunContentCheck, AttemptContent, 2},
    {"coverage", "which basic blocks the calls reach (a figure)", Always,
     RunCoverageCheck, AttemptCoverage, 2},
    {"endbr64", "the entry begins with endbr64 in a build with CET",
     SkipEndbr64, RunEndbr64Check, nullptr, 2},
    {"guard_pages", "no access to inaccessible pages beside the operands",
     Always, RunGuardPagesCheck, AttemptGuardPages, 2},
    {"huge_sizes", "lengths past 2 GiB and 4 GiB", Always, RunHugeSizesCheck,
     AttemptHugeSizes, 60},
    {"instruction_set", "no instruction beyond the variant's features", Always,
     RunInstructionSetCheck, nullptr, 10},
    {"registers", "registers, flags and modes that belong to the caller",
     Always, RunRegistersCheck, AttemptRegisters, 2},
    {"return_value", "the destination, or the byte after it", Always,
     RunReturnValueCheck, AttemptReturnValue, 2},
    {"store_fence", "an sfence after non-temporal stores", Always,
     RunStoreFenceCheck, nullptr, 10},
    {"thresholds", "rep movsb, rep stosb and non-temporal stores by threshold",
     SkipThresholds, RunThresholdsCheck, AttemptThresholds, 2},
    {"transaction", "no vzeroupper inside a transaction (_rtm variants)",
     SkipTransaction, RunTransactionCheck, AttemptTransaction, 2},
    {"upper_halves", "upper halves of vector registers clean on return",
     SkipUpperHalves, RunUpperHalvesCheck, AttemptUpperHalves, 2},
    {"wide_entries", "wmemset, which enters memset's code", SkipWideEntries,
     RunWideEntriesCheck, AttemptWideEntries, 2},
    {"zero_length", "size 0 follows no pointer", Always, RunZeroLengthCheck,
     AttemptZeroLength, 2},
};

}  // namespace

absl::Span<const CheckRow> AllChecks() { return kChecks; }

const CheckRow* FindCheck(absl::string_view id) {
  for (const CheckRow& row : AllChecks()) {
    if (row.id == id) return &row;
  }
  return nullptr;
}

}  // namespace glibc_patches
