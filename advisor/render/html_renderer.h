// One page for a browser, with plots.

#ifndef ADVISOR_RENDER_HTML_RENDERER_H_
#define ADVISOR_RENDER_HTML_RENDERER_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// All of the report in one file: no script, nothing from the network, light
// or dark as the reader has it, from a phone's width on.
class HtmlRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_HTML_RENDERER_H_
