#include "advisor/command_compare.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/evidence/cpuid_difference.h"
#include "advisor/evidence/hazard.h"
#include "advisor/glibc/build.h"
#include "advisor/input/machine_input.h"
#include "advisor/prediction_answer.h"
#include "advisor/render/page.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"glibc", "BUILD",
     "a release (2.28), the tip of its branch (2.36+branch), a package's "
     "version (2.36-9+deb12u14), or all (default)"},
    {"glibc_tunables", "STRING",
     "with this value of GLIBC_TUNABLES on both; default: none"},
};

absl::StatusOr<PredictionSubject> ReadSubject(const CommandContext& context,
                                              const std::string& path) {
  const absl::StatusOr<MachineInput> input =
      ReadMachineInput(context.files, path);
  if (!input.ok()) return input.status();
  absl::StatusOr<std::vector<PredictionSubject>> subjects = SubjectsOf(*input);
  if (!subjects.ok()) return subjects.status();
  PredictionSubject subject = std::move(subjects->front());
  if (!subject.has_features || !subject.has_cache_leaves) {
    return absl::InvalidArgumentError(absl::StrCat(
        path,
        ": expected every leaf that glibc reads (`cpuid -r` on the "
        "machine tells), found ",
        input->format, ", which lacks some"));
  }
  return subject;
}

// Values that differ for the same reason.
struct Reason {
  std::vector<const CpuidPart*> causes;
  // Each with the builds that have it.
  std::vector<std::pair<std::string, std::vector<std::string>>> values;
};

std::string Shown(const std::string& value) {
  if (value.empty()) return "none";
  return value == "18446744073709551615" ? "never (SIZE_MAX)" : value;
}

void Add(const ValueDifference& difference, const GlibcBuild& build,
         std::vector<Reason>& reasons) {
  auto reason = absl::c_find_if(reasons, [&](const Reason& known) {
    return known.causes == difference.causes;
  });
  if (reason == reasons.end()) {
    reason = reasons.insert(reason, Reason{difference.causes, {}});
  }
  const std::string text =
      absl::StrCat(difference.value, ": host ", Shown(difference.host),
                   ", guest ", Shown(difference.guest));
  auto value = absl::c_find_if(
      reason->values, [&](const auto& known) { return known.first == text; });
  if (value == reason->values.end()) {
    value = reason->values.insert(value, {text, {}});
  }
  value->second.push_back(build.name());
}

void PrintReason(const Reason& reason, const CpuidTable& host,
                 const CpuidTable& guest, bool several_builds, Page& page) {
  for (const auto& [text, builds] : reason.values) {
    page.Paragraph(several_builds
                       ? absl::StrCat(text, " (", BuildRanges(builds), ")")
                       : text,
                   2);
  }
  for (const CpuidPart* cause : reason.causes) {
    page.Paragraph(
        absl::StrCat("  because of ", cause->name, " [", cause->field,
                     "]: host ", PartValue(*cause, host), ", guest ",
                     PartValue(*cause, guest)),
        4);
  }
  if (reason.causes.empty()) {
    page.Paragraph("  for a reason that no part of CPUID explains", 4);
  }
}

void PrintSettings(const std::vector<Reason>& reasons, Page& page) {
  std::vector<GuestSetting> settings;
  for (const Reason& reason : reasons) {
    for (const CpuidPart* cause : reason.causes) {
      if (!absl::c_linear_search(settings, cause->setting)) {
        settings.push_back(cause->setting);
      }
    }
  }
  absl::c_sort(settings);
  page.Title("Change");
  for (const GuestSetting setting : settings) {
    const GuestSettingRow& row = GuestSettingRowOf(setting);
    page.Paragraph(absl::StrCat("the guest's ", row.name, ":"), 2);
    page.Paragraph(absl::StrCat("  QEMU: ", row.qemu), 4);
    page.Paragraph(absl::StrCat("  libvirt: ", row.libvirt), 4);
  }
}

// What is critical in the guest.
void PrintHazards(const PredictionSubject& guest,
                  const std::vector<GlibcBuild>& builds,
                  const std::string& glibc_tunables, Page& page) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (const GlibcBuild& build : builds) {
    for (const Hazard& hazard :
         AnswerByModel(guest, build, glibc_tunables, {}).hazards) {
      if (SeverityOf(hazard.consequence) != Severity::kCritical) continue;
      auto same = absl::c_find_if(
          found, [&](const auto& one) { return one.first == hazard.title; });
      if (same == found.end()) same = found.insert(same, {hazard.title, {}});
      same->second.push_back(build.name());
    }
  }
  page.Title("Found");
  for (const auto& [title, names] : found) {
    page.Paragraph(
        absl::StrCat("CRITICAL in the guest",
                     builds.size() > 1
                         ? absl::StrCat(" (", BuildRanges(names), ")")
                         : "",
                     ": ", title),
        2);
  }
  page.Title("");
}

absl::StatusOr<ExitStatus> Run(const CommandContext& context,
                               const Flags& flags) {
  const std::string glibc = flags.Get("glibc").value_or("all");
  std::vector<GlibcBuild> builds;
  if (glibc == "all") {
    const absl::Span<const GlibcBuild> all = UpstreamBuilds();
    builds.assign(all.begin(), all.end());
  } else {
    absl::StatusOr<GlibcBuild> build = ParseGlibcBuild(glibc);
    if (!build.ok()) return build.status();
    builds.push_back(*std::move(build));
  }
  const absl::StatusOr<PredictionSubject> host =
      ReadSubject(context, flags.arguments()[0]);
  if (!host.ok()) return host.status();
  const absl::StatusOr<PredictionSubject> guest =
      ReadSubject(context, flags.arguments()[1]);
  if (!guest.ok()) return guest.status();

  std::vector<Reason> reasons;
  for (const GlibcBuild& build : builds) {
    for (const ValueDifference& difference :
         CompareMachines(host->cpuid, guest->cpuid, build,
                         flags.Get("glibc_tunables").value_or(""))) {
      Add(difference, build, reasons);
    }
  }
  Page page(context.columns);
  page.Title("Host");
  page.Paragraph(DescribeCpuModel(host->cpu));
  page.Paragraph(host->path);
  page.Title("Guest");
  page.Paragraph(DescribeCpuModel(guest->cpu));
  page.Paragraph(guest->path);
  page.Title("glibc");
  page.Paragraph(builds.size() == 1
                     ? builds[0].name()
                     : absl::StrCat("all ", builds.size(), " builds"));
  if (builds.size() == 1) page.Paragraph(builds[0].note());
  page.Title("Differ");
  if (reasons.empty()) {
    page.Paragraph("nothing: glibc does the same on both");
  }
  for (const Reason& reason : reasons) {
    PrintReason(reason, host->cpuid, guest->cpuid, builds.size() > 1, page);
  }
  PrintHazards(*guest, builds, flags.Get("glibc_tunables").value_or(""), page);
  if (!reasons.empty()) PrintSettings(reasons, page);
  context.out << std::move(page).text();
  return ExitStatus::kAnswered;
}

}  // namespace

const CommandRow kCompareCommand = {
    "compare",
    "which CPUID bit makes a guest's glibc differ from its host's",
    "HOST GUEST",
    2,
    2,
    "Predicts for two machines (dumps or other inputs, as `predict` takes\n"
    "them), and finds for each threshold or variant that differs the fewest\n"
    "leaves and bits which, set in the guest as they are in the host, give "
    "the\n"
    "host's value; then what to change in QEMU's or libvirt's configuration.\n",
    kFlags,
    &Run,
};

}  // namespace advisor
