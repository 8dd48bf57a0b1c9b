// `advisor merge` for a reader and for programs
// (testdata/schema/merge.schema.json).

#ifndef ADVISOR_RENDER_MERGED_ADVICE_RENDERER_H_
#define ADVISOR_RENDER_MERGED_ADVICE_RENDERER_H_

#include <string>
#include <vector>

#include "advisor/fleet/merged_advice.h"

namespace advisor {

// Lines of at most `columns`, but for words that are longer.
std::string RenderMergedText(const std::vector<MergedGroup>& groups,
                             int columns);

std::string RenderMergedJson(const std::vector<MergedGroup>& groups);

}  // namespace advisor

#endif  // ADVISOR_RENDER_MERGED_ADVICE_RENDERER_H_
