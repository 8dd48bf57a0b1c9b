#include "advisor/render/json_renderer.h"

#include <cmath>
#include <optional>

#include "absl/time/time.h"
#include "advisor/render/json_text.h"
#include "advisor/render/or_null.h"
#include "advisor/render/words.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

template <typename Row>
Json Array(const std::vector<Row>& rows, Json (*to_json)(const Row&)) {
  Json result = Json::array();
  for (const Row& row : rows) result.push_back(to_json(row));
  return result;
}

Json Cache(const CacheSummary& cache) {
  return {{"level", cache.level},
          {"bytes", cache.bytes},
          {"sharers", OrNull(cache.sharers)},
          {"source", cache.source}};
}

Json Machine(const MachineSummary& machine) {
  return {{"origin", machine.origin},
          {"host", machine.host},
          {"vendor", machine.vendor},
          {"brand", machine.brand},
          {"microarchitecture", machine.microarchitecture},
          {"family", machine.family},
          {"model", machine.model},
          {"stepping", machine.stepping},
          {"hypervisor", machine.hypervisor},
          {"cpus", OrNull(machine.cpus)},
          {"caches", Array(machine.caches, &Cache)},
          {"kernel", machine.kernel}};
}

Json Threshold(const ThresholdSummary& threshold) {
  return {{"name", threshold.name},
          {"bytes", OrNull(threshold.bytes)},
          {"is_tunable", threshold.is_tunable},
          {"source", threshold.source}};
}

Json Glibc(const GlibcSummary& glibc) {
  return {{"release", glibc.release},
          {"revision", glibc.revision},
          {"loader", glibc.loader},
          {"note", glibc.note},
          {"tunables_in_environment", glibc.tunables_in_environment},
          {"memmove_variant", glibc.memmove_variant},
          {"memset_variant", glibc.memset_variant},
          {"thresholds", Array(glibc.thresholds, &Threshold)}};
}

Json OneFinding(const Finding& finding) {
  return {{"id", finding.id},
          {"severity", std::string(SeverityName(finding.severity))},
          {"title", finding.title},
          {"detail", finding.detail},
          {"evidence", finding.evidence}};
}

// A number, or the text of a value that is none.
Json Value(const TunableSetting& setting) {
  return setting.text.empty() ? Json(setting.value) : Json(setting.text);
}

Json Change(const TunableSetting& setting) {
  return {{"name", setting.name},
          {"value", Value(setting)},
          {"value_before", OrNull(setting.value_before)},
          {"reason", setting.reason}};
}

Json OneRecommendation(const Recommendation& recommendation) {
  Json tunables = Json::object();
  for (const TunableSetting& setting : recommendation.tunables) {
    tunables[setting.name] = Value(setting);
  }
  return {{"verdict",
           recommendation.verdict == Verdict::kSet ? "set" : "keep_defaults"},
          {"tunables", tunables},
          {"string", recommendation.string},
          {"reason", recommendation.reason},
          {"changes", Array(recommendation.tunables, &Change)},
          {"validity",
           {{"releases", recommendation.validity.releases},
            {"obsolete_from", recommendation.validity.obsolete_from}}}};
}

// A bound that is not known, since too little was measured, is null.
Json Interval(double low, double high) {
  const auto bound = [](double value) {
    return value > 0 && std::isfinite(value) ? Json(value) : Json(nullptr);
  };
  return Json::array({bound(low), bound(high)});
}

Json Cell(const ProofCell& cell) {
  return {{"function", cell.function},
          {"size", cell.size},
          {"alignment", cell.alignment},
          {"regime", cell.regime},
          {"copiers", cell.copiers},
          {"ratio", cell.ratio},
          {"interval", Interval(cell.low, cell.high)},
          {"cycles_before", cell.cycles_before},
          {"cycles_after", cell.cycles_after},
          {"verdict", std::string(CellVerdictName(cell.verdict))}};
}

Json OneProof(const std::optional<Proof>& proof) {
  if (!proof.has_value()) return nullptr;
  return {
      {"holds", proof->holds},         {"summary", proof->summary},
      {"processes", proof->processes}, {"noise_floor", proof->noise_floor},
      {"steal", proof->steal},         {"touched_ratio", proof->touched_ratio},
      {"all_ratio", proof->all_ratio}, {"cells", Array(proof->cells, &Cell)}};
}

Json Latency(const LatencyPoint& point) {
  return {{"bytes", point.bytes}, {"nanoseconds", point.nanoseconds}};
}

Json Level(const MeasuredCache& level) {
  return {{"level", level.level},
          {"claimed", OrNull(level.claimed)},
          {"measured", OrNull(level.measured)},
          {"contradicted", level.contradicted}};
}

Json Caches(const std::optional<CacheTruth>& caches) {
  if (!caches.has_value()) return nullptr;
  return {{"pages", caches->pages},
          {"curve", Array(caches->curve, &Latency)},
          {"levels", Array(caches->levels, &Level)}};
}

Json WholeMix(const std::optional<WorkloadSummary::Ratio>& ratio) {
  if (!ratio.has_value()) return nullptr;
  return {{"ratio", ratio->ratio},
          {"interval", Interval(ratio->low, ratio->high)}};
}

Json Workload(const std::optional<WorkloadSummary>& workload) {
  if (!workload.has_value()) return nullptr;
  return {{"name", workload->name},
          {"provenance", workload->provenance},
          {"calls", workload->calls},
          {"touched_calls", workload->touched_calls},
          {"touched_bytes", workload->touched_bytes},
          {"one_copier", WholeMix(workload->one_copier)},
          {"several_copiers", WholeMix(workload->several_copiers)},
          {"worst_cell", workload->worst_cell}};
}

Json Mask(const MaskTrial& trial) {
  return {{"mask", trial.mask},
          {"memmove_variant", trial.memmove_variant},
          {"memset_variant", trial.memset_variant},
          {"ratio", trial.ratio},
          {"interval", Interval(trial.low, trial.high)},
          {"verdict", std::string(CellVerdictName(trial.verdict))}};
}

Json CurvePoint(const TimeCurve::Point& point) {
  return {{"size", point.size}, {"cycles", point.cycles}};
}

Json Curve(const TimeCurve& curve) {
  return {{"function", curve.function},
          {"label", curve.label},
          {"regime", curve.regime},
          {"points", Array(curve.points, &CurvePoint)}};
}

std::string Document(const Report& report, int indent) {
  const Json json = {
      {"schema_version", JsonRenderer::kSchemaVersion},
      {"tool_version", report.tool_version},
      {"date", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", report.date,
                                absl::UTCTimeZone())},
      {"measure", report.measure},
      {"method", report.method},
      {"measuring_seconds", absl::ToDoubleSeconds(report.measuring_time)},
      {"machine", Machine(report.machine)},
      {"glibc", Glibc(report.glibc)},
      {"findings", Array(report.findings, &OneFinding)},
      {"recommendation", OneRecommendation(report.recommendation)},
      {"proof", OneProof(report.proof)},
      {"caches", Caches(report.caches)},
      {"workload", Workload(report.workload)},
      {"masks", Array(report.masks, &Mask)},
      {"curves", Array(report.curves, &Curve)}};
  return JsonText(json, indent) + "\n";
}

}  // namespace

std::string JsonRenderer::Render(const Report& report,
                                 const RenderOptions&) const {
  return Document(report, 2);
}

std::string JsonLineRenderer::Render(const Report& report,
                                     const RenderOptions&) const {
  return Document(report, -1);
}

}  // namespace advisor
