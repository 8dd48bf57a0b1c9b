#include "advisor/render/env_renderer.h"

#include "absl/strings/str_cat.h"

namespace advisor {

std::string EnvRenderer::Render(const Report& report,
                                const RenderOptions&) const {
  return absl::StrCat("GLIBC_TUNABLES=", report.recommendation.string, "\n");
}

}  // namespace advisor
