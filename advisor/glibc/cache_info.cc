#include "advisor/glibc/cache_info.h"

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

// A leaf that goes on longer than this has no end.
constexpr uint32_t kMaxSubleaf = 256;

absl::string_view LevelName(CacheLevel level) {
  switch (level) {
    case CacheLevel::kL1d:
      return "L1d";
    case CacheLevel::kL1i:
      return "L1i";
    case CacheLevel::kL2:
      return "L2";
    case CacheLevel::kL3:
      return "L3";
    case CacheLevel::kL4:
      return "L4";
  }
  return "";
}

// A size, and where it came from (for the steps only).
struct Size {
  int64_t bytes = 0;
  bool hangs = false;
  std::string reason;
  std::string source;
};

Size Unknown(int64_t bytes, const StepRecorder& steps, absl::string_view reason,
             absl::string_view source) {
  Size size;
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
std::optional<Size> Leaf4Size(const CpuidSource& cpu, CacheLevel wanted,
                              const StepRecorder& steps) {
  for (uint32_t subleaf = 0; subleaf < kMaxSubleaf; ++subleaf) {
    const CpuidRegisters entry = cpu.Execute(4, subleaf);
    if ((entry.eax & 0x1f) == 0) return std::nullopt;
    if (!IsLevel(entry, wanted)) continue;
    const uint32_t ways = (entry.ebx >> 22) + 1;
    const uint32_t partitions = ((entry.ebx >> 12) & 0x3ff) + 1;
    const uint32_t line = (entry.ebx & 0xfff) + 1;
    const uint32_t sets = entry.ecx + 1;
    Size size;
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
  Size endless;
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

  Size Read() {
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
        Size size = ReadRegister(reg.value, reg.name);
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
  Size FromLeaf4OrNothing(uint32_t low_byte) {
    std::optional<Size> size = Leaf4Size(cpu_, wanted_, steps_);
    if (!size.has_value()) {
      return Unknown(-1, steps_, "leaf 4 has no such entry", "4");
    }
    if (steps_.enabled()) {
      absl::StrAppend(&size->reason, " (leaf 2's low byte is ", low_byte,
                      ", not 1: leaf 4 counts)");
    }
    return *size;
  }

  Size ReadRegister(uint32_t value, absl::string_view name) {
    if ((value & 0x80000000) != 0) return Size{};
    CacheLevel wanted = wanted_;
    for (int position = 0; value != 0; value >>= 8, ++position) {
      const uint8_t byte = value & 0xff;
      if (byte == 0x40) {
        no_level_2_or_3_ = true;
        if (wanted == CacheLevel::kL3) return Size{};
        continue;
      }
      if (byte == 0xff) {
        std::optional<Size> size = Leaf4Size(cpu_, wanted, steps_);
        if (size.has_value()) return *size;
        if (!build_.Has(Change::kLeaf2LowByte)) return Size{};
        return Unknown(-1, steps_, "leaf 4 has no such entry", "4");
      }
      // On family 15 model 6 this one is an L3, listed as an L2.
      if (byte == 0x49 && wanted == CacheLevel::kL3 && features_.family == 15 &&
          features_.model == 6) {
        wanted = CacheLevel::kL2;
      }
      const Leaf2Descriptor* descriptor = FindLeaf2Descriptor(byte);
      if (descriptor == nullptr || descriptor->level != wanted) continue;
      Size size;
      size.bytes = descriptor->size;
      if (steps_.enabled()) {
        size.reason =
            absl::StrFormat("descriptor 0x%02x = %d", byte, size.bytes);
        size.source = absl::StrFormat("2:0:%s[%d:%d]", name, position * 8 + 7,
                                      position * 8);
      }
      return size;
    }
    return Size{};
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

Size Leaf8000001dSize(const CpuidSource& cpu, CacheLevel level,
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
  Size size;
  size.bytes = ways * line * (entry.ecx + 1);
  if (steps.enabled()) {
    size.reason = absl::StrFormat(
        "(EBX[31:22]+1) * (EBX[11:0]+1) * (ECX+1) = %d * %d * %d = %d", ways,
        line, uint64_t{entry.ecx} + 1, size.bytes);
    size.source = source;
  }
  return size;
}

Size AmdLegacySize(const CpuidSource& cpu, CacheLevel level,
                   const StepRecorder& steps) {
  const uint32_t leaf = level == CacheLevel::kL1d ? 0x80000005 : 0x80000006;
  const std::string name = steps.enabled() ? absl::StrFormat("%x:0", leaf) : "";
  if (cpu.Execute(0x80000000).eax < leaf) {
    return Unknown(0, steps, "the highest extended leaf is below",
                   "80000000:0:EAX");
  }
  const CpuidRegisters entry = cpu.Execute(leaf);
  Size size;
  absl::string_view field;
  switch (level) {
    case CacheLevel::kL1d:
      size.bytes = (entry.ecx >> 14) & 0x3fc00;
      field = ":ECX[31:24]";
      break;
    case CacheLevel::kL2:
      size.bytes = (entry.ecx & 0xf000) == 0 ? 0 : (entry.ecx >> 6) & 0x3fffc00;
      field = ":ECX[31:16] (associativity in [15:12])";
      break;
    default:
      size.bytes =
          (entry.edx & 0xf000) == 0 ? 0 : (entry.edx & 0x3ffc0000u) << 1;
      field = ":EDX[31:18] (associativity in [15:12])";
      break;
  }
  if (steps.enabled()) {
    size.reason = level == CacheLevel::kL3 ? "times 512 KiB" : "in KiB";
    size.source = absl::StrCat(name, field);
  }
  return size;
}

// CPUID.1:EBX[23:16] if HTT, as the instruction gives it.
std::optional<uint32_t> LogicalProcessorsIfHtt(const CpuidSource& cpu) {
  const CpuidRegisters leaf1 = cpu.Execute(1);
  if (((leaf1.edx >> 28) & 1) == 0) return std::nullopt;
  return (leaf1.ebx >> 16) & 0xff;
}

uint32_t ThreadsPerCcx(const CpuidSource& cpu) {
  return ((cpu.Execute(0x8000001d, 3).eax >> 14) & 0xfff) + 1;
}

// The L3 of 0x80000006 is the package's; builds that use it beside 0x8000001D
// turn it into one CCX's (family 0x17 and later) or one thread's.
Size AmdConvertedL3(const CpuidSource& cpu, const CpuFeatures& features,
                    const StepRecorder& steps) {
  Size size = AmdLegacySize(cpu, CacheLevel::kL3, steps);
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

Size AmdSize(const CpuidSource& cpu, const GlibcBuild& build,
             const CpuFeatures& features, CacheLevel level,
             const StepRecorder& steps) {
  if (build.Has(Change::kAmdLegacyFallback)) {
    if (cpu.Execute(0x80000000).eax >= 0x8000001d) {
      const Size size = Leaf8000001dSize(cpu, level, true, steps);
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

Size CacheSize(const CpuidSource& cpu, const GlibcBuild& build,
               const CpuFeatures& features, CacheLevel level,
               const StepRecorder& steps) {
  switch (features.kind) {
    case CpuKind::kIntel:
      return Leaf2Reader(cpu, build, features, level, steps).Read();
    case CpuKind::kZhaoxin: {
      const std::optional<Size> size = Leaf4Size(cpu, level, steps);
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

// The lowest all-ones number that covers `value` (above 0), as bsr gives it.
int CountMask(int value) {
  int mask = 1;
  while (mask < value) mask = mask * 2 + 1;
  return mask;
}

std::string Number(int64_t value) { return absl::StrCat(value); }

// Intel's and Zhaoxin's count of the threads that share the last level, and
// one thread's share of it.
class ThreadCounter {
 public:
  ThreadCounter(const CpuidSource& cpu, const GlibcBuild& build,
                const CpuFeatures& features, const StepRecorder& steps)
      : cpu_(cpu), build_(build), features_(features), steps_(steps) {}

  void Count(CacheInfo& info) {
    level_ = 3;
    if (info.shared <= 0) {
      level_ = 2;
      info.shared = info.core;
      info.shared_per_thread = info.core;
      threads_l3_ = -1;
      steps_.Add([&] {
        return Step{"last level", "L2", "there is no L3", ""};
      });
    }
    const bool of_total = build_.Has(Change::kNonTemporalOfTotal);
    if (features_.Active(Feature::kHtt)) {
      const bool assumed = !CountShared(info);
      if (info.hangs) return;
      if (assumed) {
        info.threads = features_.logical_processor_count;
        steps_.Add([&] {
          return Step{"threads", Number(info.threads),
                      "leaf 4 does not list the last level: all logical "
                      "processors are taken to share it",
                      "1:0:EBX[23:16]"};
        });
      }
      int64_t& share = of_total ? info.shared_per_thread : info.shared;
      if ((!of_total || assumed || build_.Has(Change::kPerThreadOnAllPaths)) &&
          share > 0 && info.threads > 0) {
        const int64_t before = share;
        share /= info.threads;
        steps_.Add([&] {
          return Step{"share of one thread", Number(share),
                      absl::StrCat(before, " / ", info.threads, " = ", share),
                      ""};
        });
      }
    } else {
      steps_.Add([&] {
        return Step{"threads", "0",
                    features_.kind == CpuKind::kOther ||
                            features_.cpuid.Contains(Feature::kHtt)
                        ? "HTT is masked"
                        : "CPUID.1:EDX[28] (HTT) is 0: leaf 4 and 0xb are not "
                          "read",
                    "1:0:EDX[28]"};
      });
    }
    if (!inclusive_) AddLevel2(of_total, info);
  }

 private:
  void AddLevel2(bool of_total, CacheInfo& info) {
    const int64_t share = threads_l2_ > 0 ? info.core / threads_l2_ : info.core;
    if (of_total) {
      info.shared_per_thread += share;
      info.shared += info.core;
    } else {
      info.shared += share;
    }
    steps_.Add([&] {
      return Step{"shared", Number(info.shared),
                  absl::StrCat("L3 is not inclusive: plus ",
                               of_total ? info.core : share, " of L2"),
                  "4:3:EDX[1]"};
    });
  }

  // False: leaf 4 does not tell (threads stay unknown).
  bool CountShared(CacheInfo& info) {
    if (static_cast<int32_t>(features_.max_leaf) < 4) return false;
    if (!ReadLeaf4(info) || info.hangs) return false;
    if (static_cast<int32_t>(features_.max_leaf) >= 11 &&
        !(features_.kind == CpuKind::kZhaoxin && features_.family == 6)) {
      ReadLeafB(info);
      if (info.hangs) return false;
    }
    if (threads_l2_ > 0) ++threads_l2_;
    if (threads_l3_ > 0) ++threads_l3_;
    if (level_ == 2) {
      if (threads_l2_ != 0) info.threads = threads_l2_;
      if (info.threads > 2 && SharesL2ByTwo()) info.threads = 2;
    } else if (threads_l3_ != 0) {
      info.threads = threads_l3_;
    }
    steps_.Add([&] {
      return Step{"threads", Number(info.threads),
                  info.threads == 0 ? "the sharing fields come out 0, and "
                                      "nothing is added to a 0"
                                    : absl::StrCat("sharing L", level_),
                  ""};
    });
    return true;
  }

  // Fills threads_l2_ and threads_l3_ with the sharing fields (one less than
  // the count). False: the list ended before the wanted levels.
  bool ReadLeaf4(CacheInfo& info) {
    bool want_l2 = true;
    bool want_l3 = threads_l3_ == 0;
    for (uint32_t subleaf = 0; want_l2 || want_l3; ++subleaf) {
      if (subleaf == kMaxSubleaf) {
        info.hangs = true;
        steps_.Add([&] {
          return Step{"start-up", "hangs",
                      "the loop over leaf 4 waits for a level that is not "
                      "there",
                      "4"};
        });
        return false;
      }
      const CpuidRegisters entry = cpu_.Execute(4, subleaf);
      if (features_.kind == CpuKind::kIntel && (entry.eax & 0x1f) == 0) {
        return false;
      }
      const int sharing = (entry.eax >> 14) & 0x3ff;
      const uint32_t level = (entry.eax >> 5) & 0x7;
      if (level == 2 && want_l2) {
        threads_l2_ = sharing;
        want_l2 = false;
        RecordSharing("L2 sharing", sharing, subleaf);
      } else if (level == 3 && want_l3) {
        threads_l3_ = sharing;
        inclusive_ = (entry.edx & 0x2) != 0;
        want_l3 = false;
        RecordSharing("L3 sharing", sharing, subleaf);
      }
    }
    return true;
  }

  void RecordSharing(absl::string_view name, int sharing, uint32_t subleaf) {
    steps_.Add([&] {
      return Step{std::string(name), Number(sharing), "one less than the ids",
                  absl::StrFormat("4:%x:EAX[25:14]", subleaf)};
    });
  }

  void ReadLeafB(CacheInfo& info) {
    bool want_smt = threads_l2_ > 0 && level_ == 3;
    bool want_core = threads_l3_ > 0 || (threads_l2_ > 0 && level_ == 2);
    for (uint32_t subleaf = 0; want_smt || want_core; ++subleaf) {
      if (subleaf == kMaxSubleaf) {
        info.hangs = true;
        return;
      }
      const CpuidRegisters entry = cpu_.Execute(0xb, subleaf);
      const int shipped = entry.ebx & 0xff;
      const uint32_t type = (entry.ecx >> 8) & 0xff;
      if (shipped == 0 || type == 0) return;
      if (type == 1 && want_smt) {
        MaskCount(threads_l2_, shipped, subleaf, "L2 sharing");
        want_smt = false;
      } else if (type == 2 && want_core) {
        if (level_ == 2) {
          MaskCount(threads_l2_, shipped, subleaf, "L2 sharing");
        } else {
          MaskCount(threads_l3_, shipped, subleaf, "L3 sharing");
        }
        want_core = false;
      }
    }
  }

  void MaskCount(int& sharing, int shipped, uint32_t subleaf,
                 absl::string_view name) {
    const int mask = CountMask(sharing);
    sharing = (shipped - 1) & mask;
    steps_.Add([&] {
      return Step{std::string(name), Number(sharing),
                  absl::StrCat("(", shipped, " - 1) & ", mask, " = ", sharing),
                  absl::StrFormat("b:%x:EBX[7:0]", subleaf)};
    });
  }

  // Silvermont and Airmont: two cores share an L2.
  bool SharesL2ByTwo() const {
    if (features_.kind != CpuKind::kIntel || features_.family != 6) {
      return false;
    }
    switch (features_.model) {
      case 0x37:
      case 0x4a:
      case 0x4d:
      case 0x5a:
      case 0x5d:
        return true;
      default:
        return false;
    }
  }

  const CpuidSource& cpu_;
  const GlibcBuild& build_;
  const CpuFeatures& features_;
  const StepRecorder& steps_;
  int level_ = 3;
  int threads_l2_ = 0;
  int threads_l3_ = 0;
  bool inclusive_ = true;
};

// AMD's share of the package L3 that 0x80000006 tells.
void ShareAmdL3(const CpuidSource& cpu, const GlibcBuild& build,
                const CpuFeatures& features, const StepRecorder& steps,
                CacheInfo& info) {
  if (cpu.Execute(0x80000000).eax >= 0x80000008) {
    info.threads = 1u << ((cpu.Execute(0x80000008).ecx >> 12) & 0xf);
    steps.Add([&] {
      return Step{"threads", Number(info.threads), "2 to that power",
                  "80000008:0:ECX[15:12]"};
    });
  }
  const bool ccx = build.Has(Change::kAmdCcxShare) && features.family >= 0x17;
  if (info.threads == 0 || ccx) {
    const std::optional<uint32_t> count = LogicalProcessorsIfHtt(cpu);
    if (count.has_value()) {
      info.threads = *count;
      steps.Add([&] {
        return Step{"threads", Number(info.threads), "HTT is 1",
                    "1:0:EBX[23:16]"};
      });
    }
  }

  const bool of_total = build.Has(Change::kNonTemporalOfTotal);
  int64_t& share = of_total ? info.shared_per_thread : info.shared;
  const int64_t total = share;
  if (info.threads > 0) share /= info.threads;
  if (ccx) {
    const uint32_t per_ccx = ThreadsPerCcx(cpu);
    share *= per_ccx;
    steps.Add([&] {
      return Step{"share of one CCX", Number(share),
                  absl::StrCat(total, " / ", info.threads, " * ", per_ccx,
                               " = ", share),
                  "8000001d:3:EAX[25:14]+1"};
    });
    return;
  }
  info.shared += info.core;
  if (of_total) info.shared_per_thread += info.core;
  steps.Add([&] {
    return Step{"share of one thread", Number(share),
                absl::StrCat(total, " / ", info.threads, " + L2 ", info.core,
                             " = ", share),
                ""};
  });
}

void ShareAmd(const CpuidSource& cpu, const GlibcBuild& build,
              const CpuFeatures& features, const StepRecorder& steps,
              CacheInfo& info) {
  if (info.shared <= 0) {
    info.shared = info.core;
    info.shared_per_thread = info.core;
    steps.Add([&] {
      return Step{"last level", "L2", "there is no L3; threads stay 0", ""};
    });
    return;
  }
  if (!build.Has(Change::kAmdLeaf8000001d)) {
    ShareAmdL3(cpu, build, features, steps, info);
    return;
  }
  // 0x8000001D tells one CCX's L3 and needs no division.
  if (build.Has(Change::kAmdLegacyFallback) && features.family < 0x17) {
    info.shared += info.core;
  }
  info.shared_per_thread = info.shared;
}

}  // namespace

CacheInfo ComputeCacheInfo(const CpuidSource& cpu, const GlibcBuild& build,
                           const CpuFeatures& features,
                           const StepRecorder& steps) {
  CacheInfo info;
  if (features.kind == CpuKind::kOther) {
    steps.Add([] {
      return Step{"cache sizes", "-1", "unknown vendor: no leaf is read", ""};
    });
    return info;
  }
  const struct {
    CacheLevel level;
    int64_t* bytes;
  } levels[] = {{CacheLevel::kL1d, &info.level1_dcache_size},
                {CacheLevel::kL2, &info.level2_cache_size},
                {CacheLevel::kL3, &info.level3_cache_size}};
  for (const auto& [level, bytes] : levels) {
    const Size size = CacheSize(cpu, build, features, level, steps);
    if (size.hangs) {
      info.hangs = true;
      steps.Add([&] {
        return Step{"start-up", "hangs", "leaf 4 has no end", "4"};
      });
      return info;
    }
    *bytes = size.bytes;
    steps.Add([&, level = level] {
      return Step{std::string(LevelName(level)), Number(size.bytes),
                  size.reason, size.source};
    });
  }
  info.data = info.level1_dcache_size;
  info.core = info.level2_cache_size;
  info.shared = info.level3_cache_size;
  info.shared_per_thread = info.shared;

  switch (features.kind) {
    case CpuKind::kIntel:
    case CpuKind::kZhaoxin:
      ThreadCounter(cpu, build, features, steps).Count(info);
      break;
    case CpuKind::kAmd:
      ShareAmd(cpu, build, features, steps, info);
      break;
    case CpuKind::kHygon:
    case CpuKind::kOther:
      break;
  }
  return info;
}

}  // namespace advisor
