// The recommended string where services are configured. Each has the string of
// the environment too, which it would replace there.

#ifndef ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_
#define ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// Options of `docker run` (and podman): one line, empty when there is nothing
// to set. Quoted for a shell where that is needed.
class DockerRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

// The `env` of a container in a pod's manifest (YAML).
class KubernetesRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

// A drop-in file of a unit (systemd.exec(5), Environment=). Only a comment when
// there is nothing to set.
class SystemdRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_
