// Every variant that was built in passes every check in the quick effort, and
// what its calls reach is nearly all of its code.

#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/check.h"
#include "glibc_patches/checks/runner.h"
#include "gtest/gtest.h"
#include "kernels/variant.h"

namespace glibc_patches {
namespace {

int ran = 0;

class VariantsTest : public ::testing::TestWithParam<const kernels::Variant*> {
};

struct KnownFault {
  absl::string_view variant;
  absl::string_view last_release;
  absl::string_view check;  // empty: several
};
constexpr KnownFault kKnownFaults[] = {
    // Stores to the returned address before the destination's head (bug 23196,
    // CVE-2018-11237).
    {"__mempcpy_avx512_no_vzeroupper", "2.27", ""},
    // A large copy forwards stores its first 16 bytes with movntdq, and where
    // operands overlap it goes on in a loop without sfence. Gone with the code
    // in 26b2478322db of 2022-04-14.
    {"__memmove_ssse3", "2.35", "store_fence"},
};

const KnownFault* KnownFaultOf(const kernels::Variant& variant) {
  for (const KnownFault& fault : kKnownFaults) {
    if (variant.name == fault.variant &&
        variant.tree->release() <= fault.last_release) {
      return &fault;
    }
  }
  return nullptr;
}

// Blocks that calls as their contract allows them do not reach: a transaction's
// end, and what memmove does with overlap under mempcpy's name: in the ssse3
// variant, two blocks for each rest of 16.
int BlocksOutOfReach(const kernels::Variant& variant) {
  int blocks = absl::EndsWith(variant.name, "_rtm") ? 1 : 0;
  if (variant.function == kernels::Function::kMempcpy) {
    blocks += absl::EndsWith(variant.name, "_ssse3") ? 2 + 2 * 16 : 2;
  }
  return blocks;
}

TEST_P(VariantsTest, Passes) {
  const kernels::Variant& variant = *GetParam();
  const KnownFault* const known = KnownFaultOf(variant);
  if (known != nullptr && known->check.empty()) {
    GTEST_SKIP() << "wrong in this release";
  }
  const kernels::Variant* const variants[] = {&variant};
  RunOptions options;
  options.effort = Effort::kQuick;
  std::string skipped;
  for (const CheckResult& result : RunChecks(variants, options)) {
    if (result.status == CheckStatus::kPassed) ++ran;
    if (result.status == CheckStatus::kSkipped) skipped = result.reason;
    if (known != nullptr && known->check == result.id) {
      EXPECT_EQ(result.status, CheckStatus::kFailed)
          << "the fault of this release was not found";
      continue;
    }
    for (const CheckFinding& finding : result.findings) {
      ADD_FAILURE() << result.variant << ": " << result.id << ": "
                    << finding.what << "\n"
                    << (finding.call.has_value() ? finding.call->Describe()
                                                 : "");
    }
    if (result.coverage.has_value()) {
      EXPECT_GE(result.coverage->executed + BlocksOutOfReach(variant),
                result.coverage->total)
          << result.variant << ": " << result.notes.front();
    }
  }
  if (absl::StartsWith(skipped, "the same code")) GTEST_SKIP() << skipped;
}

std::vector<const kernels::Variant*> Pointers() {
  std::vector<const kernels::Variant*> pointers;
  for (const kernels::Variant& variant : kernels::AllVariants()) {
    pointers.push_back(&variant);
  }
  return pointers;
}

INSTANTIATE_TEST_SUITE_P(
    All, VariantsTest, ::testing::ValuesIn(Pointers()),
    [](const ::testing::TestParamInfo<const kernels::Variant*>& info) {
      return absl::StrCat(info.param->tree->name(), "_", info.param->name);
    });

class Summary : public ::testing::Environment {
 public:
  void TearDown() override {
    std::cout << ran << " checks passed\n";
    EXPECT_GT(ran, 0);
  }
};

[[maybe_unused]] const auto* const summary =
    ::testing::AddGlobalTestEnvironment(new Summary);

}  // namespace
}  // namespace glibc_patches
