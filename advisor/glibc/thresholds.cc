#include "advisor/glibc/thresholds.h"

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/tunables.h"

namespace advisor {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
constexpr uint64_t k64MiB = 64 * 1024 * 1024;

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }
uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

// value * 3 / 4 in 64 bits, as the compiled code wraps.
uint64_t ThreeQuarters(int64_t value) {
  return Unsigned(Signed(Unsigned(value) * 3) / 4);
}

int64_t Rounded(int64_t value) { return value & ~int64_t{255}; }

// Sets the record with narrower bounds, as the loader does.
void UpdateRecord(const GlibcBuild& build, uint64_t value, uint64_t minimum,
                  uint64_t maximum, TunableRecord& record) {
  if (build.Has(Change::kTunableRecord)) {
    if (minimum < record.minimum) minimum = record.minimum;
    if (maximum > record.maximum) maximum = record.maximum;
    if (minimum > maximum) {
      minimum = record.minimum;
      maximum = record.maximum;
    }
    if (value < minimum || value > maximum) return;
    record = {value, minimum, maximum};
    return;
  }
  if (maximum >= minimum && maximum <= record.maximum &&
      minimum >= record.minimum) {
    record.minimum = minimum;
    record.maximum = maximum;
  }
  if (value >= record.minimum && value <= record.maximum) record.value = value;
}

class Computation {
 public:
  Computation(const GlibcBuild& build, const CpuFeatures& features,
              const CacheInfo& cache, const ParsedTunables& tunables,
              const StepRecorder& steps)
      : build_(build),
        features_(features),
        cache_(cache),
        tunables_(tunables),
        steps_(steps) {}

  Thresholds Run() {
    if (build_.Has(Change::kCacheInfoInLoader)) {
      InLoader();
    } else {
      InLibc();
    }
    if (build_.Has(Change::kAvoidShortDistance)) {
      result_.string_control =
          features_.flags.Contains(Flag::kAvoidShortDistanceRepMovsb) ? 1 : 0;
    }
    return result_;
  }

 private:
  // 2.26 to 2.32: in a constructor of libc.so.
  void InLibc() {
    const bool of_total = build_.Has(Change::kNonTemporalOfTotal);
    int64_t data = cache_.data;
    Override(Tunable::kX86DataCacheSize, data);
    if (data > 0) result_.data_cache_size = Rounded(data);
    RecordSize("data_cache_size", result_.data_cache_size, data);

    int64_t shared = of_total ? cache_.shared_per_thread : cache_.shared;
    Override(Tunable::kX86SharedCacheSize, shared);
    if (shared > 0) {
      shared = Rounded(shared);
      result_.shared_cache_size = shared;
    }
    RecordSize("shared_cache_size", result_.shared_cache_size, shared);

    uint64_t& threshold = result_.non_temporal_threshold;
    const uint64_t user = tunables_.Number(Tunable::kX86NonTemporalThreshold);
    if (user != 0) {
      threshold = user;
      RecordTunable("non_temporal_threshold", threshold);
    } else if (of_total) {
      threshold = OfTotal(cache_.shared, shared);
    } else if (build_.Has(Change::kNonTemporalPerThread)) {
      threshold = ThreeQuarters(Signed(result_.shared_cache_size));
      RecordArithmetic("non_temporal_threshold", threshold, [&] {
        return absl::StrCat(result_.shared_cache_size,
                            " * 3 / 4 = ", threshold);
      });
    } else {
      threshold =
          ThreeQuarters(Signed(result_.shared_cache_size * cache_.threads));
      RecordArithmetic("non_temporal_threshold", threshold, [&] {
        return absl::StrCat(result_.shared_cache_size, " * ", cache_.threads,
                            " threads * 3 / 4 = ", threshold);
      });
    }
    if (build_.Has(Change::kRepThresholdTunables)) RepThresholdsInLibc();
  }

  void RepThresholdsInLibc() {
    const int vector = VectorClass(features_);
    const uint64_t listed = tunables_.Number(Tunable::kX86RepMovsbThreshold);
    const bool above = listed > 8u * vector;
    const uint64_t movsb = above ? listed : ConstantRepMovsbThreshold(vector);
    result_.rep_movsb_threshold = movsb;
    RecordArithmetic("rep_movsb_threshold", movsb, [&] {
      return above
                 ? absl::StrCat("the tunable, or its default of 2048: ", listed)
                 : absl::StrCat("the tunable is not above 8 * ", vector,
                                ": 2048 * ", vector, " / 16");
    });
    result_.rep_stosb_threshold =
        tunables_.Number(Tunable::kX86RepStosbThreshold);
    RecordArithmetic("rep_stosb_threshold", *result_.rep_stosb_threshold,
                     [] { return std::string("the tunable or its default"); });
  }

  // 2.33 and later: in ld.so, copied into libc.
  void InLoader() {
    uint64_t non_temporal = ComputedNonTemporal();
    uint64_t stop = StopBeforeTunables(non_temporal);
    uint64_t movsb = ComputedMovsb(non_temporal);
    const uint64_t movsb_minimum = 8u * VectorClass(features_);

    int64_t data = cache_.data;
    int64_t shared = cache_.shared;
    Override(Tunable::kX86DataCacheSize, data);
    Override(Tunable::kX86SharedCacheSize, shared);

    uint64_t memset = ComputedMemset(non_temporal);
    TakeNonTemporal("non_temporal_threshold", Tunable::kX86NonTemporalThreshold,
                    non_temporal);
    if (build_.Has(Change::kMemsetNonTemporalThreshold)) {
      TakeNonTemporal("memset_non_temporal_threshold",
                      Tunable::kX86MemsetNonTemporalThreshold, memset);
    }
    TakeMovsb(movsb_minimum, movsb);
    const uint64_t stosb = Stosb(memset);
    if (build_.Has(Change::kStopAfterTunables)) {
      stop = StopAfterTunables(non_temporal);
    }

    WriteRecord(Tunable::kX86DataCacheSize, Unsigned(data), 0, kMax);
    WriteRecord(Tunable::kX86SharedCacheSize, Unsigned(shared), 0, kMax);
    const bool bounds = build_.Has(Change::kNonTemporalRecordBounds);
    WriteRecord(Tunable::kX86NonTemporalThreshold, non_temporal,
                bounds ? kMinimumNonTemporalThreshold : 0,
                bounds ? kMaximumNonTemporalThreshold : kMax);
    WriteRecord(Tunable::kX86RepMovsbThreshold, movsb, movsb_minimum, kMax);
    WriteRecord(Tunable::kX86RepStosbThreshold, stosb, 1, kMax);

    SetSizes(data, shared);
    result_.non_temporal_threshold = non_temporal;
    result_.rep_movsb_threshold = movsb;
    result_.rep_stosb_threshold = stosb;
    if (build_.Has(Change::kRepMovsbStop)) {
      result_.rep_movsb_stop_threshold = stop;
      RecordStop(stop);
    }
    if (build_.Has(Change::kMemsetNonTemporalThreshold)) {
      result_.memset_non_temporal_threshold = memset;
    }
  }

  void SetSizes(int64_t data, int64_t shared) {
    result_.unrounded_data_cache_size = Unsigned(data);
    result_.unrounded_shared_cache_size = Unsigned(shared);
    const bool keep = build_.Has(Change::kKeepDefaultSizes);
    if (!keep || Rounded(data) > 0) {
      result_.data_cache_size = Unsigned(Rounded(data));
    }
    if (!keep || Rounded(shared) > 0) {
      result_.shared_cache_size = Unsigned(Rounded(shared));
    }
    RecordSize("data_cache_size", result_.data_cache_size, data);
    RecordSize("shared_cache_size", result_.shared_cache_size, shared);
  }

  // total / divisor, at least 3/4 of one thread's share; that share alone
  // without ERMS.
  uint64_t OfTotal(int64_t total, int64_t share) {
    uint64_t divisor = 4;
    uint64_t base = Unsigned(total / 4);
    if (build_.Has(Change::kNonTemporalDivisor)) {
      divisor = features_.non_temporal_divisor;
      base = Unsigned(total) / divisor;
    }
    const uint64_t low = ThreeQuarters(share);
    const bool chunked = !features_.Active(Feature::kErms) &&
                         !(build_.Has(Change::kZhaoxinNonTemporal) &&
                           features_.kind == CpuKind::kZhaoxin);
    const uint64_t threshold = chunked || base < low ? low : base;
    RecordArithmetic("non_temporal_threshold", threshold, [&] {
      if (chunked) {
        return absl::StrCat("no ERMS: ", share, " * 3 / 4 = ", low);
      }
      return absl::StrCat("the larger of ", Unsigned(total), " / ", divisor,
                          " = ", base, " and ", share, " * 3 / 4 = ", low);
    });
    return threshold;
  }

  uint64_t ComputedNonTemporal() {
    uint64_t threshold;
    if (build_.Has(Change::kNonTemporalOfTotal)) {
      threshold = OfTotal(cache_.shared, cache_.shared_per_thread);
    } else {
      threshold = ThreeQuarters(cache_.shared);
      RecordArithmetic("non_temporal_threshold", threshold, [&] {
        return absl::StrCat(cache_.shared, " * 3 / 4 = ", threshold);
      });
    }
    if (!build_.Has(Change::kNonTemporalClamp)) return threshold;
    const uint64_t computed = threshold;
    if (threshold < kMinimumNonTemporalThreshold) {
      threshold = build_.Has(Change::kNonTemporal64MiB)
                      ? k64MiB
                      : kMinimumNonTemporalThreshold;
    } else if (threshold > kMaximumNonTemporalThreshold) {
      threshold = kMaximumNonTemporalThreshold;
    }
    if (threshold != computed) {
      RecordArithmetic("non_temporal_threshold", threshold, [&] {
        return absl::StrCat(computed, " is outside ",
                            kMinimumNonTemporalThreshold, " to ",
                            kMaximumNonTemporalThreshold);
      });
    }
    return threshold;
  }

  uint64_t StopBeforeTunables(uint64_t computed) const {
    return features_.kind == CpuKind::kAmd ? Unsigned(cache_.core) : computed;
  }

  uint64_t StopAfterTunables(uint64_t non_temporal) const {
    if (build_.Has(Change::kAmdMovsbIsNonTemporal)) return non_temporal;
    return StopBeforeTunables(non_temporal);
  }

  void RecordStop(uint64_t stop) {
    RecordArithmetic("rep_movsb_stop_threshold", stop, [&] {
      if (features_.kind == CpuKind::kAmd &&
          !build_.Has(Change::kAmdMovsbIsNonTemporal)) {
        return std::string("the L2 size, as for AMD");
      }
      return std::string(build_.Has(Change::kStopAfterTunables)
                             ? "non_temporal_threshold"
                             : "non_temporal_threshold before tunables");
    });
  }

  // A 32-bit variable until the build is wide enough.
  uint64_t Narrowed(uint64_t value) const {
    return build_.Has(Change::kWideMovsb) ? value
                                          : static_cast<uint32_t>(value);
  }

  uint64_t ComputedMovsb(uint64_t non_temporal) {
    const int vector = VectorClass(features_);
    uint64_t movsb = ConstantRepMovsbThreshold(vector);
    absl::string_view why = "2048 * vector size / 16";
    if (build_.Has(Change::kDoubledMovsb) && vector > 16) {
      movsb *= 2;
      why = "4096 * vector size / 16";
    }
    if (build_.Has(Change::kFsrm2112) && features_.Active(Feature::kFsrm)) {
      movsb = 2112;
      why = "FSRM";
    }
    if (build_.Has(Change::kAmdMovsbIsNonTemporal) &&
        features_.kind == CpuKind::kAmd) {
      movsb = Narrowed(non_temporal);
      why = "AMD: the computed non_temporal_threshold";
    }
    RecordArithmetic("rep_movsb_threshold", movsb, [&] {
      return absl::StrCat(why, " (vector size ", vector, ")");
    });
    return movsb;
  }

  void TakeMovsb(uint64_t minimum, uint64_t& movsb) {
    const uint64_t user = tunables_.Number(Tunable::kX86RepMovsbThreshold);
    // The comparison became unsigned together with the variable.
    const bool above = build_.Has(Change::kWideMovsb)
                           ? user > minimum
                           : Signed(user) > Signed(minimum);
    if (above) {
      movsb = Narrowed(user);
      RecordTunable("rep_movsb_threshold", movsb);
    } else if (tunables_.IsSet(Tunable::kX86RepMovsbThreshold)) {
      RecordRefused("rep_movsb_threshold", movsb, user, [&] {
        return absl::StrCat("not above 8 vectors, ", minimum);
      });
    }
  }

  uint64_t ComputedMemset(uint64_t non_temporal) {
    if (!build_.Has(Change::kMemsetNonTemporalThreshold)) return kMax;
    const bool vendor = build_.Has(Change::kAvoidNonTemporalMemsetDefault) ||
                        features_.kind == CpuKind::kIntel ||
                        (features_.kind == CpuKind::kAmd &&
                         build_.Has(Change::kMemsetNonTemporalAmd));
    const bool used =
        vendor && !features_.flags.Contains(Flag::kAvoidNonTemporalMemset);
    const uint64_t memset = used ? non_temporal : kMax;
    RecordArithmetic("memset_non_temporal_threshold", memset, [&] {
      return std::string(used ? "the computed non_temporal_threshold"
                              : "no non-temporal memset on this CPU");
    });
    return memset;
  }

  void TakeNonTemporal(absl::string_view name, Tunable tunable,
                       uint64_t& threshold) {
    const uint64_t user = tunables_.Number(tunable);
    const bool clamp = build_.Has(Change::kNonTemporalClamp);
    const bool taken = clamp ? user > kMinimumNonTemporalThreshold &&
                                   user <= kMaximumNonTemporalThreshold
                             : user != 0;
    if (taken) {
      threshold = user;
      RecordTunable(name, threshold);
    } else if (tunables_.IsSet(tunable)) {
      RecordRefused(name, threshold, user, [&] {
        return clamp ? absl::StrCat("not above ", kMinimumNonTemporalThreshold,
                                    " and up to ", kMaximumNonTemporalThreshold)
                     : std::string("0 means unset");
      });
    }
  }

  uint64_t Stosb(uint64_t memset) {
    uint64_t stosb = tunables_.Number(Tunable::kX86RepStosbThreshold);
    absl::string_view why = "the tunable or its default";
    if (build_.Has(Change::kAmdStosbMax) && features_.kind == CpuKind::kAmd &&
        !tunables_.IsSet(Tunable::kX86RepStosbThreshold)) {
      stosb = kMax;
      why = "AMD: never";
    }
    if (build_.Has(Change::kMemsetNonTemporalThreshold)) {
      WriteRecord(Tunable::kX86MemsetNonTemporalThreshold, memset,
                  kMinimumNonTemporalThreshold, kMax);
    }
    if (build_.Has(Change::kAvoidStosb) &&
        features_.flags.Contains(Flag::kAvoidStosb)) {
      stosb = Record(Tunable::kX86MemsetNonTemporalThreshold)
                  .value_or(TunableRecord{memset, 0, kMax})
                  .value;
      why = "no ERMS: memset_non_temporal_threshold";
    }
    RecordArithmetic("rep_stosb_threshold", stosb,
                     [&] { return std::string(why); });
    return stosb;
  }

  std::optional<TunableRecord>& Record(Tunable tunable) {
    return result_.records[static_cast<int>(tunable)];
  }

  void WriteRecord(Tunable tunable, uint64_t value, uint64_t minimum,
                   uint64_t maximum) {
    const TunableRow& row = TunableRowOf(tunable);
    TunableRecord record = {tunables_.Number(tunable), row.minimum,
                            row.maximum};
    UpdateRecord(build_, value, minimum, maximum, record);
    Record(tunable) = record;
  }

  void Override(Tunable tunable, int64_t& size) {
    const uint64_t user = tunables_.Number(tunable);
    if (user == 0) return;
    size = Signed(user);
    RecordTunable(TunableRowOf(tunable).name, user);
  }

  template <typename MakeReason>
  void RecordArithmetic(absl::string_view name, uint64_t value,
                        MakeReason&& reason) {
    steps_.Add([&] {
      return Step{std::string(name), absl::StrCat(value), reason(), ""};
    });
  }

  void RecordTunable(absl::string_view name, uint64_t value) {
    RecordArithmetic(name, value, [] { return std::string("the tunable"); });
  }

  template <typename MakeReason>
  void RecordRefused(absl::string_view name, uint64_t value, uint64_t user,
                     MakeReason&& reason) {
    RecordArithmetic(name, value, [&] {
      return absl::StrCat("the tunable's ", user, " is refused: ", reason());
    });
  }

  void RecordSize(absl::string_view name, uint64_t value, int64_t computed) {
    RecordArithmetic(name, value, [&] {
      if (Unsigned(computed) == value) return std::string("as computed");
      if (Unsigned(Rounded(computed)) == value) {
        return absl::StrCat(computed, " in multiples of 256");
      }
      return absl::StrCat("the default, since ", computed, " is no size");
    });
  }

  const GlibcBuild& build_;
  const CpuFeatures& features_;
  const CacheInfo& cache_;
  const ParsedTunables& tunables_;
  const StepRecorder& steps_;
  Thresholds result_;
};

}  // namespace

int VectorClass(const CpuFeatures& features) {
  if (features.Active(Feature::kAvx512f) &&
      !features.flags.Contains(Flag::kPreferNoAvx512)) {
    return 64;
  }
  return features.flags.Contains(Flag::kAvxFastUnalignedLoad) ? 32 : 16;
}

uint64_t ConstantRepMovsbThreshold(int vector_size) {
  return uint64_t{2048} * vector_size / 16;
}

Thresholds ComputeThresholds(const GlibcBuild& build,
                             const CpuFeatures& features,
                             const CacheInfo& cache,
                             const ParsedTunables& tunables,
                             const StepRecorder& steps) {
  return Computation(build, features, cache, tunables, steps).Run();
}

}  // namespace advisor
