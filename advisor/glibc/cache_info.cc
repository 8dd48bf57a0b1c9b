#include "advisor/glibc/cache_info.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/cache_size.h"
#include "advisor/glibc/cpu_features.h"
#include "advisor/glibc/leaf2.h"
#include "advisor/glibc/step.h"

namespace advisor {
namespace {

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
      } else {
        steps_.Add([&] {
          return Step{"share of one thread", Number(share),
                      info.threads > 0 && share > 0
                          ? "not divided by the threads (bug 30745)"
                          : "nothing to divide",
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
    steps.Add([&] {
      return Step{
          "shared", Number(info.shared),
          absl::StrCat("L3 and L2 exclude each other: ", info.level3_cache_size,
                       " + ", info.core, " = ", info.shared),
          ""};
    });
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
    const CacheSize size = ReadCacheSize(cpu, build, features, level, steps);
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
