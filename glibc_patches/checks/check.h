// Correctness checks for variants of memmove, memcpy, mempcpy and memset: what
// a patch to glibc's memory functions must not break.
//
// A check is one file here and one row of AllChecks(). It runs in a child
// process (runner.h): whatever the tested code does to the child (crash, hang,
// wild write, jump into nowhere) is a finding, never the end of the run.

#ifndef GLIBC_PATCHES_CHECKS_CHECK_H_
#define GLIBC_PATCHES_CHECKS_CHECK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/variant.h"

namespace glibc_patches {

// How many calls a check makes. Quick: all checks of one variant within about
// 10 s of a busy machine. Thorough: every pair of alignments, sizes past 4 GiB
// at more places.
enum class Effort { kQuick, kNormal, kThorough };

struct CheckContext {
  const kernels::Variant& variant;
  Effort effort = Effort::kNormal;
  // Of the random sizes and alignments; equal seeds make equal calls.
  uint64_t seed = 1;
  // Must the entry begin with endbr64? nullopt: when most entries of the
  // variant's tree do.
  std::optional<bool> expects_endbr64 = std::nullopt;
  // content and guard_pages make one call in so many of those that the effort
  // asks for: for code that was checked under another name already.
  int one_in = 1;
  // The same function of another tree: what fails in it too is not found.
  const kernels::Variant* base = nullptr;

  // Of the base, on its own.
  CheckContext ForBase() const {
    return {*base, effort, seed, expects_endbr64, one_in};
  }
};

// A call that shows a finding, and all that it depends on.
struct ReproducingCall {
  // "patched: __memmove_evex_unaligned_erms"
  std::string variant;
  kernels::Function function;
  uint64_t size;  // bytes
  // Modulo 4096.
  uint64_t destination_offset;
  uint64_t source_offset;
  // Destination minus source, bytes: below the size in magnitude they overlap.
  int64_t distance;
  // memset's value; else nullopt.
  std::optional<int> value;
  // "at the start of a page after an inaccessible one", ...; may be empty.
  std::string placement;
  // The tree's thresholds at that call; only those that the variant reads.
  kernels::KernelParameters parameters;

  // "size 100, destination mod 4096 = 17, ..., rep_movsb_threshold 256": one
  // line without the variant.
  std::string Describe() const;
};

struct CheckFinding {
  // The check's id.
  std::string id;
  // One sentence, no full stop: "byte 57 of the destination is 0x12, expected
  // 0x34".
  std::string what;
  // The smallest call that shows it; nullopt when it stands in the code itself
  // (then `what` gives the offset) or when the child died outside a call.
  std::optional<ReproducingCall> call;
};

// Of the basic blocks that a variant's entry can lead to.
struct BlockCoverage {
  int executed = 0;
  int total = 0;
  // Of the blocks that no call reached: bytes from the variant's entry (code
  // that variants of one file share may stand before it).
  std::vector<int64_t> never_executed;
};

enum class CheckStatus { kPassed, kFailed, kSkipped };

struct CheckResult {
  std::string id;
  // "glibc: __memmove_evex_unaligned_erms"
  std::string variant;
  CheckStatus status = CheckStatus::kSkipped;
  // Why it was skipped ("needs AVX512VL"); else empty.
  std::string reason;
  // Calls of the variant that were made and judged.
  int64_t calls = 0;
  // Calls, and places in the code, that are wrong in CheckContext::base too.
  int64_t wrong_in_base = 0;
  // Empty unless failed.
  std::vector<CheckFinding> findings;
  // What a reader may want to know: "61 of 70 blocks executed".
  std::vector<std::string> notes;
  std::optional<BlockCoverage> coverage;
  double seconds = 0;  // wall clock
};

class CheckSession;
struct PlacedCall;

struct CheckRow {
  // "content": in reports, and what a finding is filed under.
  absl::string_view id;
  absl::string_view description;
  // Why the check says nothing about this variant; nullopt: it does.
  std::optional<std::string> (*skip_reason)(const CheckContext& context);
  // Runs in the child; what it finds and notes goes to the session.
  void (*run)(const CheckContext& context, CheckSession& session);
  // Makes one call and says what is wrong with it; nullptr when the check makes
  // none. The runner shrinks a finding with it.
  std::optional<std::string> (*attempt)(const CheckContext& context,
                                        const PlacedCall& call);
  // CPU time after which one call counts as a hang.
  int hang_seconds;
};

// Sorted by id.
absl::Span<const CheckRow> AllChecks();

// nullptr for an id that there is not.
const CheckRow* FindCheck(absl::string_view id);

// "glibc: __memmove_evex_unaligned_erms"
std::string VariantLabel(const kernels::Variant& variant);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_CHECK_H_
