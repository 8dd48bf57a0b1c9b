// content: after the call the destination holds what the source held, and
// nothing else in memory has changed.

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/calls.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/remainders.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

// Looked at after each call on both sides of both operands; everything else
// after every kCallsBetween calls.
constexpr uint64_t kMargin = 512;
constexpr size_t kCallsBetween = 4096;

int Byte(char c) { return static_cast<unsigned char>(c); }

// "byte 57 of the destination is 0x12, expected 0x34"
std::string Differs(absl::string_view where, const char* found,
                    const char* expected, uint64_t size) {
  const uint64_t i = std::mismatch(found, found + size, expected).first - found;
  return absl::StrFormat("byte %d %s is 0x%02x, expected 0x%02x", i, where,
                         Byte(found[i]), Byte(expected[i]));
}

// Content of [begin, end) other than the destination.
std::optional<std::string> ChangedAround(const PlacedCall& call, uint64_t begin,
                                         uint64_t end,
                                         absl::string_view operand) {
  World& world = World::Get();
  const Area* area = World::AreaOf(begin, 0);
  const uint64_t from = std::max(area->begin, begin);
  const uint64_t to = std::min(area->end(), end);
  const uint64_t written_end = call.destination + call.size;
  const auto look = [&](uint64_t low,
                        uint64_t high) -> std::optional<uint64_t> {
    if (low >= high) return std::nullopt;
    const char* now = world.At(low);
    const char* original = world.Original(low);
    if (std::memcmp(now, original, high - low) == 0) return std::nullopt;
    return low + (std::mismatch(now, now + (high - low), original).first - now);
  };
  std::optional<uint64_t> changed =
      look(from, std::min(to, std::max(from, call.destination)));
  if (!changed.has_value()) {
    changed = look(std::max(from, std::min(to, written_end)), to);
  }
  if (!changed.has_value()) return std::nullopt;
  const std::string now =
      absl::StrFormat("is 0x%02x, was 0x%02x", Byte(*world.At(*changed)),
                      Byte(*world.Original(*changed)));
  if (*changed < call.destination && call.destination - *changed <= kMargin) {
    return absl::StrCat("the byte ", call.destination - *changed,
                        " before the destination ", now);
  }
  if (*changed >= written_end && *changed - written_end < kMargin) {
    return absl::StrCat("the byte ", *changed - written_end + 1,
                        " past the end of the destination ", now);
  }
  return absl::StrCat("byte ", static_cast<int64_t>(*changed - call.source),
                      " of ", operand, " ", now);
}

std::optional<std::string> WrongDestination(const kernels::Variant& variant,
                                            const PlacedCall& call) {
  World& world = World::Get();
  const char* found = world.At(call.destination);
  if (variant.function != kernels::Function::kMemset) {
    const char* expected = world.Original(call.source);
    if (std::memcmp(found, expected, call.size) == 0) return std::nullopt;
    return Differs("of the destination", found, expected, call.size);
  }
  const char value = static_cast<char>(call.value);
  if (call.size == 0 ||
      (*found == value && std::memcmp(found, found + 1, call.size - 1) == 0)) {
    return std::nullopt;
  }
  const std::string expected(call.size, value);
  return Differs("of the destination", found, expected.data(), call.size);
}

// Leaves the destination as the call made it.
std::optional<std::string> Judge(const kernels::Variant& variant,
                                 const PlacedCall& call) {
  if (auto wrong = WrongDestination(variant, call)) return wrong;
  if (auto wrong =
          ChangedAround(call, call.destination - kMargin,
                        call.destination + call.size + kMargin, "the source")) {
    return wrong;
  }
  if (variant.function == kernels::Function::kMemset) return std::nullopt;
  return ChangedAround(call, call.source - kMargin,
                       call.source + call.size + kMargin, "the source");
}

std::optional<std::string> Quickly(const CheckContext& context,
                                   const PlacedCall& call) {
  CallVariant(context.variant, call);
  std::optional<std::string> wrong = Judge(context.variant, call);
  if (wrong.has_value()) {
    World::Get().RestoreAll();
  } else {
    World::Get().Restore(call.destination, call.size);
  }
  return wrong;
}

// One of them wrote far away: which? True when the base's calls do so too.
bool FindCulprit(const std::vector<PlacedCall>& calls, CheckSession& session) {
  World::Get().RestoreAll();
  const int64_t known = session.wrong_in_base();
  for (const PlacedCall& call : calls) {
    if (!session.Try(call)) return false;
  }
  if (session.wrong_in_base() > known) return true;
  session.Fail(calls.back(),
               "memory far from the operands had changed after this call, or "
               "one of the thousands before it");
  return false;
}

}  // namespace

std::optional<std::string> AttemptContent(const CheckContext& context,
                                          const PlacedCall& call) {
  std::optional<std::string> wrong = Quickly(context, call);
  if (wrong.has_value()) return wrong;
  World& world = World::Get();
  const std::optional<uint64_t> changed = world.FirstChanged();
  if (!changed.has_value()) return std::nullopt;
  wrong =
      absl::StrCat("wrote far from its operands: the byte at destination plus ",
                   static_cast<int64_t>(*changed - call.destination));
  world.RestoreAll();
  return wrong;
}

void RunContentCheck(const CheckContext& context, CheckSession& session) {
  std::vector<PlacedCall> recent;
  const auto far_is_unchanged = [&] {
    return !World::Get().FirstChanged().has_value() ||
           FindCulprit(recent, session);
  };
  int64_t i = 0;
  const auto visit = [&](const PlacedCall& call) {
    if (!IsChosen(i++, context.one_in)) return true;
    if (!session.Try(call, Quickly)) return false;
    recent.push_back(call);
    if (recent.size() < kCallsBetween) return true;
    if (!far_is_unchanged()) return false;
    recent.clear();
    return true;
  };
  const bool all =
      ForEachCall(context, visit) &&
      (context.effort == Effort::kQuick || ForEachRemainder(context, visit));
  if (all && !recent.empty()) far_is_unchanged();
}

}  // namespace glibc_patches
