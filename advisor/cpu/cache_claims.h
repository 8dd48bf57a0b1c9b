// What CPUID claims about caches, each source kept apart. The sources may
// contradict one another; which of them a glibc believes depends on vendor and
// release.

#ifndef ADVISOR_CPU_CACHE_CLAIMS_H_
#define ADVISOR_CPU_CACHE_CLAIMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cache_descriptor_table.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/cpu/leaf_state.h"

namespace advisor {

enum class CacheSource {
  kLeaf2,         // descriptors
  kLeaf4,         // Intel's deterministic cache parameters
  kLeaf80000005,  // AMD's L1
  kLeaf80000006,  // AMD's L2 and L3; Intel tells its L2 there
  kLeaf8000001D,  // AMD's leaf 4
};

// "leaf 4", "leaf 0x80000006", ...
absl::string_view CacheSourceName(CacheSource source);

struct CacheClaim {
  int level = 0;  // 1 to 4
  CacheType type = CacheType::kUnified;
  uint64_t size = 0;  // bytes, the true product; never 0
  // nullopt: not told, or "see leaf 0x8000001D".
  std::optional<uint32_t> ways;
  bool fully_associative = false;
  std::optional<uint32_t> line;        // bytes
  std::optional<uint32_t> partitions;  // leaf 4 and 0x8000001D only
  std::optional<uint32_t> sets;
  // EAX[25:14] of leaf 4 and 0x8000001D: logical CPUs (rather: APIC ids) that
  // share the cache, minus one. glibc reads only its low ten bits as Intel's.
  std::optional<uint32_t> sharing_field;
  std::optional<bool> inclusive;  // of the levels below

  // Where it stands.
  uint32_t leaf = 0;
  uint32_t subleaf = 0;
  std::optional<uint8_t> descriptor;  // leaf 2

  std::optional<uint32_t> sharers() const {
    if (!sharing_field.has_value()) return std::nullopt;
    return *sharing_field + 1;
  }
  // glibc multiplies in 32 bits: a claim of 4 GiB or more wraps there.
  bool wraps_in_glibc() const { return size > 0xffffffff; }
  uint32_t size_in_32_bits() const { return static_cast<uint32_t>(size); }
};

struct CacheLeaf {
  CacheSource source;
  LeafFact fact;
  // In the order in which the leaf tells them. A malformed leaf may still tell
  // some.
  std::vector<CacheClaim> claims;
};

struct CacheClaims {
  // One entry per CacheSource, in its order.
  std::vector<CacheLeaf> leaves;
  // Leaf 2 has the descriptor "see leaf 4".
  bool leaf_2_defers_to_leaf_4 = false;
  // Leaf 2 has the descriptor "no L2 or, if there is one, no L3".
  bool leaf_2_denies_l2_or_l3 = false;
  // Bytes of leaf 2 that are no cache of the table (TLBs, prefetch, ...).
  std::vector<uint8_t> other_descriptors;

  const CacheLeaf& leaf(CacheSource source) const {
    return leaves[static_cast<size_t>(source)];
  }
  // The first claim about a level; instruction caches only when asked for.
  // nullptr when the source makes none.
  const CacheClaim* Find(CacheSource source, int level,
                         CacheType type = CacheType::kData) const;
  // No source claims any cache.
  bool empty() const;
};

// `family` and `model` (as CpuModel counts them) decide over descriptor 0x49.
CacheClaims DecodeCacheClaims(const CpuidSource& cpu, uint32_t family,
                              uint32_t model);

// "L3 16 MiB, 16-way, line 64, 4 sharers (leaf 4:3)".
std::string DescribeCacheClaim(const CacheClaim& claim);

// "48 KiB", "37.5 MiB", "1234 B": exact, in the largest unit that gives at most
// one decimal.
std::string FormatCacheSize(uint64_t bytes);

// "L1d", "L1i", "L2".
std::string CacheName(int level, CacheType type);

}  // namespace advisor

#endif  // ADVISOR_CPU_CACHE_CLAIMS_H_
