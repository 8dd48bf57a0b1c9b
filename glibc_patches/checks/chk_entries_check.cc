// chk_entries: the _chk entry beside a variant (what _FORTIFY_SOURCE calls)
// does the same while the size fits the object, and goes to __chk_fail when it
// does not, before anything is written.

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/object_symbols.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

struct Entries {
  uint64_t chk;   // 0: there is none
  uint64_t fail;  // __chk_fail of the tree
  std::string name;
};

// assemble_tree.sh puts one prefix before all symbols of a tree; the variant's
// own symbol tells it.
Entries EntriesOf(const kernels::Variant& variant) {
  const std::map<std::string, uint64_t>& symbols =
      SymbolsAround(variant.address);
  const std::string function =
      absl::StrCat("__", kernels::FunctionName(variant.function), "_");
  Entries entries = {
      0, 0,
      absl::StrReplaceAll(variant.name,
                          {{function, absl::StrCat(function, "chk_")}})};
  const auto address_of = [&](absl::string_view prefix,
                              absl::string_view name) {
    const auto found = symbols.find(absl::StrCat(prefix, name));
    return found == symbols.end() ? 0 : found->second;
  };
  for (const auto& [name, address] : symbols) {
    absl::string_view prefix = name;
    if (address != reinterpret_cast<uintptr_t>(variant.address) ||
        !absl::ConsumeSuffix(&prefix, variant.name)) {
      continue;
    }
    entries.chk = address_of(prefix, entries.name);
    entries.fail = address_of(prefix, "__chk_fail");
  }
  return entries;
}

// __chk_fail of our build is an ud2 in a function of a few bytes.
constexpr uint64_t kFailSize = 32;

// "passes" or what else the entry does with the size for an object of `object`
// bytes.
std::optional<std::string> Try(const CheckContext& context,
                               const PlacedCall& call, uint64_t object) {
  // One variant a child.
  static const Entries& entries = *new Entries(EntriesOf(context.variant));
  kernels::Variant entry = context.variant;
  entry.address = reinterpret_cast<void*>(entries.chk);
  AfterCall after = {};
  const auto fault =
      RunToFault([&] { after = CallVariant(entry, call, object); });
  const bool refused = fault.has_value() && fault->signal == SIGILL &&
                       fault->instruction >= entries.fail &&
                       fault->instruction < entries.fail + kFailSize;
  const std::string of_object = absl::StrCat(" (object of ", object, " bytes)");
  if (fault.has_value() && !refused) {
    return absl::StrCat("ends in ", strsignal(fault->signal), of_object);
  }
  if (refused != (object < call.size)) {
    return absl::StrCat(refused ? "refuses a size that fits the object"
                                : "accepts a size past the object",
                        of_object);
  }
  if (refused) {
    return World::Get().FirstChanged().has_value()
               ? std::make_optional(
                     absl::StrCat("writes before it refuses", of_object))
               : std::nullopt;
  }
  const bool ahead = context.variant.function == kernels::Function::kMempcpy;
  if (after.result != DestinationOf(call) + (ahead ? call.size : 0)) {
    return absl::StrCat("returns something else than the variant", of_object);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> SkipChkEntries(const CheckContext& context) {
  if (context.variant.name.substr(0, 2) != "__") return "no entry of glibc's";
  const Entries entries = EntriesOf(context.variant);
  if (entries.chk == 0) return absl::StrCat("no symbol ", entries.name);
  if (entries.fail == 0) return "no symbol __chk_fail";
  return std::nullopt;
}

void RunChkEntriesCheck(const CheckContext& context, CheckSession& session) {
  const std::vector<kernels::KernelParameters> parameters =
      ParametersToTry(context.variant);
  for (uint64_t size : {0, 1, 15, 64, 100, 1000, 5000, 40000}) {
    PlacedCall call;
    call.size = size;
    call.value = 0x5a;
    call.parameters = parameters[size % parameters.size()];
    call.destination = kOther.begin + (64 << 10) + size % 64;
    call.source = kNear.begin + (64 << 10) + 3;
    if (!session.Try(call)) return;
  }
}

std::optional<std::string> AttemptChkEntries(const CheckContext& context,
                                             const PlacedCall& call) {
  std::optional<std::string> wrong;
  const uint64_t size = call.size;
  for (uint64_t object : {size, size + 1, ~uint64_t{0}, uint64_t{1} << 32,
                          size / 2, size - 1, uint64_t{0}}) {
    if (!wrong.has_value()) wrong = Try(context, call, object);
    World::Get().Restore(call.destination, call.size);
  }
  if (wrong.has_value()) World::Get().RestoreAll();
  return wrong;
}

}  // namespace glibc_patches
