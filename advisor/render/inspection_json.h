// `advisor inspect --format=json`: testdata/schema/inspect.schema.json says
// what stands where.

#ifndef ADVISOR_RENDER_INSPECTION_JSON_H_
#define ADVISOR_RENDER_INSPECTION_JSON_H_

#include <string>

#include "advisor/render/inspection_report.h"

namespace advisor {

std::string RenderInspectionJson(const Inspection& inspection);

}  // namespace advisor

#endif  // ADVISOR_RENDER_INSPECTION_JSON_H_
