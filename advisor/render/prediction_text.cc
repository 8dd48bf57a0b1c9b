#include "advisor/render/prediction_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/guest_configuration.h"
#include "advisor/evidence/known_issue.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"
#include "advisor/render/prediction_table.h"

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

void MachinePart(const PredictionSubject& subject, Page& page) {
  page.Title("Machine");
  if (subject.has_features || !subject.cpu.vendor.empty()) {
    page.Paragraph(DescribeCpuModel(subject.cpu));
  }
  page.Paragraph(subject.path);
  page.Paragraph(subject.core);
}

void ValuesPart(const PredictionAnswer& answer, Page& page) {
  page.Title("Result");
  if (answer.hangs) {
    page.Paragraph("start-up never ends: no program gets to main");
    return;
  }
  for (const ThresholdColumn& column : ThresholdColumns()) {
    const std::optional<uint64_t>& value = answer.thresholds.*column.value;
    if (value.has_value()) {
      page.Verbatim(absl::StrFormat("%-29s %s", column.name, WithUnit(*value)));
    }
  }
  if (!answer.memmove.empty()) {
    // The longest is avx_unaligned_erms_rtm.
    const int width = page.columns_beside_titles() < 29 + 1 + 22 ? 7 : 29;
    page.Verbatim(absl::StrFormat("%-*s %s", width, "memmove", answer.memmove));
    page.Verbatim(absl::StrFormat("%-*s %s", width, "memset", answer.memset));
  }
  if (!answer.unknown_values.empty()) {
    page.Paragraph(absl::StrCat("not to be told from this input: ",
                                absl::StrJoin(answer.unknown_values, ", ")),
                   kHanging);
  }
}

void UnknownPart(const PredictionSubject& subject, Page& page) {
  page.Title("Needed");
  for (const UnknownFact& fact : subject.unknown) {
    page.Paragraph(
        absl::StrCat(fact.what, ": `", fact.command, "` on the machine tells"),
        kHanging);
  }
  page.Title("Note");
  for (const std::string& warning : subject.warnings) {
    page.Paragraph(warning, kHanging);
  }
  page.Title("");
}

absl::string_view Loudness(Consequence consequence) {
  return SeverityOf(consequence) == Severity::kCritical ? "CRITICAL"
                                                        : "WARNING";
}

// One hazard, and the builds (of the answers) that have it for the same reason
// with the same numbers.
struct Found {
  const Hazard* hazard;
  std::vector<std::string> builds;
  // GLIBC_TUNABLES, and the builds that spell it so.
  std::vector<std::pair<std::string, std::vector<std::string>>> cures;
};

// Most severe first.
std::vector<Found> FoundIn(absl::Span<const PredictionAnswer> answers) {
  std::vector<Found> found;
  for (const PredictionAnswer& answer : answers) {
    for (const Hazard& hazard : answer.hazards) {
      auto same =
          std::find_if(found.begin(), found.end(), [&](const Found& known) {
            return known.hazard->id == hazard.id &&
                   known.hazard->title == hazard.title &&
                   known.hazard->cause.text == hazard.cause.text;
          });
      if (same == found.end()) {
        same = found.insert(same, Found{&hazard, {}, {}});
      }
      same->builds.push_back(answer.build);
      if (hazard.glibc_tunables.empty()) continue;
      auto cure = std::find_if(same->cures.begin(), same->cures.end(),
                               [&](const auto& known) {
                                 return known.first == hazard.glibc_tunables;
                               });
      if (cure == same->cures.end()) {
        cure = same->cures.insert(cure, {hazard.glibc_tunables, {}});
      }
      cure->second.push_back(answer.build);
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) {
                     return a.hazard->consequence > b.hazard->consequence;
                   });
  return found;
}

std::string Because(const HazardCause& cause) {
  return absl::StrCat(
      "because ", cause.text,
      cause.fields.empty()
          ? ""
          : absl::StrCat(" [", absl::StrJoin(cause.fields, ", "), "]"));
}

void RemediesPart(const Found& found, bool is_guest, bool one_build,
                  Page& page) {
  const Hazard& hazard = *found.hazard;
  page.Paragraph(Because(hazard.cause), kHanging);
  for (const auto& [value, builds] : found.cures) {
    page.Verbatim(absl::StrCat("set GLIBC_TUNABLES=", value));
    if (found.cures.size() > 1) {
      page.Paragraph(absl::StrCat("  under ", BuildRanges(builds)),
                     2 * kHanging);
    }
  }
  if (is_guest) {
    for (const GuestSetting& setting : hazard.cause.settings) {
      const GuestSettingRow& row = GuestSettingRowOf(setting);
      const bool is_first = &setting == &hazard.cause.settings.front();
      page.Paragraph(absl::StrCat(is_first ? "or change the guest's "
                                           : "and, for a true picture, its ",
                                  row.name, ":"),
                     kHanging);
      page.Paragraph(absl::StrCat("  QEMU: ", row.qemu), 2 * kHanging);
      page.Paragraph(absl::StrCat("  libvirt: ", row.libvirt), 2 * kHanging);
    }
  }
  if (one_build) page.Paragraph(GoneFrom(hazard), kHanging);
  page.Paragraph(absl::StrCat("see ", hazard.reference), kHanging);
}

bool AllKnown(absl::Span<const PredictionAnswer> answers) {
  return std::all_of(
      answers.begin(), answers.end(),
      [](const PredictionAnswer& answer) { return answer.hazards_known; });
}

void HazardsPart(absl::Span<const PredictionAnswer> answers, bool whole,
                 Page& page) {
  page.Title("Found");
  const std::vector<Found> found = FoundIn(answers);
  if (found.empty()) {
    page.Paragraph(AllKnown(answers)
                       ? "nothing wrong"
                       : "nothing can be said: see above what is not known");
    return;
  }
  for (const Found& one : found) {
    const std::string where =
        answers.size() == 1 ? ""
                            : absl::StrCat(" (", BuildRanges(one.builds), ")");
    page.Paragraph(absl::StrCat(Loudness(one.hazard->consequence), where, ": ",
                                one.hazard->title),
                   kHanging);
    if (!whole) continue;
    RemediesPart(one, answers[0].is_guest, answers.size() == 1, page);
  }
}

absl::string_view Loudness(Severity severity) {
  switch (severity) {
    case Severity::kCritical:
      return "CRITICAL: ";
    case Severity::kWarning:
      return "WARNING: ";
    case Severity::kInformation:
      break;
  }
  return "";
}

void KnownIssuesPart(const PredictionAnswer& answer, Page& page) {
  page.Title("Known");
  for (const KnownIssue& issue : answer.known_issues) {
    page.Paragraph(absl::StrCat(Loudness(issue.severity), issue.title),
                   kHanging);
    page.Paragraph(
        absl::StrCat(issue.remedy,
                     issue.fixed_in.empty()
                         ? ""
                         : absl::StrCat(" Fixed in ", issue.fixed_in, ".")),
        kHanging);
    page.Paragraph(absl::StrCat("see ", issue.reference), kHanging);
  }
  page.Title("");
}

class TextRenderer : public PredictionRenderer {
 public:
  TextRenderer(PredictionScope scope, int columns)
      : scope_(scope), columns_(columns) {}

  AnswerDetail detail() const override {
    return {scope_ == PredictionScope::kOneBuild,
            scope_ != PredictionScope::kMany};
  }
  std::string Separator() const override {
    return scope_ == PredictionScope::kMany ? "" : "\n";
  }
  std::string Render(
      const PredictionSubject& subject,
      absl::Span<const PredictionAnswer> answers) const override {
    if (scope_ == PredictionScope::kMany) return Brief(subject, answers);
    Page page(columns_);
    MachinePart(subject, page);
    if (scope_ == PredictionScope::kOneBuild) OneBuild(answers[0], page);
    UnknownPart(subject, page);
    HazardsPart(answers, true, page);
    if (scope_ == PredictionScope::kOneBuild) KnownIssuesPart(answers[0], page);
    std::string text = std::move(page).text();
    if (scope_ == PredictionScope::kOneMachine) {
      absl::StrAppend(&text, "\n",
                      PredictionTable(answers, std::max(columns_, 40)));
    }
    return text;
  }

 private:
  static void OneBuild(const PredictionAnswer& answer, Page& page) {
    page.Title("glibc");
    page.Paragraph(answer.build);
    page.Paragraph(answer.build_note);
    page.Title("Chain");
    for (const Step& step : answer.steps) {
      page.Paragraph(StepText(step), kHanging);
    }
    ValuesPart(answer, page);
  }

  std::string Brief(const PredictionSubject& subject,
                    absl::Span<const PredictionAnswer> answers) const {
    std::string text = WithoutControlCharacters(absl::StrCat(
        subject.path, subject.core.empty() ? "" : " ", subject.core, "\n"));
    absl::StrAppend(&text, PredictionList(answers, std::max(columns_, 40), 2));
    return text;
  }

  const PredictionScope scope_;
  const int columns_;
};

}  // namespace

std::unique_ptr<PredictionRenderer> MakePredictionTextRenderer(
    PredictionScope scope, int columns) {
  return std::make_unique<TextRenderer>(scope, columns);
}

std::string CheckText(const PredictionSubject& subject,
                      absl::Span<const PredictionAnswer> answers, int columns) {
  const std::string name =
      absl::StrCat(subject.path, subject.core.empty() ? "" : " ", subject.core);
  std::string text;
  for (const Found& one : FoundIn(answers)) {
    if (SeverityOf(one.hazard->consequence) != Severity::kCritical) continue;
    const absl::string_view verb =
        one.hazard->consequence == Consequence::kCliff
            ? "falls off a cliff"
            : ConsequenceName(one.hazard->consequence);
    absl::StrAppend(
        &text,
        WrapText(WithoutControlCharacters(absl::StrCat(
                     name, ": ", verb, " under ", BuildRanges(one.builds), ": ",
                     one.hazard->title, ", ", Because(one.hazard->cause))),
                 2, std::max(columns, 40)),
        "\n");
    for (const std::string& remedy : HypervisorRemedies(*one.hazard)) {
      absl::StrAppend(&text, "  ", WrapText(remedy, 4, std::max(columns, 40)),
                      "\n");
    }
  }
  if (!text.empty()) return text;
  if (!AllKnown(answers)) {
    absl::StrAppend(&text, name, ": cannot be told");
    for (const UnknownFact& fact : subject.unknown) {
      absl::StrAppend(&text, "; ", fact.what, ": `", fact.command, "`");
    }
    return absl::StrCat(
        WrapText(WithoutControlCharacters(text), 2, std::max(columns, 40)),
        "\n");
  }
  return WithoutControlCharacters(absl::StrCat(
      name, ": healthy under ",
      answers.size() == 1 ? answers[0].build
                          : absl::StrCat("all ", answers.size(), " builds"),
      "\n"));
}

}  // namespace advisor
