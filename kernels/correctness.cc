#include "kernels/correctness.h"

#include <signal.h>
#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "kernels/fault_guard.h"
#include "kernels/guarded_buffer.h"
#include "kernels/parameter_sets.h"

namespace kernels {
namespace {

// Bytes past which alignments are sampled.
constexpr size_t kAllPairs = 1024;
// Bytes beside the destination that must stay as they are.
constexpr size_t kMargin = 64;
// A page: source and destination that differ by a multiple look alike to the
// memory pipeline, and to the code from 2.34 on.
constexpr size_t kPage = 4096;
// A buffer's first half is read and its second half written.
constexpr size_t kHalf = 512 << 10;
constexpr size_t kWritten = kHalf + kMargin;
constexpr size_t kLargest = kHalf / 2 + 65536;
constexpr char kCanary = '\xa5';

constexpr size_t kSampledAlignments[] = {0, 1, 15, 16, 31, 32, 33, 63};
constexpr int kSetValues[] = {0, 0x5a, 0x1ff, -1};

class Checker {
 public:
  explicit Checker(const Variant& variant)
      : variant_(variant),
        vector_size_(VectorOf(variant)),
        low_(2 * kHalf),
        high_(2 * kHalf),
        arena_(2 * kHalf),
        content_(2 * kHalf) {
    FillWithUniqueWindows(content_.data(), content_.size());
  }

  CheckOutcome Run();

 private:
  // All return false at the first failure, which is then in failure_.
  bool CheckSet(const std::vector<size_t>& sizes);
  bool CheckAlignments(const std::vector<size_t>& sizes);
  bool CheckAliases(const std::vector<size_t>& sizes);
  bool CheckGuards(const std::vector<size_t>& sizes);
  bool CheckOverlaps(const std::vector<size_t>& sizes);
  bool CheckFills(const std::vector<size_t>& sizes);

  // One call each.
  bool Copy(char* to, const char* from, size_t size, const GuardedBuffer& into);
  bool Overlap(char* to, const char* from, size_t size);
  bool Fill(char* to, int value, size_t size);

  bool CheckReturn(const void* result);
  bool CheckBytes(const char* found, const char* expected, size_t size,
                  absl::string_view where);
  bool CheckCanary(const char* begin, const char* end, absl::string_view where);
  bool Fail(absl::string_view what);
  std::string DescribeCall() const;

  // Between low_ and high_, the offsets counted from kWritten and from 0.
  bool CheckBothWays(size_t to, size_t from, size_t size);
  // That nothing was written where calls only read.
  bool CheckSources();

  void FillBuffers();

  const Variant& variant_;
  const size_t vector_size_;
  // `low_` stands below `high_` in memory, or the other way round.
  GuardedBuffer low_;
  GuardedBuffer high_;
  GuardedBuffer arena_;
  std::vector<char> content_;

  absl::string_view set_name_;
  // The call in progress.
  const char* phase_ = "";
  const char* to_ = nullptr;
  const char* from_ = nullptr;
  size_t size_ = 0;
  int value_ = 0;

  int64_t calls_ = 0;
  std::string failure_;
};

std::string Checker::DescribeCall() const {
  std::string call = absl::StrFormat(
      "%s, %s, %s: size %d, destination mod 4096 = %d", variant_.name,
      set_name_, phase_, size_, reinterpret_cast<uintptr_t>(to_) % kPage);
  if (variant_.function == Function::kMemset) {
    return absl::StrCat(call, ", value ", value_);
  }
  return absl::StrCat(
      call, ", source mod 4096 = ", reinterpret_cast<uintptr_t>(from_) % kPage,
      ", destination - source = ",
      reinterpret_cast<intptr_t>(to_) - reinterpret_cast<intptr_t>(from_));
}

bool Checker::Fail(absl::string_view what) {
  failure_ = absl::StrCat(DescribeCall(), ": ", what);
  return false;
}

bool Checker::CheckReturn(const void* result) {
  const bool ahead = variant_.function == Function::kMempcpy;
  const char* expected = to_ + (ahead ? size_ : 0);
  constexpr uint64_t kDirection = 1 << 10;
  if ((__readeflags() & kDirection) != 0) {
    asm volatile("cld");
    return Fail("the direction flag is left set");
  }
  if (result == expected) return true;
  return Fail(absl::StrCat("returned the destination plus ",
                           static_cast<const char*>(result) - to_,
                           ", expected plus ", expected - to_));
}

bool Checker::CheckBytes(const char* found, const char* expected, size_t size,
                         absl::string_view where) {
  if (std::memcmp(found, expected, size) == 0) return true;
  size_t i = 0;
  while (found[i] == expected[i]) ++i;
  return Fail(absl::StrFormat("byte %d %s is 0x%02x, expected 0x%02x", i, where,
                              static_cast<unsigned char>(found[i]),
                              static_cast<unsigned char>(expected[i])));
}

bool Checker::CheckCanary(const char* begin, const char* end,
                          absl::string_view where) {
  static const std::string& canary = *new std::string(kMargin, kCanary);
  return CheckBytes(begin, canary.data(), end - begin, where);
}

bool Checker::Copy(char* to, const char* from, size_t size,
                   const GuardedBuffer& into) {
  char* const begin = std::max(into.begin(), to - kMargin);
  char* const end = std::min(into.end(), to + size + kMargin);
  std::memset(begin, kCanary, end - begin);
  to_ = to;
  from_ = from;
  size_ = size;
  ++calls_;
  return CheckReturn(variant_.Copy(to, from, size)) &&
         CheckBytes(to, from, size, "of the destination") &&
         CheckCanary(begin, to, "of the 64 before the destination") &&
         CheckCanary(to + size, end, "after the destination");
}

bool Checker::Overlap(char* to, const char* from, size_t size) {
  const char* const low = std::min<const char*>(to, from);
  const char* const high = std::max<const char*>(to, from) + size;
  char* const begin =
      std::max(arena_.begin(), const_cast<char*>(low) - kMargin);
  char* const end = std::min(arena_.end(), const_cast<char*>(high) + kMargin);
  const char* const content = content_.data();
  std::memcpy(begin, content + (begin - arena_.begin()), end - begin);
  to_ = to;
  from_ = from;
  size_ = size;
  ++calls_;
  return CheckReturn(variant_.Copy(to, from, size)) &&
         CheckBytes(to, content + (from - arena_.begin()), size,
                    "of the destination") &&
         CheckBytes(begin, content + (begin - arena_.begin()), to - begin,
                    "of what stands before the destination") &&
         CheckBytes(to + size, content + (to + size - arena_.begin()),
                    end - (to + size), "after the destination");
}

bool Checker::Fill(char* to, int value, size_t size) {
  char* const begin = std::max(high_.begin(), to - kMargin);
  char* const end = std::min(high_.end(), to + size + kMargin);
  std::memset(begin, kCanary, end - begin);
  to_ = to;
  size_ = size;
  value_ = value;
  ++calls_;
  if (!CheckReturn(variant_.Set(to, value, size))) return false;
  // low_ holds what is expected.
  if (low_.begin()[0] != static_cast<char>(value)) {
    std::memset(low_.begin(), value, low_.size());
  }
  return CheckBytes(to, low_.begin(), size, "of the destination") &&
         CheckCanary(begin, to, "of the 64 before the destination") &&
         CheckCanary(to + size, end, "after the destination");
}

bool Checker::CheckSources() {
  // The calls before this one are suspects too: margins hide nothing else.
  phase_ = "up to this call";
  return CheckBytes(low_.begin(), content_.data(), kHalf, "of the source") &&
         CheckBytes(high_.begin(), content_.data(), kHalf, "of the source");
}

void Checker::FillBuffers() {
  std::memcpy(low_.begin(), content_.data(), low_.size());
  std::memcpy(high_.begin(), content_.data(), high_.size());
  std::memcpy(arena_.begin(), content_.data(), arena_.size());
}

bool Checker::CheckBothWays(size_t to, size_t from, size_t size) {
  // Above eight vectors the code goes by which operand is lower.
  return Copy(high_.begin() + kWritten + to, low_.begin() + from, size,
              high_) &&
         (size <= 4 * vector_size_ ||
          Copy(low_.begin() + kWritten + to, high_.begin() + from, size, low_));
}

bool Checker::CheckAlignments(const std::vector<size_t>& sizes) {
  phase_ = "alignments";
  FillBuffers();
  for (size_t size : sizes) {
    if (size <= kAllPairs) {
      for (size_t to = 0; to < 64; ++to) {
        for (size_t from = 0; from < 64; ++from) {
          if (!CheckBothWays(to, from, size)) return false;
        }
      }
      continue;
    }
    for (size_t to : kSampledAlignments) {
      for (size_t from : kSampledAlignments) {
        if (!CheckBothWays(to, from, size)) return false;
      }
    }
  }
  return CheckSources();
}

bool Checker::CheckAliases(const std::vector<size_t>& sizes) {
  phase_ = "4 KiB aliases";
  FillBuffers();
  constexpr size_t kDistances[] = {0,   1,   63,  64,  127, 128,  255,  256,
                                   257, 511, 512, 513, 576, 1024, 4032, 4095};
  for (size_t size : sizes) {
    if (size <= 4 * vector_size_) continue;
    for (size_t distance : kDistances) {
      if (!CheckBothWays(distance, 0, size) ||
          !CheckBothWays(0, distance, size)) {
        return false;
      }
    }
  }
  return CheckSources();
}

bool Checker::CheckGuards(const std::vector<size_t>& sizes) {
  phase_ = "guard pages";
  FillBuffers();
  for (size_t size : sizes) {
    char* const to[] = {high_.begin(), high_.end() - size};
    const char* const from[] = {low_.begin(), low_.end() - size};
    const size_t step = size <= kAllPairs ? 1 : 21;
    for (int side = 0; side < 2; ++side) {
      for (size_t offset = 0; offset < 64; offset += step) {
        if (!Copy(high_.begin() + kWritten + offset, from[side], size, high_) ||
            !Copy(to[side], low_.begin() + kWritten + offset, size, high_)) {
          return false;
        }
      }
      for (int other = 0; other < 2; ++other) {
        if (!Copy(to[side], from[other], size, high_)) return false;
      }
    }
  }
  return true;
}

bool Checker::CheckOverlaps(const std::vector<size_t>& sizes) {
  phase_ = "overlap";
  FillBuffers();
  const ptrdiff_t two_vectors = 2 * vector_size_;
  constexpr size_t kFew[] = {0, 1, 33};
  for (size_t size : sizes) {
    std::vector<ptrdiff_t> distances;
    for (ptrdiff_t d = 0; d <= two_vectors; ++d) distances.push_back(d);
    const ptrdiff_t signed_size = size;
    for (ptrdiff_t d :
         {ptrdiff_t{191}, ptrdiff_t{192}, ptrdiff_t{255}, ptrdiff_t{256},
          ptrdiff_t{257}, ptrdiff_t{511}, ptrdiff_t{512}, ptrdiff_t{1000},
          ptrdiff_t{4032}, ptrdiff_t{4095}, ptrdiff_t{4096}, ptrdiff_t{4160},
          signed_size / 2, signed_size - 64, signed_size - 1, signed_size,
          signed_size + 1}) {
      if (d > two_vectors) distances.push_back(d);
    }
    const absl::Span<const size_t> alignments =
        size <= kAllPairs ? absl::MakeConstSpan(kSampledAlignments)
                          : absl::MakeConstSpan(kFew);
    char* const middle = arena_.begin() + arena_.size() / 4;
    for (size_t alignment : alignments) {
      char* const to = middle + alignment;
      for (ptrdiff_t distance : distances) {
        if (!Overlap(to, to + distance, size) ||
            !Overlap(to + distance, to, size)) {
          return false;
        }
      }
    }
  }
  return true;
}

bool Checker::CheckFills(const std::vector<size_t>& sizes) {
  for (int value : kSetValues) {
    for (size_t size : sizes) {
      phase_ = "alignments";
      for (size_t to = 0; to < 64; ++to) {
        if (!Fill(high_.begin() + kMargin + to, value, size)) return false;
      }
      phase_ = "guard pages";
      if (!Fill(high_.begin(), value, size) ||
          !Fill(high_.end() - size, value, size)) {
        return false;
      }
    }
  }
  return true;
}

bool Checker::CheckSet(const std::vector<size_t>& sizes) {
  if (variant_.function == Function::kMemset) return CheckFills(sizes);
  return CheckAlignments(sizes) && CheckAliases(sizes) && CheckGuards(sizes) &&
         (variant_.function != Function::kMemmove || CheckOverlaps(sizes));
}

std::string DescribeFault(const Fault& fault) {
  return absl::StrFormat("%s at address 0x%x", strsignal(fault.signal),
                         fault.address);
}

CheckOutcome Checker::Run() {
  CheckOutcome outcome;
  const KernelParameters before = variant_.tree->parameters();
  for (const ParameterSet& set : ParameterSets(variant_)) {
    const std::vector<size_t> sizes =
        SizesToCheck(variant_, set.parameters, kLargest);
    variant_.tree->SetParameters(set.parameters);
    set_name_ = set.name;
    outcome.parameter_sets.push_back(set.name);
    const std::optional<Fault> fault = RunGuarded([&] { CheckSet(sizes); });
    if (fault.has_value()) Fail(DescribeFault(*fault));
    if (!failure_.empty()) break;
  }
  variant_.tree->SetParameters(before);
  outcome.calls = calls_;
  if (!failure_.empty()) outcome.failure = failure_;
  return outcome;
}

}  // namespace

CheckOutcome CheckVariant(const Variant& variant) {
  return Checker(variant).Run();
}

}  // namespace kernels
