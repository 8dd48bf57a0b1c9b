// For a cluster under Slurm.

#ifndef ADVISOR_RENDER_SLURM_RENDERER_H_
#define ADVISOR_RENDER_SLURM_RENDERER_H_

#include <string>

#include "advisor/render/renderer.h"

namespace advisor {

// Lines of a batch script (export), in the POSIX shell's language. With
// Scope::kSystem a TaskProlog (slurm.conf(5)): a script that sets it for every
// task on nodes of this CPU and glibc, and keeps what else the task's
// GLIBC_TUNABLES holds. Only comments when there is nothing to set.
class SlurmRenderer : public Renderer {
 public:
  std::string Render(const Report& report,
                     const RenderOptions& options) const override;
};

}  // namespace advisor

#endif  // ADVISOR_RENDER_SLURM_RENDERER_H_
