#include "advisor/render/text_measurements.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"
#include "advisor/render/words.h"

namespace advisor {
namespace {

std::string LevelText(const MeasuredCache& level) {
  const std::string claimed =
      level.claimed.has_value() ? FormatBytesRoughly(*level.claimed) : "";
  if (!level.measured.has_value()) {
    return level.contradicted
               ? absl::StrCat(level.level, " no sign of the ", claimed,
                              " that are claimed")
               : absl::StrCat(level.level, " no edge to be seen");
  }
  const std::string measured = FormatBytesRoughly(*level.measured);
  if (claimed.empty()) return absl::StrCat(level.level, " ", measured);
  if (claimed == measured) {
    return absl::StrCat(level.level, " ", measured, " as claimed");
  }
  return level.contradicted
             ? absl::StrCat(level.level, " ", measured, " and not the ",
                            claimed, " that are claimed")
             : absl::StrCat(level.level, " ", measured, " (claimed ", claimed,
                            ")");
}

std::string RatioText(const WorkloadSummary::Ratio& ratio) {
  return absl::StrFormat("%.3f [%.3f, %.3f]", ratio.ratio, ratio.low,
                         ratio.high);
}

}  // namespace

std::string MeasuredCachesText(const CacheTruth& caches) {
  if (caches.levels.empty()) return "";
  std::vector<std::string> levels;
  for (const MeasuredCache& level : caches.levels) {
    levels.push_back(LevelText(level));
  }
  return absl::StrCat("measured with ", caches.pages, ": ",
                      absl::StrJoin(levels, ", "));
}

void WorkloadPart(const std::optional<WorkloadSummary>& workload, Page& page) {
  if (!workload.has_value()) return;
  page.Title("Workload");
  page.Paragraph(absl::StrCat(workload->name,
                              workload->provenance.empty()
                                  ? ""
                                  : absl::StrCat(": ", workload->provenance)));
  page.Paragraph(absl::StrFormat(
      "%d calls; the setting changes the way of %s of them, with %s of the "
      "bytes",
      workload->calls, FormatPercent(workload->touched_calls),
      FormatPercent(workload->touched_bytes)));
  std::vector<std::string> ratios;
  if (workload->one_copier.has_value()) {
    ratios.push_back(
        absl::StrCat(RatioText(*workload->one_copier), " with one copier"));
  }
  if (workload->several_copiers.has_value()) {
    ratios.push_back(absl::StrCat(RatioText(*workload->several_copiers),
                                  " with all CPUs copying"));
  }
  if (!ratios.empty()) {
    page.Paragraph(absl::StrCat("time of all calls with it / without: ",
                                absl::StrJoin(ratios, ", ")));
  }
  if (!workload->worst_cell.empty()) {
    page.Paragraph(absl::StrCat("worst: ", workload->worst_cell));
  }
}

void MasksPart(const std::vector<MaskTrial>& masks, Page& page) {
  if (masks.empty()) return;
  page.Title("Masks");
  page.Paragraph("tried as glibc.cpu.hwcaps; time with it / without:");
  for (const MaskTrial& trial : masks) {
    page.Paragraph(
        absl::StrFormat("%s: %.3f [%.3f, %.3f] %s; memmove %s, memset %s",
                        trial.mask, trial.ratio, trial.low, trial.high,
                        CellVerdictText(trial.verdict), trial.memmove_variant,
                        trial.memset_variant),
        2);
  }
}

}  // namespace advisor
