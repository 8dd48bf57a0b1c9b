// A report as text of some format. To add a format: one class derived from
// Renderer, one row in renderer.cc, and golden files (renderer_test.cc).

#ifndef ADVISOR_RENDER_RENDERER_H_
#define ADVISOR_RENDER_RENDERER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/report.h"

namespace advisor {

// How much of a system a setting is to reach.
enum class Scope {
  kService,  // one program, unit, container or job
  kSystem,   // every process of the machine, or every job of the cluster
};

struct RenderOptions {
  // Lines for people are not longer, where words allow it.
  int columns = 80;
  Scope scope = Scope::kService;
};

class Renderer {
 public:
  virtual ~Renderer() = default;

  // Whole lines.
  virtual std::string Render(const Report& report,
                             const RenderOptions& options) const = 0;
};

struct FormatRow {
  // As in --format=NAME.
  absl::string_view name;
  absl::string_view description;
  // It has another output for Scope::kSystem.
  bool has_system_scope;
  std::unique_ptr<Renderer> (*make)();
};

// Sorted by name.
absl::Span<const FormatRow> AllFormats();

// nullptr when there is none of that name.
const FormatRow* FindFormat(absl::string_view format);
std::unique_ptr<Renderer> MakeRenderer(absl::string_view format);

}  // namespace advisor

#endif  // ADVISOR_RENDER_RENDERER_H_
