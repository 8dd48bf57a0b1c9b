// Machines on which glibc does the same: the same thresholds and variants under
// each build, the same hazards, and the same recommendation.

#ifndef ADVISOR_FLEET_GROUPING_H_
#define ADVISOR_FLEET_GROUPING_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/prediction_answer.h"
#include "advisor/report.h"

namespace advisor {

struct FleetMember {
  std::string name;  // of the dump, with its kind of core: "node7, core 0-7"
  std::string path;
  std::string microarchitecture;
  std::string hypervisor;  // empty without one
};

// What a build does, and what to set against it.
struct FleetAnswer {
  PredictionAnswer answer;
  // nullopt: the input lacks leaves, so that nothing can be said.
  std::optional<Recommendation> recommendation;
};

// Builds under which a group's machines do the same.
struct FleetBuilds {
  std::vector<std::string> builds;  // by name, in the order asked for
  FleetAnswer answer;               // of the first member
};

struct FleetGroup {
  std::vector<FleetMember> members;  // in the order of Add
  std::vector<FleetBuilds> builds;
};

// The model's answer for one kind of core, with what
// AdviseNonTemporalThreshold (rules) says of it.
FleetAnswer AnswerForFleet(const PredictionSubject& subject,
                           const GlibcBuild& build,
                           absl::string_view glibc_tunables);

FleetMember MemberOf(const PredictionSubject& subject);

class FleetGrouping {
 public:
  // `answers`: one for each build, the same builds for every member.
  void Add(FleetMember member, std::vector<FleetAnswer> answers);

  size_t machines() const { return machines_; }

  // The largest first, then in the order of Add.
  std::vector<FleetGroup> Groups() &&;

 private:
  std::map<std::string, size_t> index_;
  std::vector<FleetGroup> groups_;
  size_t machines_ = 0;
};

}  // namespace advisor

#endif  // ADVISOR_FLEET_GROUPING_H_
