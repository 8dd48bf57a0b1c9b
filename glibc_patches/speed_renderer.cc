#include "glibc_patches/speed_renderer.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/render/layout.h"

namespace glibc_patches {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kColumns = 80;

struct SpeedCount {
  int same = 0, slower = 0, faster = 0, cannot_tell = 0;
  int not_measured = 0;
};

SpeedCount CountOf(const SpeedResult& speed) {
  SpeedCount count;
  for (const SpeedCellResult& cell : speed.cells) {
    if (cell.processes == 0) {
      ++count.not_measured;
      continue;
    }
    switch (cell.judgement) {
      case SpeedJudgement::kSame:
        ++count.same;
        break;
      case SpeedJudgement::kSlower:
        ++count.slower;
        break;
      case SpeedJudgement::kFaster:
        ++count.faster;
        break;
      case SpeedJudgement::kCannotTell:
        ++count.cannot_tell;
        break;
    }
  }
  return count;
}

void AddChanges(const WeighedSpeed& weighed, std::string& text) {
  absl::StrAppend(&text,
                  advisor::WrapText(absl::StrCat("workload ", weighed.workload,
                                                 ": ", weighed.provenance),
                                    2, kColumns),
                  "\n");
  for (const WorkloadChange& change : weighed.changes) {
    std::string line = absl::StrCat("all ", change.calls, ", ", change.kind);
    if (!change.measured.has_value()) {
      absl::StrAppend(&line, ": none in this workload");
    } else if (change.processes < 2) {
      absl::StrAppend(&line, ": not measured");
    } else {
      absl::StrAppendFormat(
          &line,
          ": %s [%s, %s], %s; the base against itself %s [%s, %s]; in %d "
          "processes, %s of its time",
          FormatChange(change.interval.middle),
          FormatChange(change.interval.low), FormatChange(change.interval.high),
          SpeedJudgementText(change.judgement),
          FormatChange(change.control.middle), FormatChange(change.control.low),
          FormatChange(change.control.high), change.processes,
          FormatShare(*change.measured));
    }
    absl::StrAppend(&text, "  ", advisor::WrapText(line, 4, kColumns), "\n");
  }
}

void AddCells(const SpeedResult& speed, const WeighedSpeed& weighed,
              std::string& text) {
  const SpeedCount count = CountOf(speed);
  absl::StrAppendFormat(
      &text,
      "speed: %d cells: %d same, %d slower, %d faster, %d cannot tell; %d "
      "processes; the base against itself differs by up to %.1f %% (alone %.1f "
      "%%), %d false alarms; %.1f %% of CPU time stolen\n",
      speed.cells.size(), count.same, count.slower, count.faster,
      count.cannot_tell, speed.processes, 100 * std::expm1(speed.noise_floor),
      100 * std::expm1(speed.alone_noise_floor), speed.control_alarms,
      100 * speed.steal);
  if (count.not_measured > 0) {
    absl::StrAppend(&text,
                    "not measured, for want of time: ", count.not_measured,
                    " cells\n");
  }
  for (size_t i = 0; i < speed.cells.size(); ++i) {
    const SpeedCellResult& cell = speed.cells[i];
    if (cell.judgement != SpeedJudgement::kSlower &&
        cell.judgement != SpeedJudgement::kFaster) {
      continue;
    }
    absl::StrAppendFormat(
        &text,
        "  %-6s  %s [%s, %s]  %s, %s, thresholds %s: %.1f -> %.1f cycles%s\n",
        SpeedJudgementText(cell.judgement), FormatChange(cell.interval.middle),
        FormatChange(cell.interval.low), FormatChange(cell.interval.high),
        cell.cell.variant, DescribeCell(cell.cell.cell), cell.cell.thresholds,
        cell.base_cycles, cell.patched_cycles,
        weighed.cells[i].matters ? "" : ", no weight");
  }
}

void AddRegimes(const Verdict& verdict, std::string& text) {
  absl::StrAppend(
      &text,
      advisor::WrapText(
          absl::StrCat("regimes: ", absl::StrJoin(verdict.regimes, ", ")), 2,
          kColumns),
      "\n");
  for (const RegimeGap& gap : verdict.regime_gaps) {
    std::string line = absl::StrCat("not measured, ", gap.reason, ": ",
                                    absl::StrJoin(gap.regimes, ", "));
    if (!gap.variants.empty()) {
      absl::StrAppend(&line, "; of ", absl::StrJoin(gap.variants, ", "));
    }
    absl::StrAppend(&text, advisor::WrapText(line, 2, kColumns), "\n");
  }
}

// null for what too few processes tell.
Json Ratio(int processes, double log_ratio) {
  return processes < 2 ? Json() : Json(std::exp(log_ratio));
}

void AddRatios(const WorkloadChange& change, Json& json) {
  for (const auto& [name, interval] :
       {std::make_pair("ratio", &change.interval),
        std::make_pair("control", &change.control)}) {
    for (const auto& [end, log_ratio] :
         {std::make_pair("", interval->middle),
          std::make_pair("_low", interval->low),
          std::make_pair("_high", interval->high)}) {
      json[absl::StrCat(name, end)] = Ratio(change.processes, log_ratio);
    }
  }
}

Json WorkloadJson(const WeighedSpeed& weighed) {
  Json changes = Json::array();
  for (const WorkloadChange& change : weighed.changes) {
    Json json = {
        {"kind", change.kind},
        {"calls", change.calls},
        {"judgement", SpeedJudgementName(change.judgement)},
        {"measured", change.measured ? Json(*change.measured) : Json()},
        {"processes", change.processes}};
    AddRatios(change, json);
    changes.push_back(std::move(json));
  }
  return {{"name", weighed.workload},
          {"provenance", weighed.provenance},
          {"is_default", weighed.is_default},
          {"band", kWorkloadBand},
          {"changes", std::move(changes)}};
}

}  // namespace

std::string SpeedText(const Verdict& verdict) {
  std::string text;
  AddCells(*verdict.speed, verdict.weighed, text);
  AddChanges(verdict.weighed, text);
  AddRegimes(verdict, text);
  return text;
}

nlohmann::ordered_json SpeedJson(const Verdict& verdict) {
  const SpeedResult& speed = *verdict.speed;
  const WeighedSpeed& weighed = verdict.weighed;
  const SpeedOptions& options = verdict.speed_options;
  Json cells = Json::array();
  for (size_t i = 0; i < speed.cells.size(); ++i) {
    const SpeedCellResult& cell = speed.cells[i];
    cells.push_back(
        {{"variant", cell.cell.variant},
         {"thresholds", cell.cell.thresholds},
         {"size", cell.cell.cell.size},
         {"alignment", kernels::AlignmentName(cell.cell.cell.alignment)},
         {"regime", kernels::RegimeName(cell.cell.cell.regime)},
         {"copiers", cell.cell.cell.copiers},
         {"judgement", SpeedJudgementName(cell.judgement)},
         {"ratio", Ratio(cell.processes, cell.interval.middle)},
         {"ratio_low", Ratio(cell.processes, cell.interval.low)},
         {"ratio_high", Ratio(cell.processes, cell.interval.high)},
         {"p_value", cell.p_value},
         {"base_cycles", cell.base_cycles},
         {"patched_cycles", cell.patched_cycles},
         {"processes", cell.processes},
         {"excludes_regression", cell.excludes_regression},
         {"share", weighed.cells[i].share},
         {"matters", weighed.cells[i].matters}});
  }
  Json gaps = Json::array();
  for (const RegimeGap& gap : verdict.regime_gaps) {
    gaps.push_back({{"regimes", gap.regimes},
                    {"variants", gap.variants},
                    {"reason", gap.reason}});
  }
  return {{"band", options.band},
          {"tolerated", options.tolerated},
          {"noise_floor", speed.noise_floor},
          {"alone_noise_floor", speed.alone_noise_floor},
          {"control_alarms", speed.control_alarms},
          {"processes", speed.processes},
          {"steal", speed.steal},
          {"workload", WorkloadJson(weighed)},
          {"regimes", verdict.regimes},
          {"not_measured", std::move(gaps)},
          {"cells", std::move(cells)}};
}

}  // namespace glibc_patches
