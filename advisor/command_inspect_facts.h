// The parts of an Inspection that follow from CPUID, a build and a listing.

#ifndef ADVISOR_COMMAND_INSPECT_FACTS_H_
#define ADVISOR_COMMAND_INSPECT_FACTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/render/inspection_report.h"

namespace advisor {

// Without glibc.
CoreInspection InspectCore(std::string name, const CpuidSource& cpuid);

// What `build` does on it under a GLIBC_TUNABLES. `like_tunables_list`: as
// --list-tunables prints numbers, where a loader has no more to tell (2.33);
// else as the kernels, or --list-diagnostics, see them.
void AddPrediction(const CpuidSource& cpuid, const GlibcBuild& build,
                   absl::string_view glibc_tunables, bool like_tunables_list,
                   CoreInspection& core);

// Beside what is predicted already.
void AddListed(const EffectiveThresholds& listed,
               std::vector<ThresholdFact>& thresholds);

}  // namespace advisor

#endif  // ADVISOR_COMMAND_INSPECT_FACTS_H_
