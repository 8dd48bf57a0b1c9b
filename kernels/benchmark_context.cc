#include "kernels/benchmark_context.h"

#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/host/environment.h"
#include "advisor/host/subprocess.h"
#include "kernels/measure/cycle_counter.h"
#include "kernels/measure/parameters_text.h"

namespace kernels {
namespace {

// The x86-64 psABI's name of the loader; every program here was started by it.
constexpr absl::string_view kLoader = "/lib64/ld-linux-x86-64.so.2";

struct TunableRow {
  absl::string_view name;
  std::optional<uint64_t> KernelParameters::*field;
};

constexpr TunableRow kTunables[] = {
    {"x86_data_cache_size", &KernelParameters::data_cache_size},
    {"x86_memset_non_temporal_threshold",
     &KernelParameters::memset_non_temporal_threshold},
    {"x86_non_temporal_threshold", &KernelParameters::non_temporal_threshold},
    {"x86_rep_movsb_threshold", &KernelParameters::rep_movsb_threshold},
    {"x86_rep_stosb_threshold", &KernelParameters::rep_stosb_threshold},
    {"x86_shared_cache_size", &KernelParameters::shared_cache_size},
};

int MinorOfRunningLibc() {
  const std::vector<std::string> parts =
      absl::StrSplit(gnu_get_libc_version(), '.');
  int minor = 0;
  return parts.size() > 1 && absl::SimpleAtoi(parts[1], &minor) ? minor : 0;
}

std::string TreeDescription(const Tree& tree) {
  return absl::StrCat(
      tree.revision().empty() ? tree.release() : tree.revision(), " ",
      FormatParameters(tree.parameters()));
}

}  // namespace

KernelParameters ParametersFromListing(absl::string_view listing) {
  KernelParameters parameters;
  for (absl::string_view line : absl::StrSplit(listing, '\n')) {
    // "glibc.cpu.x86_rep_movsb_threshold: 0x840 (min: 0x100, max: 0x...)"
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    const absl::string_view value =
        parts.second.substr(0, parts.second.find(' '));
    for (const TunableRow& row : kTunables) {
      uint64_t number;
      if (parts.first == absl::StrCat("glibc.cpu.", row.name) &&
          absl::SimpleHexAtoi(value, &number)) {
        parameters.*row.field = number;
      }
    }
  }
  return parameters;
}

KernelParameters ParametersOfRunningLibc() {
  advisor::Command command;
  command.argv = {std::string(kLoader), "--list-tunables"};
  command.environment =
      advisor::Environment::OfThisProcess().ForChild({"GLIBC_TUNABLES"});
  const absl::StatusOr<advisor::CommandResult> result =
      advisor::RealSubprocess().Run(command);
  if (!result.ok() || !result->succeeded()) return {};
  KernelParameters parameters = ParametersFromListing(result->standard_output);
  const advisor::CpuModel cpu =
      advisor::DecodeCpuModel(advisor::ReadNativeCpuid());
  const bool amd = cpu.vendor_kind == advisor::VendorKind::kAmd;
  parameters.rep_movsb_stop_threshold = amd && MinorOfRunningLibc() < 40
                                            ? CacheSizesOfThisMachine().l2
                                            : parameters.non_temporal_threshold;
  parameters.string_control =
      cpu.vendor_kind == advisor::VendorKind::kIntel && cpu.HasCpuidBit("FSRM");
  return parameters;
}

std::map<std::string, std::string> BenchmarkContext(const CacheSizes& caches) {
  std::map<std::string, std::string> context;
  context["cpu"] = advisor::DescribeCpuModel(
      advisor::DecodeCpuModel(advisor::ReadNativeCpuid()));
  utsname system;
  if (uname(&system) == 0) context["kernel"] = system.release;
  context["libc"] = gnu_get_libc_version();
  context["libc_thresholds"] = FormatParameters(ParametersOfRunningLibc());
  const char* tunables = std::getenv("GLIBC_TUNABLES");
  context["GLIBC_TUNABLES"] = tunables == nullptr ? "" : tunables;
  for (const Tree* tree : AllTrees()) {
    context[absl::StrCat("tree_", tree->name())] = TreeDescription(*tree);
  }
  for (const BenchmarkRegime& regime : BenchmarkRegimes(caches)) {
    if (regime.working_set == 0) continue;
    context[absl::StrCat("working_set_", regime.name)] =
        absl::StrCat(regime.working_set);
  }
  context["tsc_per_second"] = absl::StrCat(CyclesPerSecond());
  return context;
}

}  // namespace kernels
