#include "advisor/render/prediction_text.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"

namespace advisor {
namespace {

constexpr size_t kHanging = 2;
constexpr uint64_t kNever = ~uint64_t{0};

// "16777216 (16 MiB)" for a size that a unit shortens.
std::string WithUnit(uint64_t bytes) {
  if (bytes == kNever) return "never (SIZE_MAX)";
  const std::string text = FormatBytes(bytes);
  if (bytes < 1024 || absl::StrContains(text, "bytes")) return text;
  return absl::StrCat(bytes, " (", text, ")");
}

// "L3: 16777216; 16 * 1 * 64 * 16384 = 16777216 [4:3:EBX,ECX]".
std::string StepText(const Step& step) {
  std::string text = absl::StrCat(step.name, ": ", step.value);
  if (!step.reason.empty()) absl::StrAppend(&text, "; ", step.reason);
  if (!step.source.empty()) absl::StrAppend(&text, " [", step.source, "]");
  return text;
}

void ChainPart(const PredictionAnswer& answer, Page& page) {
  page.Title("Chain");
  for (const Step& step : answer.steps) {
    page.Paragraph(StepText(step), kHanging);
  }
}

void ValuesPart(const PredictionAnswer& answer, Page& page) {
  page.Title("Result");
  if (answer.hangs) {
    page.Paragraph("start-up never ends: no program gets to main");
    return;
  }
  const EffectiveThresholds& thresholds = answer.thresholds;
  struct Row {
    absl::string_view name;
    std::optional<uint64_t> bytes;
  };
  if (answer.has_thresholds) {
    for (const Row& row :
         {Row{"data_cache_size", thresholds.data_cache_size},
          Row{"shared_cache_size", thresholds.shared_cache_size},
          Row{"non_temporal_threshold", thresholds.non_temporal_threshold},
          Row{"rep_movsb_threshold", thresholds.rep_movsb_threshold},
          Row{"rep_movsb_stop_threshold", thresholds.rep_movsb_stop_threshold},
          Row{"rep_stosb_threshold", thresholds.rep_stosb_threshold},
          Row{"memset_non_temporal_threshold",
              thresholds.memset_non_temporal_threshold}}) {
      if (!row.bytes.has_value()) continue;
      page.Verbatim(
          absl::StrFormat("%-29s %s", row.name, WithUnit(*row.bytes)));
    }
  }
  if (answer.has_variants) {
    page.Verbatim(absl::StrFormat("%-29s %s", "memmove", answer.memmove));
    page.Verbatim(absl::StrFormat("%-29s %s", "memset", answer.memset));
  }
}

}  // namespace

std::string PredictionText(absl::string_view machine,
                           const PredictionAnswer& answer, int columns) {
  Page page(columns);
  page.Title("Machine");
  page.Paragraph(machine);
  page.Paragraph(answer.path);
  page.Paragraph(answer.core);
  page.Title("glibc");
  page.Paragraph(answer.build);
  page.Paragraph(answer.build_note);
  ChainPart(answer, page);
  ValuesPart(answer, page);
  return std::move(page).text();
}

}  // namespace advisor
