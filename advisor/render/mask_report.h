// The answer of `mask`, complete before it is rendered.

#ifndef ADVISOR_RENDER_MASK_REPORT_H_
#define ADVISOR_RENDER_MASK_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "advisor/evidence/variant_study.h"
#include "advisor/masks/mask.h"

namespace advisor {

struct MaskReport {
  std::string purpose;
  std::string summary;    // of the purpose
  std::string reference;  // of the purpose
  std::string build;
  // What a reader must know about the build; usually empty.
  std::string build_note;
  // Of libc; nullopt where unknown.
  std::optional<int> isa_level;
  // GLIBC_TUNABLES that was there already.
  std::string tunables_in_environment;
  Mask mask;
  // Measured on this machine; nullopt where not.
  struct Measured {
    std::vector<VariantCost> costs;
    int processes = 0;
    double noise_floor = 0;
  };
  std::optional<Measured> measured;
  // Why nothing was measured.
  std::string why_not_measured;
};

// For people; lines of at most `columns`.
std::string RenderMaskText(const MaskReport& report, int columns);
// By testdata/schema/mask.schema.json.
std::string RenderMaskJson(const MaskReport& report);
// "GLIBC_TUNABLES=...\n", as `recommend --format=env`.
std::string RenderMaskEnv(const MaskReport& report);

}  // namespace advisor

#endif  // ADVISOR_RENDER_MASK_REPORT_H_
