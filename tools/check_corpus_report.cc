#include "tools/check_corpus_report.h"

#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/prediction.h"
#include "advisor/glibc/replay_comparison.h"

namespace advisor {
namespace {

void PrintDisagreement(absl::string_view name, const Prediction& prediction,
                       const ReplayComparison& comparison,
                       const ReplayResult& replayed, std::ostream& out) {
  for (const ReplayDifference& difference : comparison.differences) {
    out << name << ": " << difference.name << ": model " << difference.predicted
        << ", loader " << difference.replayed << "\n";
  }
  out << "  model:\n";
  for (const Step& step : prediction.steps) {
    out << "    " << step.name << " = " << step.value << "  " << step.reason;
    if (!step.source.empty()) out << "  [" << step.source << "]";
    out << "\n";
  }
  out << "  loader:\n";
  for (const absl::string_view line :
       absl::StrSplit(*replayed.diagnostics, '\n')) {
    if (absl::StrContains(line, "_size=") ||
        absl::StrContains(line, "_threshold=") ||
        absl::StrContains(line, ".basic.") ||
        absl::StrContains(line, ".preferred.")) {
      out << "    " << absl::StripPrefix(line, "x86.cpu_features.") << "\n";
    }
  }
}

class Checker {
 public:
  Checker(const LoaderReplay& replay, const GlibcBuild& build,
          const std::string& glibc_tunables, std::ostream& out,
          const std::function<void(absl::string_view)>& tell)
      : replay_(replay),
        build_(build),
        glibc_tunables_(glibc_tunables),
        out_(out),
        tell_(tell) {
    options_.time_limit = absl::Seconds(2);
    if (!glibc_tunables.empty()) options_.glibc_tunables = glibc_tunables;
  }

  void CheckDump(absl::string_view path, const CpuidDump& dump) {
    std::set<std::string> seen;
    for (size_t i = 0; i < dump.cpus.size(); ++i) {
      const Prediction prediction =
          Predict(dump.cpus[i], build_, glibc_tunables_);
      if (!seen.insert(FormatPredictionCsv("", prediction)).second) continue;
      const std::string name = dump.cpus.size() == 1
                                   ? std::string(path)
                                   : absl::StrCat(path, " CPU ", i);
      const absl::Status status = CheckCpu(name, dump.cpus[i], prediction);
      if (!status.ok()) Refuse(absl::StrCat(name, ": ", status.message()));
    }
  }

  void Refuse(absl::string_view message) {
    ++report_.unusable;
    tell_(message);
  }

  const CorpusReport& report() const { return report_; }

 private:
  absl::Status CheckCpu(absl::string_view name, const CpuidTable& cpu,
                        const Prediction& prediction) {
    const absl::StatusOr<ReplayResult> replayed = replay_.Run(cpu, options_);
    const bool hangs = absl::IsDeadlineExceeded(replayed.status());
    if (!replayed.ok() && !hangs) return replayed.status();
    if (hangs || prediction.hangs) {
      ++report_.cpus;
      if (hangs == prediction.hangs) return absl::OkStatus();
      ++report_.differing;
      out_ << name << ": the " << (hangs ? "loader" : "model")
           << " never ends\n";
      return absl::OkStatus();
    }
    if (!replayed->diagnostics.has_value()) {
      return absl::FailedPreconditionError(
          "the loader has no --list-diagnostics");
    }
    const absl::StatusOr<DiagnosticsListing> diagnostics =
        ParseDiagnosticsListing(*replayed->diagnostics, "--list-diagnostics");
    if (!diagnostics.ok()) return diagnostics.status();
    const absl::StatusOr<TunablesListing> tunables =
        ParseTunablesListing(replayed->tunables, "--list-tunables");
    if (!tunables.ok()) return tunables.status();
    ++report_.cpus;
    const ReplayComparison comparison =
        CompareWithListings(build_, prediction, *diagnostics, *tunables);
    if (comparison.differences.empty()) return absl::OkStatus();
    ++report_.differing;
    PrintDisagreement(name, prediction, comparison, *replayed, out_);
    return absl::OkStatus();
  }

  const LoaderReplay& replay_;
  const GlibcBuild& build_;
  const std::string glibc_tunables_;
  std::ostream& out_;
  const std::function<void(absl::string_view)>& tell_;
  ReplayOptions options_;
  CorpusReport report_;
};

}  // namespace

std::vector<std::string> FilesUnder(const FileReader& files,
                                    absl::string_view folder) {
  const auto names = files.List(folder);
  if (!names.ok()) return {std::string(folder)};
  std::vector<std::string> paths;
  for (const std::string& name : *names) {
    const std::vector<std::string> inner = FilesUnder(
        files, absl::StrCat(absl::StripSuffix(folder, "/"), "/", name));
    paths.insert(paths.end(), inner.begin(), inner.end());
  }
  return paths;
}

CorpusReport CheckCorpus(const FileReader& files,
                         const std::vector<std::string>& paths,
                         const LoaderReplay& replay, const GlibcBuild& build,
                         const std::string& glibc_tunables, std::ostream& out,
                         const std::function<void(absl::string_view)>& tell) {
  Checker checker(replay, build, glibc_tunables, out, tell);
  for (const std::string& path : paths) {
    const absl::StatusOr<std::string> text = files.Read(path);
    if (!text.ok()) {
      checker.Refuse(text.status().message());
      continue;
    }
    const absl::StatusOr<CpuidDump> dump = ParseCpuidDump(*text, path);
    if (!dump.ok()) {
      checker.Refuse(dump.status().message());
      continue;
    }
    checker.CheckDump(path, *dump);
  }
  return checker.report();
}

}  // namespace advisor
