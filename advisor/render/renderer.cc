#include "advisor/render/renderer.h"

#include "advisor/render/deployment_renderers.h"
#include "advisor/render/env_renderer.h"
#include "advisor/render/json_renderer.h"
#include "advisor/render/text_renderer.h"

namespace advisor {
namespace {

template <typename Class>
std::unique_ptr<Renderer> Make() {
  return std::make_unique<Class>();
}

// Sorted by name.
constexpr FormatRow kFormats[] = {
    {"docker", "options of docker run", &Make<DockerRenderer>},
    {"env", "one line GLIBC_TUNABLES=...", &Make<EnvRenderer>},
    {"json", "everything, for programs", &Make<JsonRenderer>},
    {"kubernetes", "the env of a container's manifest",
     &Make<KubernetesRenderer>},
    {"systemd", "a drop-in file of a unit", &Make<SystemdRenderer>},
    {"text", "one screen, for people", &Make<TextRenderer>},
};

}  // namespace

absl::Span<const FormatRow> AllFormats() { return kFormats; }

std::unique_ptr<Renderer> MakeRenderer(absl::string_view format) {
  for (const FormatRow& row : kFormats) {
    if (row.name == format) return row.make();
  }
  return nullptr;
}

}  // namespace advisor
