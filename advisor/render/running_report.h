// The answer of `inspect --pid`, as text and as JSON.

#ifndef ADVISOR_RENDER_RUNNING_REPORT_H_
#define ADVISOR_RENDER_RUNNING_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "advisor/running/running_process.h"

namespace advisor {

std::string RenderRunningText(const RunningProcess& process, int columns);
// By testdata/schema/inspect_process.schema.json.
std::string RenderRunningJson(const RunningProcess& process,
                              absl::string_view tool_version);

}  // namespace advisor

#endif  // ADVISOR_RENDER_RUNNING_REPORT_H_
