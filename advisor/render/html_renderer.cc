#include "advisor/render/html_renderer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "advisor/render/html_charts.h"
#include "advisor/render/html_style.h"
#include "advisor/render/html_text.h"
#include "advisor/render/layout.h"
#include "advisor/render/provenance.h"

namespace advisor {
namespace {

std::string Paragraph(absl::string_view text, absl::string_view tag = "p") {
  return text.empty() ? ""
                      : absl::StrCat(HtmlElement(tag, HtmlText(text)), "\n");
}

std::string Section(absl::string_view title, absl::string_view inside) {
  return inside.empty()
             ? ""
             : absl::StrCat("<section>\n", HtmlElement("h2", HtmlText(title)),
                            "\n", inside, "</section>\n");
}

// `rows`: cells that are text; the first of each names it.
std::string Table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  std::string top;
  for (const std::string& cell : head) {
    absl::StrAppend(&top, HtmlElement("th", HtmlText(cell)));
  }
  std::string body;
  for (const std::vector<std::string>& row : rows) {
    std::string cells;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string column =
          absl::StrCat("td data-column=\"", HtmlText(head[i]), "\"",
                       head[i] == "because" ? " class=\"reason\"" : "");
      absl::StrAppend(&cells, HtmlElement(i == 0 ? "th scope=\"row\"" : column,
                                          HtmlText(row[i])));
    }
    absl::StrAppend(&body, HtmlElement("tr", cells), "\n");
  }
  return absl::StrCat("<div class=\"wide\"><table class=\"names\">",
                      HtmlElement("thead", HtmlElement("tr", top)), "\n",
                      HtmlElement("tbody", body), "</table></div>\n");
}

std::string BytesOrUnknown(const std::optional<uint64_t>& bytes) {
  return bytes.has_value() ? FormatBytes(*bytes) : "none";
}

std::string Headline(const Report& report) {
  const size_t settings = report.recommendation.tunables.size();
  if (report.recommendation.verdict == Verdict::kKeepDefaults) {
    return "Nothing to set: keep the defaults";
  }
  return settings == 1 ? "One tunable to set"
                       : absl::StrCat(settings, " tunables to set");
}

std::string MachineLine(const Report& report) {
  const MachineSummary& machine = report.machine;
  std::vector<std::string> parts = {machine.brand.empty() ? machine.vendor
                                                          : machine.brand};
  if (!machine.microarchitecture.empty()) {
    parts.push_back(machine.microarchitecture);
  }
  if (!machine.hypervisor.empty()) {
    parts.push_back(absl::StrCat(machine.hypervisor, " guest"));
  }
  if (machine.cpus.has_value()) {
    parts.push_back(
        absl::StrCat(*machine.cpus, *machine.cpus == 1 ? " CPU" : " CPUs"));
  }
  parts.push_back(absl::StrCat("glibc ", report.glibc.revision.empty()
                                             ? report.glibc.release
                                             : report.glibc.revision));
  return absl::StrJoin(parts, " · ");
}

// May be broken after an item.
std::string Variable(absl::string_view value) {
  return HtmlElement(
      "pre",
      absl::StrReplaceAll(HtmlText(absl::StrCat("GLIBC_TUNABLES=", value)),
                          {{":", ":<wbr>"}}));
}

std::string Answer(const Report& report) {
  const Recommendation& recommendation = report.recommendation;
  const std::string& before = report.glibc.tunables_in_environment;
  if (recommendation.verdict == Verdict::kKeepDefaults) {
    return HtmlElement(
        "div class=\"answer\"",
        absl::StrCat(
            Paragraph(recommendation.reason),
            before.empty()
                ? ""
                : absl::StrCat(Paragraph("The environment sets already:"),
                               Variable(before))));
  }
  std::vector<std::vector<std::string>> rows;
  for (const TunableSetting& setting : recommendation.tunables) {
    rows.push_back(
        {setting.name,
         setting.value_before.has_value() ? FormatBytes(*setting.value_before)
                                          : "",
         setting.text.empty() ? FormatBytes(setting.value) : setting.text,
         setting.reason});
  }
  return absl::StrCat(
      HtmlElement("div class=\"answer\"",
                  absl::StrCat(Variable(recommendation.string),
                               Paragraph(recommendation.reason))),
      "\n", Table({"tunable", "now", "recommended", "because"}, rows),
      "<p>Apply: <code>export</code> the variable before a program starts; "
      "glibc reads it once, then. Set-uid programs ignore it. Files for "
      "services: <code>--format=systemd</code>, <code>docker</code>, "
      "<code>kubernetes</code>, <code>slurm</code>.</p>\n",
      Paragraph(absl::StrCat(
          "Undo: ", before.empty()
                        ? "unset GLIBC_TUNABLES"
                        : absl::StrCat("export GLIBC_TUNABLES=", before))),
      Paragraph(absl::StrCat("Drop it ", WhenToDrop(report))));
}

std::string Findings(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    const char* const severity =
        finding.severity == Severity::kCritical  ? "critical"
        : finding.severity == Severity::kWarning ? "warning"
                                                 : "information";
    absl::StrAppend(
        &text,
        HtmlElement(
            absl::StrCat("div class=\"finding ", severity, "\""),
            absl::StrCat(Paragraph(severity, "span class=\"badge\""),
                         Paragraph(finding.title, "h3"),
                         Paragraph(finding.detail),
                         Paragraph(absl::StrJoin(finding.evidence, "; "),
                                   "p class=\"note\""))),
        "\n");
  }
  return text;
}

std::string ProofSection(const Report& report) {
  if (!report.proof.has_value()) {
    return report.recommendation.verdict == Verdict::kSet
               ? Paragraph(
                     "None: this comes from the model, nothing was "
                     "measured.")
               : "";
  }
  const Proof& proof = *report.proof;
  // Its cells say nothing then.
  if (proof.processes == 0) return Paragraph(proof.summary);
  return absl::StrCat(
      Paragraph(absl::StrCat(proof.holds ? "It holds. " : "It does not hold. ",
                             proof.summary)),
      Paragraph(absl::StrFormat(
          "%d fresh processes on the real libc, with the setting against "
          "without; points are ratios of time with 95%% intervals, below 1 is "
          "faster. The band is the noise floor of %s; stolen time %s. "
          "Geometric "
          "mean %.2f where the setting changes something, %.2f in all.",
          proof.processes, FormatPercent(proof.noise_floor),
          FormatPercent(proof.steal), proof.touched_ratio, proof.all_ratio)),
      ProofFigures(proof));
}

std::string Curves(const Report& report) {
  const std::string figures = CurveFigures(report);
  if (figures.empty()) return "";
  return absl::StrCat(
      Paragraph(
          "Each way through a function at every size. The first plot has the "
          "time of "
          "a call, where lower is faster; the second the same as bytes "
          "a cycle, where higher is. All axes are logarithmic. A threshold "
          "is where glibc goes over from one way to the next: it is best "
          "where their lines cross."),
      "<div class=\"figures\">\n", figures, "</div>\n");
}

std::string Workload(const Report& report) {
  if (!report.workload.has_value()) return "";
  const WorkloadSummary& workload = *report.workload;
  return absl::StrCat(
      Paragraph(workload.provenance.empty()
                    ? workload.name
                    : absl::StrCat(workload.name, ": ", workload.provenance)),
      Paragraph(absl::StrFormat(
          "%d calls; the setting changes the way of %s of them, with %s of the "
          "bytes.",
          workload.calls, FormatPercent(workload.touched_calls),
          FormatPercent(workload.touched_bytes))),
      Paragraph(workload.worst_cell.empty()
                    ? ""
                    : absl::StrCat("Worst: ", workload.worst_cell)),
      WorkloadFigure(workload));
}

std::string Masks(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const MaskTrial& trial : report.masks) {
    rows.push_back({trial.mask, trial.memmove_variant, trial.memset_variant});
  }
  return absl::StrCat(Table({"glibc.cpu.hwcaps", "memmove", "memset"}, rows),
                      MasksFigure(report.masks));
}

std::string Caches(const Report& report) {
  std::vector<std::vector<std::string>> rows;
  for (const CacheSummary& cache : report.machine.caches) {
    rows.push_back(
        {cache.level, FormatBytes(cache.bytes),
         cache.sharers.has_value() ? absl::StrCat(*cache.sharers) : "not told",
         cache.source});
  }
  std::string text =
      Table({"cache", "claimed", "threads share it", "by"}, rows);
  if (!report.caches.has_value()) return text;
  rows.clear();
  for (const MeasuredCache& level : report.caches->levels) {
    rows.push_back(
        {level.level,
         level.claimed.has_value() ? FormatBytesRoughly(*level.claimed)
                                   : "nothing",
         level.measured.has_value() ? FormatBytesRoughly(*level.measured)
                                    : "no edge to be seen",
         level.contradicted ? "no: nothing is derived from the claim" : "yes"});
  }
  return absl::StrCat(
      text,
      Table({"cache", "claimed", "this process gets", "claim is possible"},
            rows),
      "<div class=\"figures\">\n", LatencyFigure(*report.caches), "</div>\n");
}

std::string GlibcPart(const GlibcSummary& glibc) {
  std::vector<std::vector<std::string>> rows;
  for (const ThresholdSummary& threshold : glibc.thresholds) {
    rows.push_back({threshold.name, BytesOrUnknown(threshold.bytes),
                    threshold.is_tunable ? "yes" : "no", threshold.source});
  }
  return absl::StrCat(
      Paragraph(absl::StrCat("memmove: ", glibc.memmove_variant,
                             ", memset: ", glibc.memset_variant)),
      Table({"value", "now", "a tunable", "by"}, rows), Paragraph(glibc.note));
}

std::string Footer(const Report& report) {
  std::vector<std::string> parts = {
      absl::StrCat("glibc tunables advisor ", report.tool_version, ", ",
                   absl::FormatTime("%Y-%m-%d %H:%M UTC", report.date,
                                    absl::UTCTimeZone()))};
  if (!report.method.empty()) {
    parts.push_back(absl::StrCat(
        "measured: ", report.method, ", ", report.measure,
        absl::StrFormat(", %.1f s",
                        absl::ToDoubleSeconds(report.measuring_time))));
  }
  if (!report.machine.kernel.empty()) {
    parts.push_back(absl::StrCat("kernel ", report.machine.kernel));
  }
  parts.push_back(absl::StrCat("of ", report.machine.origin));
  return HtmlElement("footer", HtmlText(absl::StrJoin(parts, "; ")));
}

}  // namespace

std::string HtmlRenderer::Render(const Report& report,
                                 const RenderOptions&) const {
  // The policy keeps a page from fetching or running anything, whatever the
  // names in it hold.
  return absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
      "charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<meta "
      "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\">\n",
      HtmlElement("title", HtmlText(absl::StrCat("glibc tunables: ",
                                                 MachineLine(report)))),
      "\n", HtmlElement("style", kHtmlStyle), "\n</head>\n<body>\n<main>\n",
      HtmlElement("h1", HtmlText(Headline(report))), "\n",
      Paragraph(MachineLine(report), "p class=\"quiet\""), Answer(report),
      Section("Found", Findings(report.findings)),
      Section("Proof", ProofSection(report)),
      Section("Time against size", Curves(report)),
      Section("Workload", Workload(report)), Section("Masks", Masks(report)),
      Section("Caches", Caches(report)),
      Section("What glibc does now", GlibcPart(report.glibc)), Footer(report),
      "\n</main>\n</body>\n</html>\n");
}

}  // namespace advisor
