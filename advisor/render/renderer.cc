#include "advisor/render/renderer.h"

#include "advisor/render/deployment_renderers.h"
#include "advisor/render/env_renderer.h"
#include "advisor/render/html_renderer.h"
#include "advisor/render/json_renderer.h"
#include "advisor/render/slurm_renderer.h"
#include "advisor/render/text_renderer.h"

namespace advisor {
namespace {

template <typename Class>
std::unique_ptr<Renderer> Make() {
  return std::make_unique<Class>();
}

// Sorted by name.
constexpr FormatRow kFormats[] = {
    {"docker", "the ENV line of a Dockerfile", false, &Make<DockerRenderer>},
    {"env", "one line GLIBC_TUNABLES=...", false, &Make<EnvRenderer>},
    {"environment.d", "a file for every service of a user, or of all", true,
     &Make<EnvironmentDRenderer>},
    {"html", "one page with plots, for a browser", false, &Make<HtmlRenderer>},
    {"json", "everything, for programs", false, &Make<JsonRenderer>},
    {"jsonl", "the same in one line, for advisor merge", false,
     &Make<JsonLineRenderer>},
    {"kubernetes", "the env of a container's manifest", false,
     &Make<KubernetesRenderer>},
    {"slurm", "lines of a batch script, or a TaskProlog", true,
     &Make<SlurmRenderer>},
    {"systemd", "a drop-in file of a unit, or of the manager", true,
     &Make<SystemdRenderer>},
    {"text", "one screen, for people", false, &Make<TextRenderer>},
};

}  // namespace

absl::Span<const FormatRow> AllFormats() { return kFormats; }

const FormatRow* FindFormat(absl::string_view format) {
  for (const FormatRow& row : kFormats) {
    if (row.name == format) return &row;
  }
  return nullptr;
}

std::unique_ptr<Renderer> MakeRenderer(absl::string_view format) {
  const FormatRow* const row = FindFormat(format);
  return row == nullptr ? nullptr : row->make();
}

}  // namespace advisor
