#include "advisor/render/json_text.h"
#include "advisor/render/mask_report.h"
#include "advisor/render/or_null.h"
#include "advisor/render/words.h"
#include "nlohmann/json.hpp"

namespace advisor {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;

Json Choice(const MaskedChoice& choice) {
  const Thresholds& sizes = choice.thresholds;
  return {{"memmove", "__memmove_" + choice.memmove},
          {"memcpy", "__memcpy_" + choice.memmove},
          {"mempcpy", "__mempcpy_" + choice.memmove},
          {"memset", "__memset_" + choice.memset},
          {"data_cache_size", sizes.data_cache_size},
          {"shared_cache_size", sizes.shared_cache_size},
          {"non_temporal_threshold", sizes.non_temporal_threshold},
          {"rep_movsb_threshold", OrNull(sizes.rep_movsb_threshold)},
          {"rep_movsb_stop_threshold", OrNull(sizes.rep_movsb_stop_threshold)},
          {"rep_stosb_threshold", OrNull(sizes.rep_stosb_threshold)},
          {"memset_non_temporal_threshold",
           OrNull(sizes.memset_non_temporal_threshold)}};
}

Json Measured(const MaskReport::Measured& measured) {
  Json costs = Json::array();
  for (const VariantCost& cost : measured.costs) {
    costs.push_back({{"function", cost.function},
                     {"smallest", cost.smallest},
                     {"largest", cost.largest},
                     {"ratio", cost.ratio},
                     {"low", cost.low},
                     {"high", cost.high},
                     {"verdict", std::string(CellVerdictName(cost.verdict))}});
  }
  return {{"processes", measured.processes},
          {"noise_floor", measured.noise_floor},
          {"costs", costs}};
}

}  // namespace

std::string RenderMaskJson(const MaskReport& report) {
  const Mask& mask = report.mask;
  Json settings = Json::array();
  for (const TunableValue& value : mask.settings) {
    settings.push_back({{"name", value.first}, {"value", value.second}});
  }
  Json cpus = Json::array();
  for (const MaskedCpu& cpu : mask.cpus) {
    cpus.push_back({{"name", cpu.name},
                    {"before", Choice(cpu.before)},
                    {"after", Choice(cpu.after)}});
  }
  Json unhidden = Json::array();
  for (const UnhiddenFeature& feature : mask.unhidden) {
    unhidden.push_back(
        {{"name", feature.name}, {"why", feature.why}, {"used", feature.used}});
  }
  Json unpinned = Json::array();
  for (const UnpinnedRow& row : mask.unpinned) {
    unpinned.push_back(
        {{"name", std::string(row.name)}, {"why", std::string(row.why)}});
  }
  const Json document = {
      {"schema_version", kSchemaVersion},
      {"purpose", report.purpose},
      {"build", report.build},
      {"build_note", report.build_note},
      {"isa_level",
       report.isa_level.has_value() ? Json(*report.isa_level) : Json(nullptr)},
      {"tunables_in_environment", report.tunables_in_environment},
      {"reached", mask.reached()},
      {"mask", mask.items},
      {"settings", settings},
      {"string", mask.glibc_tunables},
      {"cpus", cpus},
      {"measured", report.measured.has_value() ? Measured(*report.measured)
                                               : Json(nullptr)},
      {"why_not_measured", report.why_not_measured},
      {"failures", mask.failures},
      {"unhidden", unhidden},
      {"not_fixed", unpinned},
      {"limits", mask.limits},
      {"reference", report.reference},
  };
  return JsonText(document, 2) + "\n";
}

}  // namespace advisor
