#include "glibc_patches/thresholds/fault.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "advisor/cpu/cpuid_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace glibc_patches {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;

// A healthy answer for a CPU without any feature; `more` comes first and wins.
std::vector<Fault> FaultsWith(const std::string& more,
                              const std::string& release = "2.36") {
  const ProbeRun run{
      ProbeEnd::kAnswered, "",
      absl::StrCat(more,
                   "__x86_shared_non_temporal_threshold 786432\n"
                   "__x86_rep_movsb_threshold 2048\n"
                   "__x86_rep_movsb_stop_threshold 786432\n"
                   "__x86_rep_stosb_threshold 2048\n"
                   "__x86_data_cache_size 32768\n"
                   "__x86_shared_cache_size 1048576\n"
                   "variant.memmove __memmove_sse2_unaligned_erms\n"
                   "variant.memset __memset_sse2_unaligned_erms\n")};
  return FaultsOf(run, advisor::CpuidTable(), release);
}

auto Kinds(FaultKind kind) { return ElementsAre(Field(&Fault::kind, kind)); }

TEST(FaultTest, EachFloorAndTheValueThatIsJustEnough) {
  EXPECT_THAT(FaultsWith(""), IsEmpty());
  const std::string vectors = "variant.memmove __memmove_sse2_unaligned\n";
  EXPECT_THAT(
      FaultsWith(vectors + "__x86_shared_non_temporal_threshold 16446\n"),
      Kinds(FaultKind::kPagedCopyCorrupts));
  EXPECT_THAT(
      FaultsWith(vectors + "__x86_shared_non_temporal_threshold 16448\n"),
      IsEmpty());
  // Sizes from 2049 on are rep movsb's.
  EXPECT_THAT(FaultsWith("__x86_shared_non_temporal_threshold 2047\n"),
              Kinds(FaultKind::kPagedCopyCorrupts));
  EXPECT_THAT(FaultsWith("__x86_shared_non_temporal_threshold 2048\n"),
              IsEmpty());
  EXPECT_THAT(
      FaultsWith("__x86_shared_non_temporal_threshold 1152921504606846976\n"),
      Kinds(FaultKind::kNonTemporalTooHigh));
  EXPECT_THAT(
      FaultsWith("__x86_shared_non_temporal_threshold 1152921504606846975\n"),
      IsEmpty());
  EXPECT_THAT(FaultsWith("__x86_rep_movsb_threshold 128\n"),
              Kinds(FaultKind::kRepMovsbTooLow));
  EXPECT_THAT(FaultsWith("__x86_rep_movsb_threshold 129\n"), IsEmpty());
  EXPECT_THAT(FaultsWith("__x86_rep_stosb_threshold 0\n"),
              Kinds(FaultKind::kRepStosbTooLow));
  EXPECT_THAT(FaultsWith("__x86_rep_stosb_threshold 1\n"), IsEmpty());
  EXPECT_THAT(FaultsWith("__x86_memset_non_temporal_threshold 16447\n"),
              Kinds(FaultKind::kMemsetNonTemporalTooLow));
  EXPECT_THAT(FaultsWith("__x86_memset_non_temporal_threshold 16448\n"),
              IsEmpty());
  EXPECT_THAT(FaultsWith("__x86_data_cache_size 18446744073709551360\n"),
              Kinds(FaultKind::kCacheSizeNotPositive));
}

// 2.35 enters the paged copy at the stop threshold, whatever the other one is.
TEST(FaultTest, TheFloorIsTheReleases) {
  const std::string stop = "__x86_rep_movsb_stop_threshold 4096\n";
  EXPECT_THAT(FaultsWith(stop, "2.35"), Kinds(FaultKind::kPagedCopyCorrupts));
  EXPECT_THAT(FaultsWith(stop, "2.36"), IsEmpty());
  const std::string zero = "__x86_shared_non_temporal_threshold 0\n";
  EXPECT_THAT(FaultsWith(zero, "2.31"), Kinds(FaultKind::kNonTemporalTooLow));
  EXPECT_THAT(FaultsWith(zero, "2.99"), Kinds(FaultKind::kPagedCopyCorrupts));
}

TEST(FaultTest, AVariantNeedsItsFeatures) {
  EXPECT_THAT(FaultsWith("variant.memset __memset_avx2_unaligned\n"),
              Kinds(FaultKind::kFeatureMissing));
  EXPECT_THAT(FaultsWith("variant.mempcpy_chk __mempcpy_chk_avx_unaligned\n"),
              Kinds(FaultKind::kFeatureMissing));
}

TEST(FaultTest, AnEndIsAFault) {
  const advisor::CpuidTable cpu;
  EXPECT_THAT(FaultsOf({ProbeEnd::kCrashed, "SIGFPE", ""}, cpu, "2.36"),
              Kinds(FaultKind::kCrash));
  EXPECT_THAT(FaultsOf({ProbeEnd::kHung, "does not end", ""}, cpu, "2.36"),
              Kinds(FaultKind::kHang));
  EXPECT_THAT(FaultsOf({ProbeEnd::kNotRun, "", ""}, cpu, "2.36"), IsEmpty());
}

}  // namespace
}  // namespace glibc_patches
