#include "advisor/render/text_renderer.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"
#include "advisor/render/proof_table.h"
#include "advisor/render/provenance.h"
#include "advisor/render/text_measurements.h"

namespace advisor {
namespace {

// "L3 32 MiB", or where sources disagree "L3 32 MiB (sysfs), 508 MiB (CPUID
// 0x80000006)".
std::string CacheText(absl::string_view level,
                      const std::vector<CacheSummary>& caches) {
  std::vector<std::pair<uint64_t, std::vector<std::string>>> sizes;
  for (const CacheSummary& cache : caches) {
    if (cache.level != level) continue;
    auto size = absl::c_find_if(
        sizes, [&](const auto& size) { return size.first == cache.bytes; });
    if (size == sizes.end()) {
      size = sizes.insert(size, {cache.bytes, {}});
    }
    size->second.push_back(cache.source);
  }
  std::vector<std::string> parts;
  for (const auto& [bytes, sources] : sizes) {
    parts.push_back(sizes.size() == 1
                        ? FormatBytes(bytes)
                        : absl::StrCat(FormatBytes(bytes), " (",
                                       absl::StrJoin(sources, ", "), ")"));
  }
  return absl::StrCat(level, " ", absl::StrJoin(parts, " or "));
}

std::string CachesText(const std::vector<CacheSummary>& caches) {
  std::vector<std::string> levels;
  for (const CacheSummary& cache : caches) {
    if (!absl::c_linear_search(levels, cache.level)) {
      levels.push_back(cache.level);
    }
  }
  if (levels.empty()) return "no cache is told of";
  std::vector<std::string> parts;
  for (const std::string& level : levels) {
    parts.push_back(CacheText(level, caches));
  }
  return absl::StrJoin(parts, ", ");
}

void MachinePart(const MachineSummary& machine,
                 const std::optional<CacheTruth>& caches, Page& page) {
  page.Title("Machine");
  page.Paragraph(absl::StrCat(
      machine.brand.empty() ? machine.vendor : machine.brand, " (",
      machine.microarchitecture, machine.microarchitecture.empty() ? "" : ", ",
      machine.vendor, " family ", machine.family, " model ", machine.model,
      " stepping ", machine.stepping, ")"));
  std::vector<std::string> facts;
  if (machine.origin != "this machine") facts.push_back(machine.origin);
  facts.push_back(machine.hypervisor.empty()
                      ? "no sign of a hypervisor"
                      : absl::StrCat(machine.hypervisor, " guest"));
  if (machine.cpus.has_value()) {
    facts.push_back(
        absl::StrCat(*machine.cpus, *machine.cpus == 1 ? " CPU" : " CPUs"));
  }
  if (!machine.kernel.empty()) {
    facts.push_back(absl::StrCat("kernel ", machine.kernel));
  }
  page.Paragraph(absl::StrJoin(facts, ", "));
  page.Paragraph(CachesText(machine.caches));
  if (caches.has_value()) page.Paragraph(MeasuredCachesText(*caches));
}

void GlibcPart(const GlibcSummary& glibc, Page& page) {
  page.Title("glibc");
  std::vector<std::string> facts = {glibc.revision.empty() ? glibc.release
                                                           : glibc.revision};
  if (!glibc.memmove_variant.empty()) {
    facts.push_back(absl::StrCat("memmove ", glibc.memmove_variant));
  }
  if (!glibc.memset_variant.empty()) {
    facts.push_back(absl::StrCat("memset ", glibc.memset_variant));
  }
  page.Paragraph(absl::StrJoin(facts, ", "));
  std::vector<std::string> thresholds;
  for (const ThresholdSummary& threshold : glibc.thresholds) {
    if (!threshold.bytes.has_value()) continue;
    thresholds.push_back(absl::StrCat(absl::StripPrefix(threshold.name, "x86_"),
                                      " ", FormatBytes(*threshold.bytes)));
  }
  page.Paragraph(absl::StrJoin(thresholds, ", "));
  if (!glibc.tunables_in_environment.empty()) {
    page.Verbatim(absl::StrCat("in the environment: GLIBC_TUNABLES=",
                               glibc.tunables_in_environment));
  }
  page.Paragraph(glibc.note);
}

void FindingsPart(const Report& report, Page& page) {
  if (report.findings.empty()) {
    // Something to set is something wrong, told there.
    if (report.recommendation.verdict == Verdict::kSet) return;
    page.Title("Found");
    page.Paragraph("nothing wrong");
    return;
  }
  page.Title("Found");
  for (const Finding& finding : report.findings) {
    switch (finding.severity) {
      case Severity::kInformation:
        page.Paragraph(finding.title);
        continue;
      case Severity::kWarning:
        page.Paragraph(absl::StrCat("WARNING: ", finding.title));
        break;
      case Severity::kCritical:
        page.Paragraph(absl::StrCat("CRITICAL: ", finding.title));
        break;
    }
    page.Paragraph(finding.detail);
    if (!finding.evidence.empty()) {
      page.Paragraph(
          absl::StrCat("(", absl::StrJoin(finding.evidence, "; "), ")"));
    }
  }
}

void RecommendationPart(const Report& report, Page& page) {
  const Recommendation& recommendation = report.recommendation;
  page.Title("Set");
  if (recommendation.verdict == Verdict::kKeepDefaults) {
    page.Paragraph(report.glibc.tunables_in_environment.empty()
                       ? "nothing: keep the defaults"
                       : "nothing beyond what the environment sets");
  } else {
    page.Verbatim(absl::StrCat("GLIBC_TUNABLES=", recommendation.string));
    for (const TunableSetting& setting : recommendation.tunables) {
      const std::string before =
          setting.value_before.has_value()
              ? absl::StrCat(FormatBytes(*setting.value_before), " -> ")
              : "";
      page.Paragraph(absl::StrCat(
          setting.name, ": ", before,
          setting.text.empty() ? FormatBytes(setting.value) : setting.text,
          ". ", setting.reason));
    }
  }
  // Told already, where a single setting has the same reason.
  if (recommendation.tunables.size() == 1 &&
      recommendation.tunables[0].reason == recommendation.reason) {
    return;
  }
  page.Title("Why");
  page.Paragraph(recommendation.reason);
}

void ProofPart(const Report& report, Page& page) {
  page.Title("Proof");
  if (!report.proof.has_value()) {
    if (report.recommendation.verdict == Verdict::kSet) {
      page.Paragraph("none: this comes from the model, nothing was measured");
    }
    return;
  }
  const Proof& proof = *report.proof;
  page.Paragraph(absl::StrCat(proof.holds ? "It holds. " : "It does not hold. ",
                              proof.summary));
  // Its cells say nothing then.
  if (proof.processes == 0) return;
  page.Paragraph(absl::StrFormat(
      "%d fresh processes on the real libc; noise floor %s, stolen time %s; "
      "geometric mean of time %.2f in the cells that it touches, %.2f in all",
      proof.processes, FormatPercent(proof.noise_floor),
      FormatPercent(proof.steal), proof.touched_ratio, proof.all_ratio));
  page.Verbatim(ProofTable(proof.cells, page.columns_beside_titles()));
}

void ApplyPart(const Report& report, Page& page) {
  if (report.recommendation.verdict == Verdict::kKeepDefaults) return;
  page.Title("Apply");
  page.Paragraph(
      "`export` and the line after \"Set\", before a program starts: glibc "
      "reads it once, then. Set-uid programs ignore it. Files for services: "
      "--format=systemd, docker, kubernetes, slurm.");
  page.Title("Undo");
  const std::string& before = report.glibc.tunables_in_environment;
  page.Verbatim(before.empty()
                    ? "unset GLIBC_TUNABLES"
                    : absl::StrCat("export GLIBC_TUNABLES=", before));
  page.Paragraph(absl::StrCat("Drop it ", WhenToDrop(report)));
}

void MethodPart(const Report& report, Page& page) {
  if (report.method.empty()) return;
  page.Title("Measured");
  page.Paragraph(absl::StrCat(
      report.method, ", ", report.measure, ", ",
      absl::StrFormat("%.1f s", absl::ToDoubleSeconds(report.measuring_time))));
}

}  // namespace

std::string TextRenderer::Render(const Report& report,
                                 const RenderOptions& options) const {
  Page page(options.columns);
  MachinePart(report.machine, report.caches, page);
  GlibcPart(report.glibc, page);
  FindingsPart(report, page);
  RecommendationPart(report, page);
  ProofPart(report, page);
  WorkloadPart(report.workload, page);
  MasksPart(report.masks, page);
  ApplyPart(report, page);
  MethodPart(report, page);
  return std::move(page).text();
}

}  // namespace advisor
