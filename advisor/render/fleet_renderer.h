// Groups of machines for a reader and for programs
// (testdata/schema/groups.schema.json).

#ifndef ADVISOR_RENDER_FLEET_RENDERER_H_
#define ADVISOR_RENDER_FLEET_RENDERER_H_

#include <string>
#include <vector>

#include "advisor/fleet/grouping.h"

namespace advisor {

// Lines of at most `columns`, but for words that are longer.
std::string RenderFleetText(const std::vector<FleetGroup>& groups, int columns);

std::string RenderFleetJson(const std::vector<FleetGroup>& groups);

}  // namespace advisor

#endif  // ADVISOR_RENDER_FLEET_RENDERER_H_
