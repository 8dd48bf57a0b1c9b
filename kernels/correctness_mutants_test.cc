// The suite must fail on what is wrong, however rarely it is wrong.

#include <x86intrin.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/correctness.h"
#include "kernels/fault_guard.h"
#include "kernels/guarded_buffer.h"
#include "kernels/parameter_sets.h"

namespace kernels {
namespace {

using ::testing::HasSubstr;

class FakeTree : public Tree {
 public:
  absl::string_view name() const override { return "fake"; }
  absl::string_view release() const override { return "2.36"; }
  absl::string_view revision() const override { return ""; }
  void SetParameters(const KernelParameters& parameters) const override {
    parameters_ = parameters;
  }
  KernelParameters parameters() const override { return parameters_; }

 private:
  mutable KernelParameters parameters_;
};

const FakeTree& Fake() {
  static const auto& tree = *new FakeTree;
  return tree;
}

Variant MakeVariant(Function function, void* address) {
  static constexpr absl::string_view kThresholds[] = {
      "shared_non_temporal_threshold"};
  Variant variant = {};
  variant.name = "mutant";
  variant.function = function;
  variant.tree = &Fake();
  variant.address = address;
  variant.vector_size = 16;
  variant.thresholds = kThresholds;
  return variant;
}

using CopyFunction = void* (*)(void*, const void*, size_t);
using SetFunction = void* (*)(void*, int, size_t);

std::string FailureOf(CopyFunction copy,
                      Function function = Function::kMemmove) {
  return CheckVariant(MakeVariant(function, reinterpret_cast<void*>(copy)))
      .failure.value_or("none");
}

std::string FailureOf(SetFunction set) {
  return CheckVariant(
             MakeVariant(Function::kMemset, reinterpret_cast<void*>(set)))
      .failure.value_or("none");
}

char* Bytes(void* to) { return static_cast<char*>(to); }
volatile char sink;

TEST(HonestTest, Memmove) {
  EXPECT_EQ(FailureOf([](void* to, const void* from, size_t size) {
              return std::memmove(to, from, size);
            }),
            "none");
}

TEST(HonestTest, Mempcpy) {
  EXPECT_EQ(FailureOf(
                [](void* to, const void* from, size_t size) -> void* {
                  return Bytes(std::memcpy(to, from, size)) + size;
                },
                Function::kMempcpy),
            "none");
}

TEST(HonestTest, Memset) {
  EXPECT_EQ(FailureOf([](void* to, int value, size_t size) {
              return std::memset(to, value, size);
            }),
            "none");
}

TEST(MutantTest, OneByteWrong) {
  const std::string failure =
      FailureOf([](void* to, const void* from, size_t size) {
        std::memmove(to, from, size);
        if (size == 100) Bytes(to)[57] ^= 1;
        return to;
      });
  EXPECT_THAT(failure, HasSubstr("size 100,"));
  EXPECT_THAT(failure, HasSubstr("byte 57 of the destination"));
}

TEST(MutantTest, WrongSourceOffsetAtOneAlignment) {
  const std::string failure =
      FailureOf([](void* to, const void* from, size_t size) {
        const bool wrong = size == 130 &&
                           reinterpret_cast<uintptr_t>(to) % 64 == 17 &&
                           reinterpret_cast<uintptr_t>(from) % 64 == 3;
        return std::memmove(to, static_cast<const char*>(from) + wrong, size);
      });
  EXPECT_THAT(failure, HasSubstr("size 130, destination mod 4096 = 81, "
                                 "source mod 4096 = 3"));
}

TEST(MutantTest, OneByteShortAboveTheThreshold) {
  const std::string failure =
      FailureOf([](void* to, const void* from, size_t size) {
        const uint64_t threshold =
            Fake().parameters().non_temporal_threshold.value_or(0);
        std::memmove(to, from, size - (size > threshold + 64));
        return to;
      });
  EXPECT_THAT(failure, HasSubstr("non-temporal"));
  EXPECT_THAT(failure, HasSubstr("size 16513,"));
}

TEST(MutantTest, WritesPastTheEnd) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                std::memmove(to, from, size);
                if (size == 77) Bytes(to)[77] = 'x';
                return to;
              }),
              HasSubstr("byte 0 after the destination is 0x78"));
}

TEST(MutantTest, WritesBeforeTheStart) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                std::memmove(to, from, size);
                if (size == 64) Bytes(to)[-1] = 'x';
                return to;
              }),
              HasSubstr("byte 63 of the 64 before the destination"));
}

TEST(MutantTest, WritesToTheSource) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                std::memmove(to, from, size);
                if (size == 101) {
                  static_cast<char*>(const_cast<void*>(from))[2000] = 'x';
                }
                return to;
              }),
              HasSubstr("of the source is 0x78"));
}

// Small moves must not be checked against a source that is all alike.
TEST(MutantTest, WrongSourceOffsetAtEverySmallSize) {
  for (size_t wrong = 8; wrong <= 32; ++wrong) {
    static size_t size_of_failure;
    size_of_failure = wrong;
    EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                  const char* source = static_cast<const char*>(from);
                  return std::memmove(to, source + (size == size_of_failure),
                                      size);
                }),
                HasSubstr("byte 0 of the destination"));
  }
}

TEST(MutantTest, ReadsPastTheSource) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                if (size == 33) sink = static_cast<const char*>(from)[33];
                return std::memmove(to, from, size);
              }),
              HasSubstr("guard pages: size 33"));
}

TEST(MutantTest, ReadsBeforeTheSource) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                if (size == 33) sink = static_cast<const char*>(from)[-1];
                return std::memmove(to, from, size);
              }),
              HasSubstr("Segmentation fault at address"));
}

TEST(MutantTest, ReadsThoughThereIsNothingToCopy) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                if (size == 0) sink = *static_cast<const char*>(from);
                return std::memmove(to, from, size);
              }),
              HasSubstr("size 0,"));
}

TEST(MutantTest, OverlapForwardOnly) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                if (size != 150) return std::memmove(to, from, size);
                for (size_t i = 0; i < size; ++i) {
                  Bytes(to)[i] = static_cast<const char*>(from)[i];
                  asm volatile("" ::: "memory");
                }
                return to;
              }),
              HasSubstr("overlap: size 150"));
}

TEST(MutantTest, WrongReturn) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) -> void* {
                return Bytes(std::memmove(to, from, size)) + size;
              }),
              HasSubstr("returned the destination plus 1, expected plus 0"));
  EXPECT_THAT(
      FailureOf([](void* to, const void* from,
                   size_t size) { return std::memmove(to, from, size); },
                Function::kMempcpy),
      HasSubstr("returned the destination plus 0, expected plus 1"));
}

TEST(MutantTest, DirectionFlagLeftSet) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                std::memmove(to, from, size);
                if (size == 150) asm volatile("std");
                return to;
              }),
              HasSubstr("direction flag"));
}

TEST(MutantTest, UnknownInstruction) {
  EXPECT_THAT(FailureOf([](void* to, const void* from, size_t size) {
                if (size == 150) asm volatile("ud2");
                return std::memmove(to, from, size);
              }),
              HasSubstr("Illegal instruction"));
}

TEST(MutantTest, MemsetOneByteShort) {
  EXPECT_THAT(FailureOf([](void* to, int value, size_t size) {
                std::memset(to, value, size - (size == 65));
                return to;
              }),
              HasSubstr("size 65,"));
}

TEST(MutantTest, MemsetTakesMoreThanTheLowByte) {
  EXPECT_THAT(FailureOf([](void* to, int value, size_t size) {
                return std::memset(to, value > 0xff ? 0 : value, size);
              }),
              HasSubstr("value 511"));
}

TEST(ParameterSetsTest, NonTemporalThresholdNeverBreaksTheLargeCopy) {
  Variant variant = MakeVariant(Function::kMemmove, nullptr);
  const std::vector<ParameterSet> sets = ParameterSets(variant);
  EXPECT_EQ(sets.size(), 2u);
  for (const ParameterSet& set : sets) {
    EXPECT_GE(*set.parameters.non_temporal_threshold, 0x4040u) << set.name;
  }
}

TEST(ParameterSetsTest, VariantThatReadsNothingHasOneSet) {
  Variant variant = MakeVariant(Function::kMemmove, nullptr);
  variant.thresholds = {};
  EXPECT_EQ(ParameterSets(variant).size(), 1u);
}

TEST(FaultGuardTest, XtestSaysThatNoTransactionRuns) {
  bool outside = false;
  const auto fault = RunGuarded([&] {
    unsigned char zero;
    asm volatile("xtest\n\tsetz %0" : "=r"(zero)::"cc");
    outside = zero != 0;
  });
  EXPECT_FALSE(fault.has_value());
  EXPECT_TRUE(outside);
}

TEST(FaultGuardTest, TellsWhatWasTouchedEachTime) {
  GuardedBuffer buffer(1);
  for (char* place : {buffer.begin() - 1, buffer.end()}) {
    const auto fault = RunGuarded([&] { sink = *place; });
    ASSERT_TRUE(fault.has_value());
    EXPECT_EQ(fault->address, reinterpret_cast<uintptr_t>(place));
  }
}

TEST(FillWithUniqueWindowsTest, EightBytesOccurOnce) {
  std::string bytes(1 << 20, '\0');
  FillWithUniqueWindows(bytes.data(), bytes.size());
  std::vector<uint64_t> windows(bytes.size() - 7);
  for (size_t i = 0; i < windows.size(); ++i) {
    std::memcpy(&windows[i], &bytes[i], 8);
  }
  std::sort(windows.begin(), windows.end());
  EXPECT_EQ(std::adjacent_find(windows.begin(), windows.end()), windows.end());
}

}  // namespace
}  // namespace kernels
