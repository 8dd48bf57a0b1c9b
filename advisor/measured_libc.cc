#include "advisor/measured_libc.h"

#include <optional>
#include <string>
#include <variant>

#include "advisor/glibc/thresholds.h"
#include "advisor/glibc/tunables.h"

namespace advisor {
namespace {

// The lowest rep_movsb_threshold that the release takes: one more than the
// minimum that the loader lists, or that the release has for this CPU.
std::optional<uint64_t> LowestRepMovsb(const System& system) {
  if (!HasTunable(system.build, Tunable::kX86RepMovsbThreshold)) {
    return std::nullopt;
  }
  if (system.loader.has_value()) {
    const auto& listed = system.loader->tunables.tunables;
    const auto entry =
        listed.find(TunableName(system.build, Tunable::kX86RepMovsbThreshold));
    if (entry != listed.end()) {
      if (const auto* size = std::get_if<SizeTunable>(&entry->second)) {
        return size->min + 1;
      }
    }
  }
  return 8 * VectorClass(system.prediction.features) + 1;
}

}  // namespace

MeasuredLibc LibcToMeasure(const System& system) {
  const LibcBanner& banner = *system.libc->banner;
  return {system.build,
          banner.release,
          banner.revision.value_or(""),
          system.libc->loader_path,
          system.prediction.features.kind == CpuKind::kAmd,
          system.thresholds,
          LowestRepMovsb(system),
          system.prediction.thresholds.string_control,
          std::string(system.prediction.memmove),
          std::string(system.prediction.memset),
          system.glibc_tunables,
          {}};
}

}  // namespace advisor
