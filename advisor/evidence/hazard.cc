#include "advisor/evidence/hazard.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/distribution.h"
#include "advisor/glibc/merge_tunables.h"

namespace advisor {
namespace {

bool GroupApplies(absl::string_view group, const HazardFacts& facts) {
  return absl::c_any_of(AllHazards(), [&](const HazardRow& row) {
    return row.group == group && row.applies(facts);
  });
}

bool GroupAppliesTo(absl::string_view group, const HazardFacts& facts,
                    const GlibcBuild& build, absl::string_view tunables) {
  const Prediction prediction =
      Predict(facts.cpuid, build, tunables, Reasoning::kOmitted);
  const HazardFacts other = {facts.cpuid, facts.cpu, build,
                             prediction,  tunables,  facts.cpus};
  return GroupApplies(group, other);
}

// The value that cures it, or nothing if the model does not see it cured.
std::string Remedy(const HazardRow& row, const HazardFacts& facts) {
  const auto settings = row.tunables(facts);
  if (settings.empty()) return "";
  const std::string value = MergeTunables(facts.glibc_tunables, settings);
  return GroupAppliesTo(row.group, facts, facts.build, value) ? "" : value;
}

// The first package of the same distribution and release, after `build`, that
// is without it.
std::optional<std::string> GoneFromPackage(const HazardRow& row,
                                           const HazardFacts& facts) {
  const absl::string_view name = facts.build.name();
  const size_t dash = name.find('-');
  if (dash == absl::string_view::npos) return std::nullopt;
  const DistributionRow* const mine =
      FindDistributionRow(facts.build.release(), name.substr(dash + 1));
  if (mine == nullptr) return std::nullopt;
  for (const DistributionRow& later : AllDistributionRows()) {
    if (later.release != mine->release || later.prefix != mine->prefix ||
        later.suffix != mine->suffix || later.from <= mine->from) {
      continue;
    }
    const absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(absl::StrCat(
        "2.", later.release, "-", later.prefix, later.from, later.suffix));
    if (build.ok() &&
        !GroupAppliesTo(row.group, facts, *build, facts.glibc_tunables)) {
      return build->name();
    }
  }
  return std::nullopt;
}

std::vector<std::string> GoneFromBuilds(const HazardRow& row,
                                        const HazardFacts& facts) {
  std::vector<std::string> builds;
  if (const std::optional<std::string> package = GoneFromPackage(row, facts)) {
    builds.push_back(*package);
  }
  const int release = facts.build.release();
  const GlibcBuild tip = GlibcBuild::BranchTip(release);
  if (tip.name() != facts.build.name() &&
      !GroupAppliesTo(row.group, facts, tip, facts.glibc_tunables)) {
    builds.push_back(tip.name());
  }
  // From the newest back to the last that still has it.
  int first = kLastRelease + 1;
  while (first - 1 > release &&
         !GroupAppliesTo(row.group, facts, GlibcBuild::Tag(first - 1),
                         facts.glibc_tunables)) {
    --first;
  }
  if (first <= kLastRelease) builds.push_back(absl::StrCat("2.", first));
  return builds;
}

}  // namespace

absl::string_view ConsequenceName(Consequence consequence) {
  switch (consequence) {
    case Consequence::kDoubtful:
      return "doubtful";
    case Consequence::kPartlySlow:
      return "partly slow";
    case Consequence::kCliff:
      return "cliff";
    case Consequence::kCrashes:
      return "crashes";
    case Consequence::kHangs:
      return "hangs";
  }
  return "";
}

Severity SeverityOf(Consequence consequence) {
  return consequence >= Consequence::kCliff ? Severity::kCritical
                                            : Severity::kWarning;
}

std::vector<const HazardRow*> ApplicableHazards(const HazardFacts& facts) {
  std::vector<const HazardRow*> rows;
  for (const HazardRow& row : AllHazards()) {
    if (row.applies(facts)) rows.push_back(&row);
  }
  return rows;
}

std::vector<Hazard> DescribeHazards(const HazardFacts& facts) {
  std::vector<Hazard> hazards;
  for (const HazardRow* row : ApplicableHazards(facts)) {
    Hazard hazard;
    hazard.id = std::string(row->id);
    hazard.consequence = row->consequence;
    hazard.title = row->title(facts);
    hazard.cause = row->cause(facts);
    hazard.glibc_tunables = Remedy(*row, facts);
    hazard.gone_from = GoneFromBuilds(*row, facts);
    hazard.reference = std::string(row->reference);
    hazards.push_back(std::move(hazard));
  }
  return hazards;
}

std::vector<std::string> HypervisorRemedies(const Hazard& hazard) {
  std::vector<std::string> remedies;
  for (const GuestSetting setting : hazard.cause.settings) {
    const GuestSettingRow& row = GuestSettingRowOf(setting);
    remedies.push_back(
        absl::StrCat(row.name, ": QEMU ", row.qemu, "; libvirt ", row.libvirt));
  }
  return remedies;
}

std::string GoneFrom(const Hazard& hazard) {
  if (!hazard.gone_from.has_value()) return "";
  if (hazard.gone_from->empty()) {
    return absl::StrCat("not gone by 2.", kLastRelease);
  }
  return absl::StrCat("gone from ", absl::StrJoin(*hazard.gone_from, ", "));
}

Finding HazardFinding(const Hazard& hazard, bool is_guest) {
  Finding finding;
  finding.id = hazard.id;
  finding.severity = SeverityOf(hazard.consequence);
  finding.title = absl::StrCat(hazard.title, ".");
  std::vector<std::string> sentences = {
      absl::StrCat("Because ", hazard.cause.text, ".")};
  if (is_guest && !hazard.cause.settings.empty()) {
    sentences.push_back(absl::StrCat(
        "In the hypervisor: ", absl::StrJoin(HypervisorRemedies(hazard), "; "),
        "."));
  }
  if (const std::string gone = GoneFrom(hazard); !gone.empty()) {
    sentences.push_back(absl::StrCat("It is ", gone, "."));
  }
  finding.detail = absl::StrJoin(sentences, " ");
  for (const std::string& field : hazard.cause.fields) {
    finding.evidence.push_back(absl::StrCat("CPUID ", field));
  }
  finding.evidence.push_back(hazard.reference);
  return finding;
}

}  // namespace advisor
