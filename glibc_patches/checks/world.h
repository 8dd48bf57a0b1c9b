// The memory in which the checks' calls are made: areas with inaccessible pages
// around them, at the same distances in every run.

#ifndef GLIBC_PATCHES_CHECKS_WORLD_H_
#define GLIBC_PATCHES_CHECKS_WORLD_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "glibc_patches/checks/check.h"
#include "kernels/variant.h"

namespace glibc_patches {

enum class Placement : uint8_t {
  // Wholly in areas.
  kAreas,
  // The operands are addresses and not in the world: only for size 0.
  kInvalid,
  // In the huge regions, of which the beginnings and ends can be accessed.
  kHugeWithGap,
  // In the huge regions, all of them accessible: one window, many times.
  kHugeRepeated,
};

// A call whose operands are given as bytes from the start of the world, so that
// it means the same in every process. Trivially copyable: the child keeps the
// one in progress in a page that its parent reads.
struct PlacedCall {
  uint64_t size = 0;
  uint64_t destination = 0;
  // Unused by memset.
  uint64_t source = 0;
  int value = 0;
  Placement placement = Placement::kAreas;
  kernels::KernelParameters parameters;
};

// Areas begin and end at a page boundary, next to inaccessible pages. Bytes of
// an area with bit 7 set occur in no area with bit 7 clear: between two kinds
// every copied byte changes the destination.
struct Area {
  uint64_t begin;  // bytes from the start of the world
  uint64_t size;
  bool bit7;
  uint64_t end() const { return begin + size; }
};

constexpr uint64_t kPage = 4096;
constexpr uint64_t kAreaSize = 1 << 20;
constexpr uint64_t kFourGiB = uint64_t{1} << 32;

// The first and the second lie close together; the third is 4 GiB above the
// first, so that 32 bits cannot tell them apart.
inline constexpr Area kAreas[] = {
    {kPage, kAreaSize, false},
    {4 * kAreaSize, kAreaSize, true},
    {kPage + kFourGiB, kAreaSize, true},
};
// Where operands stand in their areas, so that there is room on all sides.
constexpr uint64_t kRoom = 64 << 10;
// An address that is a multiple of 4 GiB, in the first and in the third area:
// what is compared as 32 bits goes wrong in operands that lie across it.
constexpr uint64_t kBoundary = kPage + kRoom;
inline constexpr Area kNear = kAreas[0];
inline constexpr Area kOther = kAreas[1];
inline constexpr Area kFar = kAreas[2];

// Address space for lengths past 4 GiB, inaccessible until a check maps it.
constexpr uint64_t kHugeSpan = 9 * (uint64_t{1} << 30);
constexpr uint64_t kHugeDestination = 5 * (uint64_t{1} << 30);
constexpr uint64_t kHugeSource = kHugeDestination + kHugeSpan + 4 * kAreaSize;
constexpr uint64_t kWorldSize = kHugeSource + kHugeSpan + 4 * kAreaSize;

// One per process, made at first use. Its areas hold their first content unless
// a call is being judged.
class World {
 public:
  static World& Get();

  char* At(uint64_t offset) { return base_ + offset; }
  // What stands at an offset (in an area) between calls.
  const char* Original(uint64_t offset) const;
  // The area that holds [offset, offset + size) wholly; nullptr when none does.
  static const Area* AreaOf(uint64_t offset, uint64_t size);

  // The first byte of all areas that is not original: "byte 12 of ...".
  std::optional<uint64_t> FirstChanged() const;
  // [offset, offset + size) as it was.
  void Restore(uint64_t offset, uint64_t size);
  void RestoreAll();

  // nullopt for an address outside.
  std::optional<uint64_t> OffsetOf(uint64_t address) const;

 private:
  World();
  char* base_;
  char* originals_;
};

// The operands lie where `placement` says, and memcpy's and mempcpy's do not
// overlap.
bool IsPossible(const kernels::Variant& variant, const PlacedCall& call);

// As addresses of this process.
char* DestinationOf(const PlacedCall& call);
char* SourceOf(const PlacedCall& call);

ReproducingCall Describe(const kernels::Variant& variant,
                         const PlacedCall& call);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_WORLD_H_
