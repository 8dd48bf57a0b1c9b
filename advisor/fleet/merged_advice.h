// One recommendation for the machines of one kind, from what was measured on
// each.

#ifndef ADVISOR_FLEET_MERGED_ADVICE_H_
#define ADVISOR_FLEET_MERGED_ADVICE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advisor/fleet/measured_result.h"
#include "advisor/report.h"

namespace advisor {

enum class Agreement {
  kAll,               // every machine is to set it, in the same direction
  kSome,              // others are to keep the default
  kDirectionsDiffer,  // up on some machines, down on others
  kValuesDiffer,      // texts, or the defaults are not known
};
// "all", "some", "directions_differ", "values_differ".
absl::string_view AgreementName(Agreement agreement);

// A tunable that some machine of a group is to set.
struct MergedSetting {
  std::string name;
  Agreement agreement = Agreement::kSome;
  int machines = 0;  // that are to set it
  // Of numbers, over those machines.
  uint64_t least = 0;
  uint64_t most = 0;
};

// Machines with the same CPU (vendor, family, model, stepping, brand),
// hypervisor, glibc revision and selected variants.
struct MergedGroup {
  // By host and place; never empty. Of a host that was measured again, the
  // newest result; those that have no name, or every machine's ("localhost"),
  // are told apart by their place.
  std::vector<MeasuredResult> members;
  // Places of the older results of these hosts.
  std::vector<std::string> superseded;
  // By name.
  std::vector<MergedSetting> settings;
  // What every member is to set (Agreement::kAll). A number is that of the
  // members' values which is next to their defaults, so that no member changes
  // a size for which it has no proof; a text must be the same everywhere. The
  // string holds what the environment sets where that is the same on all.
  Recommendation recommendation;
};

// Groups by vendor, family, model, ...
std::vector<MergedGroup> MergeResults(std::vector<MeasuredResult> results);

}  // namespace advisor

#endif  // ADVISOR_FLEET_MERGED_ADVICE_H_
