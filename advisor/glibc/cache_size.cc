#include "advisor/glibc/cache_size.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/leaf2.h"
#include "advisor/glibc/step.h"

namespace advisor {
namespace {

CacheSize Unknown(int64_t bytes, const StepRecorder& steps,
                  absl::string_view reason, absl::string_view source) {
  CacheSize size;
  size.bytes = bytes;
  if (steps.enabled()) {
    size.reason = std::string(reason);
    size.source = std::string(source);
  }
  return size;
}

bool IsLevel(const CpuidRegisters& entry, CacheLevel wanted) {
  const uint32_t type = entry.eax & 0x1f;
  const uint32_t level = (entry.eax >> 5) & 0x7;
  switch (wanted) {
    case CacheLevel::kL1d:
      return level == 1 && type == 1;
    case CacheLevel::kL1i:
      return level == 1 && type == 2;
    case CacheLevel::kL2:
      return level == 2;
    case CacheLevel::kL3:
      return level == 3;
    case CacheLevel::kL4:
      return level == 4;
  }
  return false;
}

// The first leaf 4 entry of that level; nullopt where the list ends without.
// The product is of 32-bit numbers: a cache of 4 GiB or more wraps.
std::optional<CacheSize> Leaf4Size(const CpuidSource& cpu, CacheLevel wanted,
                                   const StepRecorder& steps) {
  for (uint32_t subleaf = 0; subleaf < kMaxSubleaf; ++subleaf) {
    const CpuidRegisters entry = cpu.Execute(4, subleaf);
    if ((entry.eax & 0x1f) == 0) return std::nullopt;
    if (!IsLevel(entry, wanted)) continue;
    const uint32_t ways = (entry.ebx >> 22) + 1;
    const uint32_t partitions = ((entry.ebx >> 12) & 0x3ff) + 1;
    const uint32_t line = (entry.ebx & 0xfff) + 1;
    const uint32_t sets = entry.ecx + 1;
    CacheSize size;
    size.bytes = ways * partitions * line * sets;
    if (steps.enabled()) {
      const uint64_t exact =
          uint64_t{ways} * partitions * line * (uint64_t{entry.ecx} + 1);
      size.reason = absl::StrFormat(
          "(EBX[31:22]+1) * (EBX[21:12]+1) * (EBX[11:0]+1) * (ECX+1) = %d * "
          "%d * %d * %d = %d",
          ways, partitions, line, uint64_t{entry.ecx} + 1, exact);
      if (exact != static_cast<uint64_t>(size.bytes)) {
        absl::StrAppend(&size.reason, ", cut to 32 bits: ", size.bytes);
      }
      size.source = absl::StrFormat("4:%x:EBX,ECX", subleaf);
    }
    return size;
  }
  CacheSize endless;
  endless.hangs = true;
  return endless;
}

// Leaf 2 and its descriptors.
class Leaf2Reader {
 public:
  Leaf2Reader(const CpuidSource& cpu, const GlibcBuild& build,
              const CpuFeatures& features, CacheLevel wanted,
              const StepRecorder& steps)
      : cpu_(cpu),
        build_(build),
        features_(features),
        wanted_(wanted),
        steps_(steps) {}

  CacheSize Read() {
    if (features_.max_leaf < 2) {
      return Unknown(-1, steps_, "the highest leaf is below 2", "0:0:EAX");
    }
    CpuidRegisters leaf2 = cpu_.Execute(2);
    const uint32_t low_byte = leaf2.eax & 0xff;
    leaf2.eax &= 0xffffff00;
    uint32_t rounds = low_byte == 0 ? 1 : low_byte;
    if (build_.Has(Change::kLeaf2LowByte)) {
      if (low_byte != 1) return FromLeaf4OrNothing(low_byte);
      rounds = 1;
    }
    for (uint32_t round = 0; round < rounds; ++round) {
      // Only the first round's count is no descriptor.
      if (round == 1) leaf2 = cpu_.Execute(2);
      const struct {
        uint32_t value;
        absl::string_view name;
      } registers[] = {{leaf2.eax, "EAX"},
                       {leaf2.ebx, "EBX"},
                       {leaf2.ecx, "ECX"},
                       {leaf2.edx, "EDX"}};
      for (const auto& reg : registers) {
        CacheSize size = ReadRegister(reg.value, reg.name);
        if (size.hangs || size.bytes != 0) return size;
      }
      // Every further round sees what the second saw.
      if (round == 1) break;
    }
    if (no_level_2_or_3_ &&
        (wanted_ == CacheLevel::kL2 || wanted_ == CacheLevel::kL3)) {
      return Unknown(-1, steps_, "descriptor 0x40: no L2 or L3", "2:0");
    }
    return Unknown(0, steps_, "no descriptor of this level", "2:0");
  }

 private:
  CacheSize FromLeaf4OrNothing(uint32_t low_byte) {
    std::optional<CacheSize> size = Leaf4Size(cpu_, wanted_, steps_);
    if (!size.has_value()) {
      return Unknown(-1, steps_, "leaf 4 has no such entry", "4");
    }
    if (steps_.enabled()) {
      absl::StrAppend(&size->reason, " (leaf 2's low byte is ", low_byte,
                      ", not 1: leaf 4 counts)");
    }
    return *size;
  }

  CacheSize ReadRegister(uint32_t value, absl::string_view name) {
    if ((value & 0x80000000) != 0) return CacheSize{};
    CacheLevel wanted = wanted_;
    for (int position = 0; value != 0; value >>= 8, ++position) {
      const uint8_t byte = value & 0xff;
      if (byte == 0x40) {
        no_level_2_or_3_ = true;
        if (wanted == CacheLevel::kL3) return CacheSize{};
        continue;
      }
      if (byte == 0xff) {
        std::optional<CacheSize> size = Leaf4Size(cpu_, wanted, steps_);
        if (size.has_value()) return *size;
        if (!build_.Has(Change::kLeaf2LowByte)) return CacheSize{};
        return Unknown(-1, steps_, "leaf 4 has no such entry", "4");
      }
      // On family 15 model 6 this one is an L3, listed as an L2.
      if (byte == 0x49 && wanted == CacheLevel::kL3 && features_.family == 15 &&
          features_.model == 6) {
        wanted = CacheLevel::kL2;
      }
      const Leaf2Descriptor* descriptor = FindLeaf2Descriptor(byte);
      if (descriptor == nullptr || descriptor->level != wanted) continue;
      CacheSize size;
      size.bytes = descriptor->size;
      if (steps_.enabled()) {
        size.reason =
            absl::StrFormat("descriptor 0x%02x = %d", byte, size.bytes);
        size.source = absl::StrFormat("2:0:%s[%d:%d]", name, position * 8 + 7,
                                      position * 8);
      }
      return size;
    }
    return CacheSize{};
  }

  const CpuidSource& cpu_;
  const GlibcBuild& build_;
  const CpuFeatures& features_;
  const CacheLevel wanted_;
  const StepRecorder& steps_;
  bool no_level_2_or_3_ = false;
};

// 0x8000001D, subleaf 0 L1d, 2 L2, 3 L3; its partitions are ignored.
uint32_t AmdSubleaf(CacheLevel level) {
  switch (level) {
    case CacheLevel::kL1d:
      return 0;
    case CacheLevel::kL1i:
      return 1;
    case CacheLevel::kL2:
      return 2;
    default:
      return 3;
  }
}

CacheSize Leaf8000001dSize(const CpuidSource& cpu, CacheLevel level,
                           bool zero_sets_is_none, const StepRecorder& steps) {
  const uint32_t subleaf = AmdSubleaf(level);
  const CpuidRegisters entry = cpu.Execute(0x8000001d, subleaf);
  const std::string source =
      steps.enabled() ? absl::StrFormat("8000001d:%x:EBX,ECX", subleaf) : "";
  if (zero_sets_is_none && entry.ecx == 0) {
    return Unknown(0, steps, "ECX is 0: no such cache", source);
  }
  const uint32_t ways = (entry.ebx >> 22) + 1;
  const uint32_t line = (entry.ebx & 0xfff) + 1;
  CacheSize size;
  size.bytes = ways * line * (entry.ecx + 1);
  if (steps.enabled()) {
    size.reason = absl::StrFormat(
        "(EBX[31:22]+1) * (EBX[11:0]+1) * (ECX+1) = %d * %d * %d = %d", ways,
        line, uint64_t{entry.ecx} + 1, size.bytes);
    size.source = source;
  }
  return size;
}

CacheSize AmdLegacySize(const CpuidSource& cpu, CacheLevel level,
                        const StepRecorder& steps) {
  const uint32_t leaf = level == CacheLevel::kL1d ? 0x80000005 : 0x80000006;
  if (cpu.Execute(0x80000000).eax < leaf) {
    return Unknown(0, steps, "the highest extended leaf is below",
                   "80000000:0:EAX");
  }
  const CpuidRegisters entry = cpu.Execute(leaf);
  uint32_t field = entry.ecx >> 24;
  uint32_t kib = 1;
  bool present = true;
  absl::string_view name = "ECX[31:24]";
  if (level == CacheLevel::kL2) {
    field = entry.ecx >> 16;
    present = (entry.ecx & 0xf000) != 0;
    name = "ECX[31:12]";
  } else if (level == CacheLevel::kL3) {
    // The field goes on to bit 31; glibc drops the upper two, 2 GiB and up.
    field = (entry.edx >> 18) & 0xfff;
    kib = 512;
    present = (entry.edx & 0xf000) != 0;
    name = "EDX[29:12]";
  }
  CacheSize size;
  if (present) size.bytes = int64_t{field} * kib * 1024;
  if (steps.enabled()) {
    size.reason =
        present ? absl::StrFormat("%d * %d KiB = %d", field, kib, size.bytes)
                : "associativity 0: no such cache";
    size.source = absl::StrFormat("%x:0:%s", leaf, name);
  }
  return size;
}

// The L3 of 0x80000006 is the package's; builds that use it beside 0x8000001D
// turn it into one CCX's (family 0x17 and later) or one thread's.
CacheSize AmdConvertedL3(const CpuidSource& cpu, const CpuFeatures& features,
                         const StepRecorder& steps) {
  CacheSize size = AmdLegacySize(cpu, CacheLevel::kL3, steps);
  if (size.bytes == 0) return size;
  uint32_t threads = 0;
  absl::string_view source = "80000008:0:ECX[7:0]+1";
  if (cpu.Execute(0x80000000).eax >= 0x80000008) {
    threads = (cpu.Execute(0x80000008).ecx & 0xff) + 1;
  } else {
    threads = LogicalProcessorsIfHtt(cpu).value_or(0);
    source = "1:0:EBX[23:16]";
  }
  const int64_t total = size.bytes;
  size.bytes = threads > 0 ? total / threads : 0;
  const bool ccx = features.family >= 0x17;
  const uint32_t per_ccx = ccx ? ThreadsPerCcx(cpu) : 1;
  if (ccx) size.bytes *= per_ccx;
  if (steps.enabled()) {
    size.reason = absl::StrCat(total, " / ", threads,
                               ccx ? absl::StrCat(" * ", per_ccx) : "", " = ",
                               size.bytes);
    absl::StrAppend(&size.source, ", ", source,
                    ccx ? ", 8000001d:3:EAX[25:14]+1" : "");
  }
  return size;
}

CacheSize AmdSize(const CpuidSource& cpu, const GlibcBuild& build,
                  const CpuFeatures& features, CacheLevel level,
                  const StepRecorder& steps) {
  if (build.Has(Change::kAmdLegacyFallback)) {
    if (cpu.Execute(0x80000000).eax >= 0x8000001d) {
      const CacheSize size = Leaf8000001dSize(cpu, level, true, steps);
      if (cpu.Execute(0x8000001d, AmdSubleaf(level)).ecx != 0) return size;
    }
    return level == CacheLevel::kL3 ? AmdConvertedL3(cpu, features, steps)
                                    : AmdLegacySize(cpu, level, steps);
  }
  if (build.Has(Change::kAmdLeaf8000001d)) {
    return Leaf8000001dSize(cpu, level, true, steps);
  }
  return AmdLegacySize(cpu, level, steps);
}

}  // namespace

std::optional<uint32_t> LogicalProcessorsIfHtt(const CpuidSource& cpu) {
  const CpuidRegisters leaf1 = cpu.Execute(1);
  if (((leaf1.edx >> 28) & 1) == 0) return std::nullopt;
  return (leaf1.ebx >> 16) & 0xff;
}

uint32_t ThreadsPerCcx(const CpuidSource& cpu) {
  return ((cpu.Execute(0x8000001d, 3).eax >> 14) & 0xfff) + 1;
}

CacheSize ReadCacheSize(const CpuidSource& cpu, const GlibcBuild& build,
                        const CpuFeatures& features, CacheLevel level,
                        const StepRecorder& steps) {
  switch (features.kind) {
    case CpuKind::kIntel:
      return Leaf2Reader(cpu, build, features, level, steps).Read();
    case CpuKind::kZhaoxin: {
      const std::optional<CacheSize> size = Leaf4Size(cpu, level, steps);
      if (size.has_value()) return *size;
      return Unknown(0, steps, "leaf 4 has no such entry", "4");
    }
    case CpuKind::kAmd:
      return AmdSize(cpu, build, features, level, steps);
    case CpuKind::kHygon:
      return Leaf8000001dSize(cpu, level, false, steps);
    case CpuKind::kOther:
      break;
  }
  return Unknown(-1, steps, "unknown vendor: no leaf is read", "");
}

}  // namespace advisor
