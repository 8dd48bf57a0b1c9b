// The libc that a measurement is about.

#ifndef ADVISOR_MEASUREMENT_MEASURED_LIBC_H_
#define ADVISOR_MEASUREMENT_MEASURED_LIBC_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/merge_tunables.h"
#include "advisor/report.h"

namespace advisor {

// The libc whose behaviour is measured.
struct MeasuredLibc {
  GlibcBuild build;
  std::string release = {};   // "2.36"
  std::string revision = {};  // "2.36-9+deb12u14"; empty where unknown
  std::string loader_path = {};
  bool is_amd = false;
  // In force without a recommendation, from the loader where it tells.
  EffectiveThresholds now = {};
  // The lowest rep_movsb_threshold that is accepted; nullopt: no such tunable.
  std::optional<uint64_t> lowest_rep_movsb = {};
  // __x86_string_control.
  std::optional<uint32_t> string_control = {};
  // "evex_unaligned_erms".
  std::string memmove_variant = {};
  std::string memset_variant = {};
  // GLIBC_TUNABLES of the environment; may be empty.
  std::string tunables_in_environment = {};
  // What repairs a non_temporal_threshold that is wrong on the face of it
  // (unmeasured_non_temporal_rule.h), itself first; empty where nothing is.
  std::vector<TunableSetting> repairs = {};
};

// Whether copies crash with the thresholds of now: from 2.34 on they do where
// the non-temporal one is too low. Such a libc cannot be compared with, so
// everything is measured with the repair in place.
bool WouldCrash(const MeasuredLibc& libc);

// `libc` with its repairs in force where it would crash; else itself.
MeasuredLibc WithoutCrashes(MeasuredLibc libc);

// Settings as names and values of GLIBC_TUNABLES.
std::vector<TunableValue> ValuesOf(const std::vector<TunableSetting>& settings);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_MEASURED_LIBC_H_
