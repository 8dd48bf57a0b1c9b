// For a shell: env $(advisor recommend --format=env) PROGRAM. That leaves no
// place for a comment; the file of environment.d (deployment_renderers.h) is
// the same line with one.

#ifndef ADVISOR_RENDER_ENV_RENDERER_H_
#define ADVISOR_RENDER_ENV_RENDERER_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// "GLIBC_TUNABLES=name=value:..." and nothing else, also where there is nothing
// to set: then what the environment sets already, or an empty value, which
// glibc takes as none. For a string that no shell takes apart (ShellWord).
class EnvRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_ENV_RENDERER_H_
