// The recommended string where services are configured. Each output has the
// string that was there before in it, which it would replace, and a comment
// (provenance.h). Only the comment when there is nothing to set.

#ifndef ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_
#define ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "advisor/render/renderer.h"

namespace advisor {

// One word for a POSIX shell.
std::string ShellWord(absl::string_view text);

// What keeps the string out of every file: control characters in it, for which
// some of them have no spelling. A comment, or empty.
std::string Obstacle(absl::string_view value);

// Lines of a Dockerfile (ENV), with the option of `docker run` that does the
// same as a comment.
class DockerRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

// A file of environment.d(5): for the services of one user, or with
// Scope::kSystem of all. The same lines do for EnvironmentFile= of a unit,
// `docker run --env-file` and /etc/environment, whose quoting differs: a string
// that would need some is not written.
class EnvironmentDRenderer : public Renderer {
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

// A drop-in file of a unit (systemd.exec(5), Environment=), or with
// Scope::kSystem of the manager (systemd-system.conf(5), DefaultEnvironment=).
class SystemdRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_DEPLOYMENT_RENDERERS_H_
