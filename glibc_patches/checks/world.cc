#include "glibc_patches/checks/world.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace glibc_patches {
namespace {

constexpr size_t kAreaCount = sizeof(kAreas) / sizeof(kAreas[0]);

// SplitMix64 (Steele, Lea and Flood 2014): 64 bits that do not repeat.
void FillWithUniqueWindows(char* begin, size_t size, uint64_t state,
                           bool bit7) {
  constexpr uint64_t kBit7 = 0x8080808080808080;
  for (size_t i = 0; i < size; i += 8) {
    state += 0x9e3779b97f4a7c15;
    uint64_t word = state;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
    word = bit7 ? word | kBit7 : word & ~kBit7;
    std::memcpy(begin + i, &word, 8);
  }
}

[[noreturn]] void NoMemory() {
  std::perror("World");
  std::abort();
}

char* Reserve(size_t size, int protection) {
  void* mapping =
      mmap(nullptr, size, protection,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
  if (mapping == MAP_FAILED) NoMemory();
  return static_cast<char*>(mapping);
}

size_t IndexOf(const Area& area) { return &area - kAreas; }

std::string ThresholdText(absl::string_view name,
                          const std::optional<uint64_t>& value) {
  return value.has_value() ? absl::StrCat(", ", name, " ", *value) : "";
}

std::string PlacementOf(uint64_t destination, uint64_t source, uint64_t size,
                        bool has_source) {
  std::vector<std::string> parts;
  const auto note = [&](uint64_t offset, absl::string_view operand) {
    const Area* area = World::AreaOf(offset, size);
    if (area == nullptr) return;
    if (offset == area->begin) {
      parts.push_back(absl::StrCat(operand, " right after a guard page"));
    }
    if (offset + size == area->end()) {
      parts.push_back(absl::StrCat(operand, " ends at a guard page"));
    }
  };
  note(destination, "destination");
  if (has_source) note(source, "source");
  return absl::StrJoin(parts, ", ");
}

}  // namespace

World& World::Get() {
  static World& world = *new World;
  return world;
}

World::World() {
  // So that kBoundary is a multiple of 4 GiB.
  char* const reserved = Reserve(kWorldSize + kFourGiB, PROT_NONE);
  const uint64_t boundary = reinterpret_cast<uintptr_t>(reserved) + kBoundary;
  base_ = reserved + (kFourGiB - boundary % kFourGiB) % kFourGiB;
  originals_ = Reserve(kAreaCount * kAreaSize, PROT_READ | PROT_WRITE);
  for (const Area& area : kAreas) {
    char* original = originals_ + IndexOf(area) * kAreaSize;
    FillWithUniqueWindows(original, area.size, IndexOf(area) << 40, area.bit7);
    if (mprotect(At(area.begin), area.size, PROT_READ | PROT_WRITE) != 0) {
      NoMemory();
    }
    std::memcpy(At(area.begin), original, area.size);
  }
  mprotect(originals_, kAreaCount * kAreaSize, PROT_READ);
}

const Area* World::AreaOf(uint64_t offset, uint64_t size) {
  for (const Area& area : kAreas) {
    if (offset >= area.begin && offset <= area.end() &&
        size <= area.end() - offset) {
      return &area;
    }
  }
  return nullptr;
}

const char* World::Original(uint64_t offset) const {
  const Area* area = AreaOf(offset, 0);
  return originals_ + IndexOf(*area) * kAreaSize + (offset - area->begin);
}

std::optional<uint64_t> World::FirstChanged() const {
  for (const Area& area : kAreas) {
    const char* now = base_ + area.begin;
    const char* original = Original(area.begin);
    if (std::memcmp(now, original, area.size) == 0) continue;
    return area.begin +
           (std::mismatch(now, now + area.size, original).first - now);
  }
  return std::nullopt;
}

void World::Restore(uint64_t offset, uint64_t size) {
  std::memcpy(At(offset), Original(offset), size);
}

void World::RestoreAll() {
  for (const Area& area : kAreas) Restore(area.begin, area.size);
}

std::optional<uint64_t> World::OffsetOf(uint64_t address) const {
  const uint64_t offset = address - reinterpret_cast<uintptr_t>(base_);
  if (offset >= kWorldSize) return std::nullopt;
  return offset;
}

bool IsPossible(const kernels::Variant& variant, const PlacedCall& call) {
  const auto fits = [&](uint64_t offset) {
    if (call.placement == Placement::kAreas) {
      return World::AreaOf(offset, call.size) != nullptr;
    }
    for (uint64_t begin : {kHugeDestination, kHugeSource}) {
      if (offset >= begin && offset + call.size <= begin + kHugeSpan &&
          call.size > 16 * kAreaSize) {
        return true;
      }
    }
    return false;
  };
  if (call.placement == Placement::kInvalid) return call.size == 0;
  if (!fits(call.destination)) return false;
  if (variant.function == kernels::Function::kMemset) return true;
  if (!fits(call.source)) return false;
  if (variant.function == kernels::Function::kMemmove) return true;
  return call.destination >= call.source + call.size ||
         call.source >= call.destination + call.size;
}

char* DestinationOf(const PlacedCall& call) {
  if (call.placement == Placement::kInvalid)
    return reinterpret_cast<char*>(call.destination);
  return World::Get().At(call.destination);
}

char* SourceOf(const PlacedCall& call) {
  if (call.placement == Placement::kInvalid)
    return reinterpret_cast<char*>(call.source);
  return World::Get().At(call.source);
}

std::string VariantLabel(const kernels::Variant& variant) {
  return absl::StrCat(variant.tree->name(), ": ", variant.name);
}

ReproducingCall Describe(const kernels::Variant& variant,
                         const PlacedCall& call) {
  const bool sets = variant.function == kernels::Function::kMemset;
  ReproducingCall result;
  result.variant = VariantLabel(variant);
  result.function = variant.function;
  result.size = call.size;
  result.destination_offset = call.destination % kPage;
  result.source_offset = sets ? 0 : call.source % kPage;
  result.distance = sets ? 0 : call.destination - call.source;
  if (sets) result.value = call.value;
  result.placement =
      call.placement == Placement::kInvalid
          ? "invalid pointers"
          : PlacementOf(call.destination, call.source, call.size, !sets);
  for (absl::string_view threshold : variant.thresholds) {
    const auto field = kernels::ParameterField(threshold);
    if (field != nullptr) result.parameters.*field = call.parameters.*field;
  }
  return result;
}

std::string ReproducingCall::Describe() const {
  std::string text = absl::StrFormat("size %d, destination mod 4096 = %d", size,
                                     destination_offset);
  if (value.has_value()) {
    absl::StrAppend(&text, ", value ", *value);
  } else {
    absl::StrAppend(&text, ", source mod 4096 = ", source_offset,
                    ", destination - source = ", distance);
  }
  if (!placement.empty()) absl::StrAppend(&text, ", ", placement);
  const kernels::KernelParameters& p = parameters;
  absl::StrAppend(
      &text, ThresholdText("non_temporal_threshold", p.non_temporal_threshold),
      ThresholdText("rep_movsb_threshold", p.rep_movsb_threshold),
      ThresholdText("rep_movsb_stop_threshold", p.rep_movsb_stop_threshold),
      ThresholdText("rep_stosb_threshold", p.rep_stosb_threshold));
  absl::StrAppend(&text,
                  ThresholdText("memset_non_temporal_threshold",
                                p.memset_non_temporal_threshold),
                  ThresholdText("data_cache_size", p.data_cache_size),
                  ThresholdText("shared_cache_size", p.shared_cache_size),
                  ThresholdText("string_control", p.string_control));
  return text;
}

}  // namespace glibc_patches
