// wide_entries: the wmemset entry of a memset variant, and its _chk entry, set
// as many wide characters as they are told to and nothing else. They jump into
// the variant's code, so that a change there is one of theirs.

#include <sys/mman.h>

#include <csignal>
#include <cstring>
#include <map>
#include <string>

#include "absl/strings/match.h"
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

constexpr uint64_t kWide = sizeof(wchar_t);
constexpr uint64_t kMargin = 256;
// Bytes of the largest call.
constexpr uint64_t kLargest = 64 << 10;

struct Entries {
  uint64_t plain;  // 0: there is none
  uint64_t chk;    // 0: there is none
};

Entries EntriesOf(const kernels::Variant& variant) {
  if (!absl::StartsWith(variant.name, "__memset_")) return {0, 0};
  const std::map<std::string, uint64_t>& symbols =
      SymbolsAround(variant.address);
  const auto find = [&](absl::string_view prefix, absl::string_view wide) {
    const auto found = symbols.find(absl::StrCat(
        prefix, absl::StrReplaceAll(variant.name, {{"__memset_", wide}})));
    return found == symbols.end() ? 0 : found->second;
  };
  for (const auto& [name, address] : symbols) {
    absl::string_view prefix = name;
    if (address == reinterpret_cast<uintptr_t>(variant.address) &&
        absl::ConsumeSuffix(&prefix, variant.name)) {
      return {find(prefix, "__wmemset_"), find(prefix, "__wmemset_chk_")};
    }
  }
  return {0, 0};
}

// So many wide characters that 32 bits do not hold their bytes: only the first
// MiB can be accessed, so that whoever sets them all must fault.
std::optional<std::string> WrongWhenHuge(const kernels::Variant& variant,
                                         uint64_t entry_address) {
  constexpr uint64_t kMapped = kAreaSize;
  World& world = World::Get();
  kernels::Variant entry = variant;
  entry.address = reinterpret_cast<void*>(entry_address);
  PlacedCall call;
  call.destination = kHugeDestination;
  call.value = 0x12345678;
  call.parameters = ParametersToTry(variant).front();
  call.placement = Placement::kHugeWithGap;
  call.size = (kFourGiB + 8 * kPage) / kWide;
  const int file_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
  if (mmap(world.At(call.destination), kMapped, PROT_READ | PROT_WRITE,
           file_flags, -1, 0) == MAP_FAILED) {
    return std::nullopt;
  }
  const auto fault = RunToFault([&] { CallVariant(entry, call, call.size); });
  asm volatile("cld");
  mmap(world.At(call.destination), kMapped, PROT_NONE,
       file_flags | MAP_NORESERVE, -1, 0);
  if (fault.has_value() && fault->signal == SIGSEGV) return std::nullopt;
  return "wmemset of more than 4 GiB did not go through all of them";
}

// call.size is in bytes; what the entry gets is a number of wide characters,
// and, if it is the _chk entry, that of the object.
std::optional<std::string> Wrong(const kernels::Variant& variant,
                                 uint64_t entry_address, const PlacedCall& call,
                                 uint64_t object) {
  kernels::Variant entry = variant;
  entry.address = reinterpret_cast<void*>(entry_address);
  PlacedCall wide = call;
  wide.size = call.size / kWide;
  const AfterCall after = CallVariant(entry, wide, object);
  World& world = World::Get();
  if (after.result != DestinationOf(call)) {
    return absl::StrCat("wmemset returned the destination plus ",
                        after.result - DestinationOf(call));
  }
  std::string expected(call.size + 2 * kMargin, '\0');
  const uint64_t begin = call.destination - kMargin;
  std::memcpy(expected.data(), world.Original(begin), expected.size());
  for (uint64_t i = 0; i < wide.size; ++i) {
    const int value = call.value;
    std::memcpy(&expected[kMargin + kWide * i], &value, kWide);
  }
  const char* found = world.At(begin);
  if (std::memcmp(found, expected.data(), expected.size()) == 0) {
    return std::nullopt;
  }
  for (uint64_t i = 0;; ++i) {
    if (found[i] == expected[i]) continue;
    return absl::StrFormat(
        "the byte at wmemset's destination plus %d is 0x%02x, expected 0x%02x",
        static_cast<int64_t>(i - kMargin), static_cast<unsigned char>(found[i]),
        static_cast<unsigned char>(expected[i]));
  }
}

}  // namespace

std::optional<std::string> SkipWideEntries(const CheckContext& context) {
  if (context.variant.function != kernels::Function::kMemset) {
    return "no variant of memset";
  }
  if (EntriesOf(context.variant).plain == 0) return "no wmemset beside it";
  return std::nullopt;
}

void RunWideEntriesCheck(const CheckContext& context, CheckSession& session) {
  const Entries entries = EntriesOf(context.variant);
  if (const auto wrong = WrongWhenHuge(context.variant, entries.plain)) {
    return session.FailCode(*wrong);
  }
  uint64_t i = context.seed;
  for (const kernels::KernelParameters& parameters :
       ParametersToTry(context.variant)) {
    for (uint64_t size :
         SizesToTry(context.variant, parameters, 8, context.seed)) {
      if (size % kWide != 0 || size > kLargest) continue;
      for (int value : {0x12345678, 0, -2}) {
        PlacedCall call;
        call.size = size;
        call.value = value;
        call.parameters = parameters;
        // A wide character is as aligned as it is long. Around the end of a
        // page.
        call.destination =
            kOther.begin + (64 << 10) - 256 + kWide * (i++ * 37 % 128);
        if (!session.Try(call)) return;
      }
      PlacedCall at_end;
      at_end.size = size;
      at_end.value = 0x12345678;
      at_end.parameters = parameters;
      at_end.destination = kOther.end() - kMargin - size;
      if (!session.Try(at_end)) return;
    }
  }
}

std::optional<std::string> AttemptWideEntries(const CheckContext& context,
                                              const PlacedCall& call) {
  // One variant a child.
  static const Entries entries = EntriesOf(context.variant);
  std::optional<std::string> wrong;
  const auto attempt = [&](uint64_t entry, uint64_t object) {
    if (entry == 0 || wrong.has_value()) return;
    const auto fault = RunToFault(
        [&] { wrong = Wrong(context.variant, entry, call, object); });
    if (fault.has_value()) wrong = "wmemset ends in a signal";
    World::Get().Restore(call.destination, call.size);
  };
  attempt(entries.plain, 0);
  // An object of unknown size is told as the largest number.
  for (const uint64_t object :
       {call.size / kWide, ~uint64_t{0}, uint64_t{1} << 32}) {
    attempt(entries.chk, object);
  }
  if (!wrong.has_value() && entries.chk != 0 && call.size >= kWide) {
    // One less than what is to be set: it must not return.
    kernels::Variant entry = context.variant;
    entry.address = reinterpret_cast<void*>(entries.chk);
    PlacedCall wide = call;
    wide.size = call.size / kWide;
    const auto fault =
        RunToFault([&] { CallVariant(entry, wide, wide.size - 1); });
    if (!fault.has_value()) wrong = "__wmemset_chk accepts one too many";
  }
  if (wrong.has_value()) World::Get().RestoreAll();
  return wrong;
}

}  // namespace glibc_patches
