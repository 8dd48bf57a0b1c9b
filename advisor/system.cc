#include "advisor/system.h"

#include <sys/utsname.h>

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "advisor/glibc/tunables.h"
#include "advisor/host/load.h"
#include "advisor/input/machine_input.h"
#include "advisor/lint/program.h"

namespace advisor {
namespace {

void Predict(System& system) {
  system.prediction =
      Predict(system.cpuid, system.build, system.glibc_tunables);
  system.thresholds = ThresholdsOf(system.prediction);
  if (system.loader.has_value()) {
    // A loader that tells beats a prediction, value by value.
    const EffectiveThresholds& told = system.loader->thresholds;
    EffectiveThresholds& now = system.thresholds;
    const auto prefer = [](std::optional<uint64_t>& value,
                           const std::optional<uint64_t>& better) {
      if (better.has_value()) value = better;
    };
    prefer(now.data_cache_size, told.data_cache_size);
    prefer(now.shared_cache_size, told.shared_cache_size);
    prefer(now.non_temporal_threshold, told.non_temporal_threshold);
    prefer(now.memset_non_temporal_threshold,
           told.memset_non_temporal_threshold);
    prefer(now.rep_movsb_threshold, told.rep_movsb_threshold);
    prefer(now.rep_movsb_stop_threshold, told.rep_movsb_stop_threshold);
    prefer(now.rep_stosb_threshold, told.rep_stosb_threshold);
  }
}

System ThisCpu(const FileReader& files, const Environment& environment) {
  System system;
  system.origin = "this machine";
  system.is_this_machine = true;
  system.cpuid = ReadNativeCpuid();
  system.cpu = DecodeCpuModel(system.cpuid);
  system.sysfs = ReadSysfsWitness(files);
  system.disagreements = CompareWitnesses(system.cpu, system.sysfs);
  system.glibc_tunables = environment.Get("GLIBC_TUNABLES").value_or("");
  return system;
}

// What stands for a level in a summary: the source that glibc reads first.
void AddCache(const System& system, int level, MachineSummary& summary) {
  for (const CacheSource source :
       {CacheSource::kLeaf4, CacheSource::kLeaf8000001D,
        CacheSource::kLeaf80000005, CacheSource::kLeaf80000006,
        CacheSource::kLeaf2}) {
    const CacheClaim* const claim = system.cpu.caches.Find(source, level);
    if (claim == nullptr) continue;
    CacheSummary cache;
    cache.level = CacheName(level, claim->type);
    cache.bytes = claim->size;
    if (claim->sharers().has_value()) cache.sharers = *claim->sharers();
    cache.source =
        absl::StrFormat("CPUID 0x%X:%d", claim->leaf, claim->subleaf);
    summary.caches.push_back(std::move(cache));
    return;
  }
}

void AddKernel(MachineSummary& summary) {
  struct utsname name;
  if (uname(&name) != 0) return;
  summary.host = name.nodename;
  summary.kernel = name.release;
}

}  // namespace

absl::StatusOr<System> InspectThisMachine(const FileReader& files,
                                          const Subprocess& subprocess,
                                          const Environment& environment) {
  System system = ThisCpu(files, environment);
  absl::StatusOr<InstalledLibc> libc = FindInstalledLibc(files, environment);
  if (!libc.ok()) return libc.status();
  absl::StatusOr<GlibcBuild> build = BuildOf(files, *libc);
  if (!build.ok()) return build.status();
  system.build = *std::move(build);
  if (system.build.Has(Change::kListTunables)) {
    absl::StatusOr<LoaderAnswer> loader =
        AskLoader(subprocess, libc->loader_path, environment);
    if (loader.ok()) {
      system.loader = *std::move(loader);
    } else {
      system.loader_problem = std::string(loader.status().message());
    }
  } else {
    system.loader_problem =
        absl::StrCat("glibc 2.", system.build.release(),
                     " cannot list its thresholds: they are predicted");
  }
  system.libc = *std::move(libc);
  Predict(system);
  return system;
}

absl::StatusOr<System> InspectOtherGlibc(const FileReader& files,
                                         const Environment& environment,
                                         const GlibcBuild& build) {
  System system = ThisCpu(files, environment);
  system.build = build;
  Predict(system);
  return system;
}

absl::StatusOr<System> InspectDump(const FileReader& files,
                                   absl::string_view path,
                                   const GlibcBuild& build,
                                   absl::string_view glibc_tunables) {
  absl::StatusOr<MachineInput> input = ReadMachineInput(files, path);
  if (!input.ok()) return input.status();
  if (input->cores.empty() || !input->has_cache_leaves ||
      !input->has_features) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": expected every leaf that glibc reads (cpuid -r), found ",
        input->format,
        input->unknown.empty()
            ? ""
            : absl::StrCat(", which lacks ", input->unknown[0].what)));
  }
  System system;
  system.origin = std::string(path);
  system.notes = std::move(input->warnings);
  if (input->cores.size() > 1) {
    system.notes.push_back(absl::StrCat(
        "The CPU has ", input->cores.size(),
        " kinds of core; this is about the first: ", input->cores[0].name));
  }
  system.cpuid = std::move(input->cores[0].cpuid);
  system.cpu = DecodeCpuModel(system.cpuid);
  system.build = build;
  system.glibc_tunables = std::string(glibc_tunables);
  Predict(system);
  return system;
}

MachineSummary SummariseMachine(const System& system) {
  MachineSummary summary;
  const CpuModel& cpu = system.cpu;
  summary.origin = system.origin;
  summary.vendor = cpu.vendor;
  summary.brand = cpu.brand;
  summary.microarchitecture = std::string(cpu.microarchitecture_name());
  summary.family = static_cast<int>(cpu.architectural.family);
  summary.model = static_cast<int>(cpu.architectural.model);
  summary.stepping = static_cast<int>(cpu.architectural.stepping);
  if (cpu.is_guest()) summary.hypervisor = cpu.hypervisor.name;
  for (int level = 1; level <= 4; ++level) AddCache(system, level, summary);
  if (system.is_this_machine) {
    summary.cpus = OnlineCpus();
    AddKernel(summary);
  }
  return summary;
}

GlibcSummary SummariseGlibc(const System& system) {
  GlibcSummary summary;
  summary.release = absl::StrCat("2.", system.build.release());
  if (system.libc.has_value()) {
    summary.loader = system.libc->loader_path;
    if (system.libc->banner.has_value()) {
      summary.revision = system.libc->banner->revision.value_or("");
    }
  } else if (system.build.name() != summary.release) {
    summary.revision = system.build.name();
  }
  if (!system.build.certain()) summary.note = system.build.note();
  if (!system.loader_problem.empty()) {
    absl::StrAppend(&summary.note, summary.note.empty() ? "" : "; ",
                    system.loader_problem);
  }
  summary.tunables_in_environment = system.glibc_tunables;
  summary.memmove_variant = std::string(system.prediction.memmove);
  summary.memset_variant = std::string(system.prediction.memset);
  const EffectiveThresholds& now = system.thresholds;
  struct Row {
    absl::string_view name;
    std::optional<uint64_t> bytes;
    bool is_tunable;
  };
  for (const Row& row :
       {Row{"x86_data_cache_size", now.data_cache_size, true},
        Row{"x86_memset_non_temporal_threshold",
            now.memset_non_temporal_threshold, true},
        Row{"x86_non_temporal_threshold", now.non_temporal_threshold, true},
        Row{"rep_movsb_stop_threshold", now.rep_movsb_stop_threshold, false},
        Row{"x86_rep_movsb_threshold", now.rep_movsb_threshold, true},
        Row{"x86_rep_stosb_threshold", now.rep_stosb_threshold, true},
        Row{"x86_shared_cache_size", now.shared_cache_size, true}}) {
    summary.thresholds.push_back(
        {std::string(row.name), row.bytes, row.is_tunable,
         system.loader.has_value() ? row.is_tunable ? "ld.so --list-tunables"
                                                    : "ld.so --list-diagnostics"
                                   : "predicted"});
  }
  return summary;
}

}  // namespace advisor
