#include "advisor/cpu/cache_claims.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace advisor {
namespace {

// More entries than any processor has; a source that never ends is malformed.
constexpr uint32_t kMaxCacheSubleaves = 16;
constexpr uint32_t kTypeMask = 0x1f;

bool IsPowerOfTwo(uint32_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

// The first problem stays: it is where a reader should look.
void Malformed(absl::string_view reason, LeafFact* fact) {
  if (fact->state == LeafState::kMalformed) return;
  fact->state = LeafState::kMalformed;
  fact->reason = std::string(reason);
}

std::optional<CacheType> TypeOfField(uint32_t eax) {
  switch (eax & kTypeMask) {
    case 1:
      return CacheType::kData;
    case 2:
      return CacheType::kInstruction;
    case 3:
      return CacheType::kUnified;
    default:
      return std::nullopt;
  }
}

// One subleaf of leaf 4 or 0x8000001D (the two have one layout).
CacheClaim DeterministicClaim(const CpuidRegisters& answer, uint32_t leaf,
                              uint32_t subleaf, CacheType type) {
  CacheClaim claim;
  claim.level = static_cast<int>(answer.eax >> 5 & 7);
  claim.type = type;
  claim.ways = (answer.ebx >> 22) + 1;
  claim.partitions = (answer.ebx >> 12 & 0x3ff) + 1;
  claim.line = (answer.ebx & 0xfff) + 1;
  // 2^32 sets are 0xffffffff in the register.
  const uint64_t sets = uint64_t{answer.ecx} + 1;
  claim.sets = static_cast<uint32_t>(sets);
  claim.size = uint64_t{*claim.ways} * *claim.partitions * *claim.line * sets;
  claim.fully_associative = (answer.eax >> 9 & 1) != 0;
  claim.sharing_field = answer.eax >> 14 & 0xfff;
  claim.inclusive = (answer.edx >> 1 & 1) != 0;
  claim.leaf = leaf;
  claim.subleaf = subleaf;
  return claim;
}

bool ClaimsTwice(const std::vector<CacheClaim>& claims,
                 const CacheClaim& claim) {
  for (const CacheClaim& other : claims) {
    if (other.level == claim.level && other.type == claim.type) return true;
  }
  return false;
}

CacheLeaf DecodeDeterministicLeaf(const CpuidSource& cpu, CacheSource source,
                                  uint32_t leaf) {
  CacheLeaf result{source, BasicLeafFact(cpu, leaf), {}};
  if (result.fact.state != LeafState::kGood) return result;
  for (uint32_t subleaf = 0;; ++subleaf) {
    if (subleaf == kMaxCacheSubleaves) {
      Malformed("it does not end", &result.fact);
      return result;
    }
    const CpuidRegisters answer = cpu.Execute(leaf, subleaf);
    if ((answer.eax & kTypeMask) == 0) break;
    const std::optional<CacheType> type = TypeOfField(answer.eax);
    const std::string place = absl::StrCat("subleaf ", subleaf);
    if (!type.has_value()) {
      Malformed(absl::StrCat(place, " has the unknown cache type ",
                             answer.eax & kTypeMask),
                &result.fact);
      continue;
    }
    const CacheClaim claim = DeterministicClaim(answer, leaf, subleaf, *type);
    if (claim.level == 0 || claim.level > 4) {
      Malformed(absl::StrCat(place, " has level ", claim.level), &result.fact);
      continue;
    }
    if (!IsPowerOfTwo(*claim.line) || claim.size < *claim.line * 2) {
      Malformed(absl::StrCat(place, " has a line of ", *claim.line,
                             " bytes and ", claim.size, " bytes in all"),
                &result.fact);
    }
    if (ClaimsTwice(result.claims, claim)) {
      Malformed(absl::StrCat(place, " tells ",
                             CacheName(claim.level, claim.type), " again"),
                &result.fact);
    }
    result.claims.push_back(claim);
  }
  if (result.claims.empty()) {
    Malformed("it has no cache and is not zero", &result.fact);
  }
  return result;
}

// AMD APM volume 3, appendix E.4.5: ECX is the L1 data, EDX the L1 instruction
// cache; [31:24] KiB, [23:16] ways (0xff: fully associative), [7:0] line.
CacheLeaf DecodeLeaf80000005(const CpuidSource& cpu) {
  constexpr uint32_t kLeaf = 0x80000005;
  CacheLeaf result{CacheSource::kLeaf80000005, BasicLeafFact(cpu, kLeaf), {}};
  if (result.fact.state != LeafState::kGood) return result;
  const CpuidRegisters answer = cpu.Execute(kLeaf);
  for (const auto& [type, field] :
       {std::make_pair(CacheType::kData, answer.ecx),
        std::make_pair(CacheType::kInstruction, answer.edx)}) {
    const uint32_t kib = field >> 24;
    if (kib == 0) continue;
    CacheClaim claim;
    claim.level = 1;
    claim.type = type;
    claim.size = uint64_t{kib} << 10;
    const uint32_t ways = field >> 16 & 0xff;
    claim.fully_associative = ways == 0xff;
    if (ways != 0 && ways != 0xff) claim.ways = ways;
    if ((field & 0xff) != 0) claim.line = field & 0xff;
    claim.leaf = kLeaf;
    result.claims.push_back(claim);
  }
  return result;
}

// AMD APM volume 3, appendix E.4.6, table of L2/L3 associativity. 0: the cache
// is off. 9: the ways are told in leaf 0x8000001D.
std::optional<uint32_t> WaysOfCode(uint32_t code) {
  constexpr uint32_t kWays[16] = {0,  1, 2,  3,  4,  6,  8,   0,
                                  16, 0, 32, 48, 64, 96, 128, 0};
  if (kWays[code] == 0) return std::nullopt;
  return kWays[code];
}

CacheLeaf DecodeLeaf80000006(const CpuidSource& cpu) {
  constexpr uint32_t kLeaf = 0x80000006;
  CacheLeaf result{CacheSource::kLeaf80000006, BasicLeafFact(cpu, kLeaf), {}};
  if (result.fact.state != LeafState::kGood) return result;
  const CpuidRegisters answer = cpu.Execute(kLeaf);
  const auto add = [&](int level, uint64_t size, uint32_t field) {
    const uint32_t code = field >> 12 & 0xf;
    if (size == 0 || code == 0) {
      if (size != 0) {
        Malformed(absl::StrCat("L", level, " has a size of ",
                               FormatCacheSize(size), " and is off"),
                  &result.fact);
      }
      return;
    }
    CacheClaim claim;
    claim.level = level;
    claim.size = size;
    claim.ways = WaysOfCode(code);
    claim.fully_associative = code == 0xf;
    if ((field & 0xff) != 0) claim.line = field & 0xff;
    claim.leaf = kLeaf;
    result.claims.push_back(claim);
  };
  add(2, uint64_t{answer.ecx >> 16} << 10, answer.ecx);
  add(3, uint64_t{answer.edx >> 18} << 19, answer.edx);
  return result;
}

void DecodeDescriptor(uint8_t descriptor, bool is_xeon_mp, CacheClaims* claims,
                      CacheLeaf* leaf) {
  if (descriptor == 0) return;
  if (descriptor == kSeeLeaf4Descriptor) claims->leaf_2_defers_to_leaf_4 = true;
  if (descriptor == kNoL2OrL3Descriptor) claims->leaf_2_denies_l2_or_l3 = true;
  const CacheDescriptorRow* row = FindCacheDescriptor(descriptor);
  if (row == nullptr) {
    if (descriptor != kSeeLeaf4Descriptor &&
        descriptor != kNoL2OrL3Descriptor) {
      claims->other_descriptors.push_back(descriptor);
    }
    return;
  }
  CacheClaim claim;
  claim.level = descriptor == kL2OrL3Descriptor && is_xeon_mp ? 3 : row->level;
  claim.type = row->type;
  claim.size = row->size;
  claim.ways = row->ways;
  claim.line = row->line;
  claim.leaf = 2;
  claim.descriptor = descriptor;
  leaf->claims.push_back(claim);
}

CacheLeaf DecodeLeaf2(const CpuidSource& cpu, uint32_t family, uint32_t model,
                      CacheClaims* claims) {
  CacheLeaf result{CacheSource::kLeaf2, BasicLeafFact(cpu, 2), {}};
  if (result.fact.state != LeafState::kGood) return result;
  const CpuidRegisters answer = cpu.Execute(2);
  if ((answer.eax & 0xff) != 1) {
    Malformed(
        absl::StrFormat("low byte 0x%02x, expected 0x01", answer.eax & 0xff),
        &result.fact);
  }
  const bool is_xeon_mp = family == 15 && model == 6;
  for (const uint32_t field :
       {answer.eax & ~0xffu, answer.ebx, answer.ecx, answer.edx}) {
    if ((field >> 31) != 0) continue;  // the register tells nothing
    for (int shift = 0; shift < 32; shift += 8) {
      DecodeDescriptor(static_cast<uint8_t>(field >> shift), is_xeon_mp, claims,
                       &result);
    }
  }
  return result;
}

}  // namespace

absl::string_view CacheSourceName(CacheSource source) {
  switch (source) {
    case CacheSource::kLeaf2:
      return "leaf 2";
    case CacheSource::kLeaf4:
      return "leaf 4";
    case CacheSource::kLeaf80000005:
      return "leaf 0x80000005";
    case CacheSource::kLeaf80000006:
      return "leaf 0x80000006";
    case CacheSource::kLeaf8000001D:
      return "leaf 0x8000001D";
  }
  return "?";
}

const CacheClaim* CacheClaims::Find(CacheSource source, int level,
                                    CacheType type) const {
  for (const CacheClaim& claim : leaf(source).claims) {
    const bool is_instruction = claim.type == CacheType::kInstruction;
    if (claim.level == level &&
        is_instruction == (type == CacheType::kInstruction)) {
      return &claim;
    }
  }
  return nullptr;
}

bool CacheClaims::empty() const {
  for (const CacheLeaf& leaf : leaves) {
    if (!leaf.claims.empty()) return false;
  }
  return true;
}

CacheClaims DecodeCacheClaims(const CpuidSource& cpu, uint32_t family,
                              uint32_t model) {
  CacheClaims claims;
  claims.leaves.push_back(DecodeLeaf2(cpu, family, model, &claims));
  claims.leaves.push_back(DecodeDeterministicLeaf(cpu, CacheSource::kLeaf4, 4));
  claims.leaves.push_back(DecodeLeaf80000005(cpu));
  claims.leaves.push_back(DecodeLeaf80000006(cpu));
  claims.leaves.push_back(
      DecodeDeterministicLeaf(cpu, CacheSource::kLeaf8000001D, 0x8000001d));
  return claims;
}

std::string FormatCacheSize(uint64_t bytes) {
  constexpr std::pair<int, absl::string_view> kUnits[] = {
      {30, "GiB"}, {20, "MiB"}, {10, "KiB"}};
  for (const auto& [shift, unit] : kUnits) {
    const uint64_t one = uint64_t{1} << shift;
    if (bytes < one) continue;
    if (bytes % one == 0) return absl::StrCat(bytes >> shift, " ", unit);
    // A decimal is exact only for halves.
    if (bytes % (one / 2) == 0) {
      return absl::StrCat(bytes >> shift, ".5 ", unit);
    }
  }
  return absl::StrCat(bytes, " B");
}

std::string CacheName(int level, CacheType type) {
  const absl::string_view suffix = type == CacheType::kData          ? "d"
                                   : type == CacheType::kInstruction ? "i"
                                                                     : "";
  return absl::StrCat("L", level, suffix);
}

std::string DescribeCacheClaim(const CacheClaim& claim) {
  std::string text = absl::StrCat(CacheName(claim.level, claim.type), " ",
                                  FormatCacheSize(claim.size));
  if (claim.fully_associative) {
    absl::StrAppend(&text, ", fully associative");
  } else if (claim.ways.has_value()) {
    absl::StrAppend(&text, ", ", *claim.ways, "-way");
  }
  if (claim.line.has_value()) absl::StrAppend(&text, ", line ", *claim.line);
  if (const auto sharers = claim.sharers(); sharers.has_value()) {
    absl::StrAppend(&text, ", ", *sharers,
                    *sharers == 1 ? " sharer" : " sharers");
  }
  if (claim.wraps_in_glibc()) {
    absl::StrAppend(&text, ", which is ",
                    FormatCacheSize(claim.size_in_32_bits()),
                    " in glibc's 32 bits");
  }
  if (claim.descriptor.has_value()) {
    absl::StrAppendFormat(&text, " (leaf 2, descriptor 0x%02x)",
                          *claim.descriptor);
  } else if (claim.leaf == 4 || claim.leaf == 0x8000001d) {
    absl::StrAppendFormat(&text, " (leaf %s:%d)",
                          claim.leaf == 4 ? "4" : "0x8000001D", claim.subleaf);
  } else {
    absl::StrAppendFormat(&text, " (leaf 0x%08X)", claim.leaf);
  }
  return text;
}

}  // namespace advisor
