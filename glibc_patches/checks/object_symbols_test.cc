#include "glibc_patches/checks/object_symbols.h"

#include <cstring>

#include "advisor/host/file_reader.h"
#include "gtest/gtest.h"

extern "C" int object_symbols_test_function(int x);
int object_symbols_test_function(int x) { return x + 1; }

namespace glibc_patches {
namespace {

TEST(SymbolsAroundTest, FindsAFunctionOfThisProgram) {
  const auto& symbols =
      SymbolsAround(reinterpret_cast<void*>(object_symbols_test_function));
  const auto found = symbols.find("object_symbols_test_function");
  ASSERT_NE(found, symbols.end());
  EXPECT_EQ(found->second,
            reinterpret_cast<uintptr_t>(object_symbols_test_function));
}

TEST(SymbolsAroundTest, NothingWhereNoFileIsLoaded) {
  EXPECT_TRUE(SymbolsAround(nullptr).empty());
}

TEST(FunctionSymbolsTest, WhatIsNoElfIsAnError) {
  EXPECT_FALSE(FunctionSymbols("").ok());
  EXPECT_FALSE(FunctionSymbols("no ELF file at all, but long enough to hold "
                               "a header of 64 bytes")
                   .ok());
}

TEST(FunctionSymbolsTest, EveryTruncationIsToldOrHarmless) {
  const auto elf = advisor::RealFileReader().Read("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  EXPECT_TRUE(FunctionSymbols(*elf).ok());
  for (size_t size = 0; size < elf->size(); size += elf->size() / 50 + 1) {
    EXPECT_FALSE(FunctionSymbols(elf->substr(0, size)).ok()) << size;
  }
}

}  // namespace
}  // namespace glibc_patches
