#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"
#include "advisor/render/mask_report.h"
#include "advisor/render/page.h"
#include "advisor/render/words.h"

namespace advisor {
namespace {

// memcpy, memmove and mempcpy choose alike.
std::string ChangeText(absl::string_view functions, const std::string& before,
                       const std::string& after) {
  return absl::StrCat(functions, ": ", before,
                      before == after ? "" : absl::StrCat(" -> ", after));
}

// Thresholds that the mask moves (up to 2.32), or that are fixed with it.
std::string MovedText(const Thresholds& before, const Thresholds& after) {
  std::vector<std::string> parts;
  const auto add = [&](absl::string_view name,
                       std::optional<uint64_t> old_value,
                       std::optional<uint64_t> value) {
    if (old_value == value || !value.has_value()) return;
    parts.push_back(absl::StrCat(
        name, " ", old_value.has_value() ? FormatBytes(*old_value) : "none",
        " -> ", *value == UINT64_MAX ? "never" : FormatBytes(*value)));
  };
  add("data_cache_size", before.data_cache_size, after.data_cache_size);
  add("shared_cache_size", before.shared_cache_size, after.shared_cache_size);
  add("non_temporal_threshold", before.non_temporal_threshold,
      after.non_temporal_threshold);
  add("rep_movsb_threshold", before.rep_movsb_threshold,
      after.rep_movsb_threshold);
  add("rep_stosb_threshold", before.rep_stosb_threshold,
      after.rep_stosb_threshold);
  add("memset_non_temporal_threshold", before.memset_non_temporal_threshold,
      after.memset_non_temporal_threshold);
  return absl::StrJoin(parts, ", ");
}

void SelectsPart(const Mask& mask, Page& page) {
  page.Title("Selects");
  for (const MaskedCpu& cpu : mask.cpus) {
    if (mask.cpus.size() > 1) page.Paragraph(absl::StrCat(cpu.name, ":"));
    page.Paragraph(ChangeText("memcpy, memmove, mempcpy", cpu.before.memmove,
                              cpu.after.memmove),
                   2);
    page.Paragraph(ChangeText("memset", cpu.before.memset, cpu.after.memset),
                   2);
    page.Paragraph(MovedText(cpu.before.thresholds, cpu.after.thresholds), 2);
  }
}

void CostPart(const MaskReport& report, Page& page) {
  page.Title("Costs");
  if (!report.measured.has_value()) {
    page.Paragraph(report.why_not_measured);
    return;
  }
  for (const VariantCost& cost : report.measured->costs) {
    page.Paragraph(
        absl::StrFormat("%s, %s to %s: %.2f [%.2f, %.2f] of the time, %s",
                        cost.function, FormatBytes(cost.smallest),
                        FormatBytes(cost.largest), cost.ratio, cost.low,
                        cost.high, CellVerdictText(cost.verdict)),
        2);
  }
  page.Paragraph(absl::StrFormat(
      "%d fresh processes on the real libc, with the mask against without; "
      "buffers in use for the most part; noise floor of a size %s",
      report.measured->processes, FormatPercent(report.measured->noise_floor)));
}

void UnhiddenPart(const Mask& mask, Page& page) {
  if (!mask.failures.empty()) {
    page.Title("Fails");
    for (const std::string& failure : mask.failures) page.Paragraph(failure);
  }
  if (mask.unhidden.empty()) return;
  page.Title("Stays");
  for (const UnhiddenFeature& feature : mask.unhidden) {
    page.Paragraph(
        absl::StrCat(feature.name, ": ", feature.why,
                     feature.used ? "" : "; no variant above uses it"),
        2);
  }
}

}  // namespace

std::string RenderMaskText(const MaskReport& report, int columns) {
  const Mask& mask = report.mask;
  Page page(columns);
  page.Title("For");
  page.Paragraph(absl::StrCat(report.purpose, ": ", report.summary));
  page.Title("glibc");
  page.Paragraph(absl::StrCat(
      report.build,
      report.isa_level.has_value() && *report.isa_level > 1
          ? absl::StrCat(", compiled for x86-64-v", *report.isa_level)
          : ""));
  page.Paragraph(report.build_note);
  page.Title("Set");
  if (mask.settings.empty()) {
    page.Paragraph(mask.reached()
                       ? "nothing: glibc does as wished without a mask"
                       : "nothing: no mask helps");
  } else {
    page.Verbatim(absl::StrCat("GLIBC_TUNABLES=", mask.glibc_tunables));
  }
  SelectsPart(mask, page);
  if (!mask.settings.empty()) CostPart(report, page);
  UnhiddenPart(mask, page);
  if (!mask.unpinned.empty()) page.Title("Not fixed");
  for (const UnpinnedRow& row : mask.unpinned) {
    page.Paragraph(absl::StrCat(row.name, ": ", row.why), 2);
  }
  if (!mask.limits.empty()) page.Title("Limits");
  for (const std::string& limit : mask.limits) page.Paragraph(limit, 2);
  page.Title("See");
  page.Paragraph(report.reference);
  return std::move(page).text();
}

std::string RenderMaskEnv(const MaskReport& report) {
  return absl::StrCat("GLIBC_TUNABLES=", report.mask.glibc_tunables, "\n");
}

}  // namespace advisor
