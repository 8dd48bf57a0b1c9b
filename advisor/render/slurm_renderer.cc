#include "advisor/render/slurm_renderer.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "advisor/render/deployment_renderers.h"
#include "advisor/render/provenance.h"

namespace advisor {
namespace {

// $0: comments, $1: glibc's release, $2: vendor, $3: family, $4: model, $5:
// patterns of the names that are set, $6: the settings.
//
// Slurm takes each line "export NAME=value" of its output.
constexpr absl::string_view kTaskProlog = R"sh(#!/bin/sh
$0
# Only where both are what the setting is valid for.
[ "$$(getconf GNU_LIBC_VERSION)" = 'glibc $1' ] || exit 0
has() { grep -q "^$$1[[:space:]]*: $$2\$$" /proc/cpuinfo; }
has vendor_id $2 && has 'cpu family' $3 && has model $4 || exit 0

# What the task's environment sets besides stays.
set -f
IFS=:
others=
for item in $$GLIBC_TUNABLES; do
  case $$item in
    '' | $5) ;;
    *) others=$$others$$item: ;;
  esac
done
printf 'export GLIBC_TUNABLES=%s%s\n' "$$others" $6
)sh";

std::string TaskProlog(const Report& report) {
  std::vector<std::string> names;
  std::vector<std::string> settings;
  for (const TunableSetting& setting : report.recommendation.tunables) {
    names.push_back(absl::StrCat(ShellWord(setting.name), "=*"));
    settings.push_back(absl::StrCat(
        setting.name, "=",
        setting.text.empty() ? absl::StrCat(setting.value) : setting.text));
  }
  std::string comment = absl::StrCat(
      CommentLines("As TaskProlog of slurm.conf: for every task of every job."),
      SystemWideWarning(), ProvenanceComment(report));
  comment.pop_back();
  return absl::Substitute(kTaskProlog, comment, report.glibc.release,
                          ShellWord(report.machine.vendor),
                          report.machine.family, report.machine.model,
                          absl::StrJoin(names, " | "),
                          ShellWord(absl::StrJoin(settings, ":")));
}

}  // namespace

std::string SlurmRenderer::Render(const Report& report,
                                  const RenderOptions& options) const {
  const std::string& value = report.recommendation.string;
  const bool sets = report.recommendation.verdict == Verdict::kSet;
  if (options.scope == Scope::kSystem) {
    return sets ? TaskProlog(report)
                : absl::StrCat("#!/bin/sh\n", ProvenanceComment(report));
  }
  const std::string obstacle = sets ? Obstacle(value) : "";
  if (!sets || !obstacle.empty()) {
    return absl::StrCat(obstacle, ProvenanceComment(report));
  }
  return absl::StrCat(
      CommentLines("For a batch script, after its #SBATCH lines."),
      ProvenanceComment(report), "export GLIBC_TUNABLES=", ShellWord(value),
      "\n");
}

}  // namespace advisor
