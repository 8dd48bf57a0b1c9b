// For people: about one screen, in the order of their questions.

#ifndef ADVISOR_RENDER_TEXT_RENDERER_H_
#define ADVISOR_RENDER_TEXT_RENDERER_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// Machine, what glibc does now, what was found, what to set, why, the proof by
// size, how to apply and how to undo. Only the variable's line, which is to be
// copied, may be longer than the columns asked for; under 40 counts as 40.
class TextRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_TEXT_RENDERER_H_
