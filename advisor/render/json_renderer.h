// For programs. testdata/schema/recommend.schema.json is its contract.

#ifndef ADVISOR_RENDER_JSON_RENDERER_H_
#define ADVISOR_RENDER_JSON_RENDERER_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// One JSON object, indented. Sizes are bytes, times seconds, shares 0 to 1.
// What is unknown is null, what does not apply an empty string or list. Bytes
// that are no UTF-8 become U+FFFD.
class JsonRenderer : public Renderer {
 public:
  // Goes up when a field changes its meaning or goes away; new fields may come
  // without that.
  static constexpr int kSchemaVersion = 1;

  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

// The same object in one line: of many machines, a file for `advisor merge`.
class JsonLineRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_JSON_RENDERER_H_
