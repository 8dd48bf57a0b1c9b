// `advisor inspect` for a reader.

#ifndef ADVISOR_RENDER_INSPECTION_TEXT_H_
#define ADVISOR_RENDER_INSPECTION_TEXT_H_

#include <string>

#include "advisor/render/inspection_report.h"

namespace advisor {

// Lines of at most `columns` (and at least 40), but for words that are longer.
std::string RenderInspectionText(const Inspection& inspection, int columns);

}  // namespace advisor

#endif  // ADVISOR_RENDER_INSPECTION_TEXT_H_
