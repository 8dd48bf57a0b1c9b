#include "glibc_patches/thresholds/comparison.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpuid_dump.h"
#include "advisor/glibc/hwcaps_mask.h"
#include "glibc_patches/thresholds/fault.h"

namespace glibc_patches {
namespace {

// Masks that change a variant on many CPUs.
constexpr const char* kUsualMasks[] = {
    "-AVX2",
    "-AVX512F",
    "-AVX512VL",
    "-AVX_Fast_Unaligned_Load",
    "-ERMS",
    "-OSXSAVE",
    "-RTM",
    "-SSSE3,-Fast_Unaligned_Copy",
    "-XSAVEC",
    "Prefer_ERMS",
    "Prefer_FSRM",
    "Prefer_No_AVX512",
    "Prefer_No_VZEROUPPER",
};

// A threshold that means something on every CPU.
constexpr uint64_t kMiddle = 1 << 20;
constexpr int kMostHangs = 10;

// What `name` of a probe is called in a report.
std::string ReportName(absl::string_view name) {
  if (absl::ConsumePrefix(&name, "variant.") ||
      absl::ConsumePrefix(&name, "__x86_")) {
    return name == "shared_non_temporal_threshold" ? "non_temporal_threshold"
                                                   : std::string(name);
  }
  if (absl::ConsumePrefix(&name, "usable."))
    return absl::StrCat("usable ", name);
  if (absl::ConsumePrefix(&name, "cpuid.")) return absl::StrCat("CPUID ", name);
  if (absl::ConsumePrefix(&name, "preferred.")) {
    return absl::StrCat("preferred ", name);
  }
  if (absl::ConsumePrefix(&name, "tunable.")) {
    if (absl::ConsumeSuffix(&name, ".min")) {
      return absl::StrCat("listed minimum of ", name);
    }
    if (absl::ConsumeSuffix(&name, ".max")) {
      return absl::StrCat("listed maximum of ", name);
    }
    return absl::StrCat("listed ", name);
  }
  return std::string(name);
}

// The order of a report: what kernels read first.
int RankOf(absl::string_view name) {
  constexpr absl::string_view kPrefixes[] = {"__x86_", "variant."};
  for (int i = 0; i < 2; ++i) {
    if (absl::StartsWith(name, kPrefixes[i])) return i;
  }
  return absl::StartsWith(name, "tunable.") ? 3 : 2;
}

constexpr char kNothing[] = "nothing";

std::string ValueIn(const ProbeValues& values, const std::string& name) {
  const auto found = values.find(name);
  return found == values.end() ? kNothing : found->second;
}

std::string EndText(const ProbeRun& run) {
  return run.end == ProbeEnd::kAnswered ? "answers" : run.what;
}

// Of the same value in another place: with the "listed " of a tunable's record
// and its prefix taken away.
std::string PlainName(absl::string_view name) {
  absl::ConsumePrefix(&name, "listed ");
  absl::ConsumePrefix(&name, "x86_");
  return std::string(name);
}

using Case = ProbeTunables;

std::vector<Case> TunableCases(const ProbeRun& base, const ProbeRun& patched) {
  std::map<std::string, std::set<uint64_t>> values;
  constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();
  for (const ProbeRun* run : {&base, &patched}) {
    for (const auto& [key, text] : ParseProbeLines(run->lines)) {
      absl::string_view name = key;
      if (!absl::ConsumePrefix(&name, "tunable.")) continue;
      const bool bound = absl::ConsumeSuffix(&name, ".min") ||
                         absl::ConsumeSuffix(&name, ".max");
      std::set<uint64_t>& of_tunable = values[std::string(name)];
      of_tunable.insert({0, 1, 2, kMiddle, kLargest});
      if (!bound) continue;
      const uint64_t value = *ProbeNumber({{"", text}}, "");
      of_tunable.insert(value);
      if (value > 0) of_tunable.insert(value - 1);
      if (value < kLargest) of_tunable.insert(value + 1);
    }
  }
  std::vector<Case> cases;
  for (const auto& [name, of_tunable] : values) {
    for (const uint64_t value : of_tunable) {
      cases.push_back({{name, absl::StrCat(value)}});
    }
  }
  return cases;
}

std::vector<Case> MaskCases(bool all) {
  std::vector<Case> cases;
  for (const char* mask : kUsualMasks) cases.push_back({{"hwcaps", mask}});
  if (!all) return cases;
  std::set<std::string> names;
  for (const advisor::MaskNameRow& row : advisor::AllMaskNames()) {
    names.insert(std::string(row.name));
  }
  for (const std::string& name : names) {
    cases.push_back({{"hwcaps", "-" + name}});
    cases.push_back({{"hwcaps", name}});
  }
  return cases;
}

// CPUs that treat tunables alike: the same bounds, variants and flags.
std::string KindOf(const ProbeRun& run) {
  std::string kind;
  for (const auto& [name, value] : ParseProbeLines(run.lines)) {
    if (absl::EndsWith(name, ".min") || absl::EndsWith(name, ".max") ||
        absl::StartsWith(name, "variant.mem") ||
        absl::StartsWith(name, "preferred.") ||
        name == "__x86_string_control") {
      absl::StrAppend(&kind, value, " ");
    }
  }
  return kind;
}

class Comparison {
 public:
  Comparison(const Probe& base, const Probe& patched,
             const std::vector<NamedCpu>& cpus,
             const ComparisonOptions& options, ThresholdResult& result)
      : base_(base),
        patched_(patched),
        cpus_(cpus),
        options_(options),
        result_(result) {}

  void Run() {
    RunAll();
    MergeRows();
  }

 private:
  struct Default {
    ProbeRun base, patched;
    std::vector<ThresholdChange> changes;
  };

  void RunAll() {
    std::vector<const NamedCpu*> with_tunables;
    std::set<std::string> kinds;
    for (const NamedCpu& cpu : cpus_) {
      if (Stopped()) return;
      Default& start = starts_[&cpu];
      start.base = base_.Run(cpu.cpu, {});
      start.patched = patched_.Run(cpu.cpu, {});
      ++result_.cpus;
      start.changes = Take(cpu, "", start.base, start.patched, {});
      CountFaults(cpu, start);
      if (start.base.end != ProbeEnd::kAnswered ||
          start.patched.end != ProbeEnd::kAnswered) {
        continue;
      }
      if (options_.thorough || !start.changes.empty() ||
          kinds.insert(KindOf(start.base)).second) {
        with_tunables.push_back(&cpu);
      }
      Progress(0.2 * result_.cpus / static_cast<double>(cpus_.size()));
    }
    double done = 0;
    for (const NamedCpu* cpu : with_tunables) {
      WithTunables(*cpu);
      if (Stopped()) return;
      Progress(0.2 + 0.8 * ++done / static_cast<double>(with_tunables.size()));
    }
  }

  bool Stopped() const {
    return result_.too_many_hangs ||
           (options_.interrupted && options_.interrupted());
  }
  void Progress(double share) const {
    if (options_.progress) options_.progress(share);
  }

  // Adds what differs, without `known`, and the patched run's own faults.
  std::vector<ThresholdChange> Take(const NamedCpu& cpu,
                                    const std::string& tunables,
                                    const ProbeRun& base,
                                    const ProbeRun& patched,
                                    const std::vector<ThresholdChange>& known) {
    ++result_.runs;
    for (const ProbeRun* run : {&base, &patched}) {
      if (run->end == ProbeEnd::kHung && ++hangs_ > kMostHangs) {
        result_.too_many_hangs = true;
      }
    }
    if (base.end == ProbeEnd::kNotRun || patched.end == ProbeEnd::kNotRun) {
      ++result_.not_run;
      return {};
    }
    if (base.end == patched.end && base.lines == patched.lines &&
        base.what == patched.what) {
      return {};
    }
    std::vector<ThresholdChange> changes = ChangesBetween(base, patched);
    std::vector<ThresholdChange> news;
    for (const ThresholdChange& change : changes) {
      if (std::find(known.begin(), known.end(), change) == known.end()) {
        news.push_back(change);
      }
    }
    if (!news.empty()) AddRow(cpu.name, tunables, std::move(news));
    std::set<FaultKind> of_base;
    for (const Fault& fault : FaultsOf(base, cpu.cpu, options_.release)) {
      of_base.insert(fault.kind);
    }
    for (const Fault& fault : FaultsOf(patched, cpu.cpu, options_.release)) {
      if (of_base.count(fault.kind) == 0 &&
          faults_.insert({cpu.name, fault.kind}).second) {
        AddFault(cpu.name, tunables, fault.what);
      }
    }
    return changes;
  }

  void CountFaults(const NamedCpu& cpu, const Default& start) {
    if (FaultsOf(start.base, cpu.cpu, options_.release).empty()) return;
    ++result_.base_faulty_cpus;
    if (FaultsOf(start.patched, cpu.cpu, options_.release).empty()) {
      ++result_.repaired_cpus;
    }
  }

  void WithTunables(const NamedCpu& cpu) {
    const Default& start = starts_[&cpu];
    std::vector<Case> cases = TunableCases(start.base, start.patched);
    for (Case& mask : MaskCases(options_.all_masks)) {
      cases.push_back(std::move(mask));
    }
    for (const Case& tunables : cases) {
      if (Stopped()) return;
      const std::string text =
          absl::StrCat(options_.tunable_namespace, tunables[0].first, "=",
                       tunables[0].second);
      Take(cpu, text, base_.Run(cpu.cpu, tunables),
           patched_.Run(cpu.cpu, tunables), start.changes);
    }
  }

  void AddRow(const std::string& cpu, const std::string& tunables,
              std::vector<ThresholdChange> changes) {
    std::vector<std::string> settings;
    if (!tunables.empty()) {
      settings.push_back(tunables);
      const std::string value = tunables.substr(tunables.find('=') + 1);
      for (ThresholdChange& change : changes) {
        for (std::string* side : {&change.before, &change.after}) {
          if (*side == value) *side = "as set";
        }
      }
    }
    for (ThresholdRow& row : result_.rows) {
      if (row.tunables == settings && row.changes == changes) {
        row.cpus.push_back(cpu);
        return;
      }
    }
    result_.rows.push_back({std::move(settings), std::move(changes), {cpu}});
  }

  // Rows with values of one tunable that do the same become one.
  void MergeRows() {
    const auto name = [](const ThresholdRow& row) {
      return row.tunables.empty()
                 ? std::string()
                 : row.tunables[0].substr(0, row.tunables[0].find('='));
    };
    std::vector<ThresholdRow> merged;
    for (ThresholdRow& row : result_.rows) {
      const auto same = [&](const ThresholdRow& other) {
        return !row.tunables.empty() && name(other) == name(row) &&
               other.changes == row.changes && other.cpus == row.cpus;
      };
      const auto found = std::find_if(merged.begin(), merged.end(), same);
      if (found == merged.end()) {
        merged.push_back(std::move(row));
      } else {
        found->tunables.push_back(row.tunables[0]);
      }
    }
    result_.rows = std::move(merged);
  }

  void AddFault(const std::string& cpu, const std::string& tunables,
                const std::string& what) {
    for (ThresholdFault& fault : result_.faults) {
      if (fault.what != what || fault.tunables != tunables) continue;
      fault.cpus.push_back(cpu);
      return;
    }
    result_.faults.push_back({tunables, what, {cpu}});
  }

  const Probe& base_;
  const Probe& patched_;
  const std::vector<NamedCpu>& cpus_;
  const ComparisonOptions& options_;
  ThresholdResult& result_;
  std::map<const NamedCpu*, Default> starts_;
  // The first of a kind on a CPU says enough.
  std::set<std::pair<std::string, FaultKind>> faults_;
  int hangs_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<NamedCpu>> ReadDumps(
    const std::string& folder, const advisor::FileReader& files) {
  std::vector<NamedCpu> cpus;
  for (const std::string& part : {folder, folder + "/field"}) {
    const auto names = files.List(part);
    if (!names.ok()) continue;
    for (absl::string_view name : *names) {
      const std::string path = absl::StrCat(part, "/", name);
      if (!absl::ConsumeSuffix(&name, ".txt")) continue;
      const auto text = files.Read(path);
      if (!text.ok()) return text.status();
      auto dump = advisor::ParseCpuidDump(*text, path);
      if (!dump.ok()) return dump.status();
      cpus.push_back({std::string(name), std::move(dump->cpus.front())});
    }
  }
  if (cpus.empty()) {
    return absl::NotFoundError(
        absl::StrCat(folder, ": expected dumps of CPUID, found none"));
  }
  std::sort(cpus.begin(), cpus.end(), [](const NamedCpu& a, const NamedCpu& b) {
    return a.name < b.name;
  });
  return cpus;
}

std::vector<ThresholdChange> ChangesBetween(const ProbeRun& base,
                                            const ProbeRun& patched) {
  if (base.end != ProbeEnd::kAnswered || patched.end != ProbeEnd::kAnswered) {
    if (base.end == patched.end && base.what == patched.what) return {};
    return {{"start-up", EndText(base), EndText(patched)}};
  }
  const ProbeValues before = ParseProbeLines(base.lines);
  const ProbeValues after = ParseProbeLines(patched.lines);
  std::set<std::pair<int, std::string>> names;
  for (const ProbeValues* values : {&before, &after}) {
    for (const auto& [name, value] : *values) {
      if (ValueIn(before, name) != ValueIn(after, name)) {
        names.insert({RankOf(name), name});
      }
    }
  }
  std::vector<ThresholdChange> changes;
  for (const auto& [rank, name] : names) {
    ThresholdChange change{ReportName(name), ValueIn(before, name),
                           ValueIn(after, name)};
    bool known = false, unrounded = false;
    for (const ThresholdChange& other : changes) {
      if (PlainName(other.name) != PlainName(change.name)) continue;
      known = known ||
              (other.before == change.before && other.after == change.after);
      unrounded = unrounded || other.name == change.name;
    }
    if (known) continue;
    // data_cache_size before libc.so rounds it, say.
    if (unrounded || (rank == 2 && before.count("__x86_" + name) > 0)) {
      change.name += " (in cpu_features)";
    }
    changes.push_back(std::move(change));
  }
  return changes;
}

void CompareProbes(const Probe& base, const Probe& patched,
                   const std::vector<NamedCpu>& cpus,
                   const ComparisonOptions& options, ThresholdResult& result) {
  Comparison(base, patched, cpus, options, result).Run();
}

}  // namespace glibc_patches
