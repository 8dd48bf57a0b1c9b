// endbr64: in a build with CET every entry begins with it, since an indirect
// call must land on one.

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {
namespace {

bool BeginsWithEndbr64(const kernels::Variant& variant) {
  constexpr unsigned char kEndbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  return std::memcmp(variant.address, kEndbr64, sizeof(kEndbr64)) == 0;
}

bool IsExpected(const CheckContext& context) {
  if (context.expects_endbr64.has_value()) return *context.expects_endbr64;
  int with = 0;
  int without = 0;
  for (const kernels::Variant& other : kernels::AllVariants()) {
    if (other.tree != context.variant.tree) continue;
    ++(BeginsWithEndbr64(other) ? with : without);
  }
  return with > without;
}

}  // namespace

std::optional<std::string> SkipEndbr64(const CheckContext& context) {
  if (IsExpected(context)) return std::nullopt;
  return "a build without CET";
}

void RunEndbr64Check(const CheckContext& context, CheckSession& session) {
  if (BeginsWithEndbr64(context.variant)) return;
  session.FailCode("the entry does not begin with endbr64");
}

}  // namespace glibc_patches
