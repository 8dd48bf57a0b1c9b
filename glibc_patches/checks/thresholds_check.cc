// thresholds: what a threshold decides happens on its side of it and not on the
// other, as the tunables' documentation promises: `rep movsb` from
// rep_movsb_threshold up to rep_movsb_stop_threshold, `rep stosb` from
// rep_stosb_threshold, non-temporal stores from non_temporal_threshold (or, in
// the variants that read it, half of the shared cache size).
//
// A breakpoint stands at each of these instructions and tells which a call
// executed. Around a threshold lies a margin in which both are right, since
// some releases compare what is left of a size after aligning.

#include <ucontext.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/call_variant.h"
#include "glibc_patches/checks/checks.h"
#include "glibc_patches/checks/code_graph.h"
#include "glibc_patches/checks/fault_hooks.h"
#include "glibc_patches/checks/no_graph.h"
#include "glibc_patches/checks/session.h"
#include "glibc_patches/checks/world.h"

namespace glibc_patches {
namespace {

using kernels::Function;
using kernels::kNever;
using kernels::Variant;

constexpr uint64_t kMargin = 2 * 64;

// Far enough from each other that no two can be mistaken; the non-temporal ones
// above kLargeCopyMinimum.
constexpr uint64_t kString = 3000;
constexpr uint64_t kStop = 20000;
constexpr uint64_t kNonTemporal = 60000;

enum Technique { kStringInstruction, kNonTemporalStore, kTechniques };
constexpr const char* kNames[] = {"a rep string instruction",
                                  "non-temporal stores"};

struct Site {
  uint64_t address;
  unsigned char original;
  Technique technique;
};

// Of the child, sorted by address.
std::vector<Site>& Sites() {
  static auto& sites = *new std::vector<Site>;
  return sites;
}
bool used[kTechniques];

bool OnBreakpoint(ucontext_t& context) {
  greg_t* registers = context.uc_mcontext.gregs;
  const uint64_t address = registers[REG_RIP] - 1;
  for (const Site& site : Sites()) {
    if (site.address != address) continue;
    used[site.technique] = true;
    PutCodeByte(address, site.original);
    registers[REG_RIP] = static_cast<greg_t>(address);
    return true;
  }
  return false;
}

std::optional<Technique> TechniqueOf(const Instruction& instruction) {
  switch (instruction.mnemonic) {
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSQ:
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSQ:
      return kStringInstruction;
    case ZYDIS_MNEMONIC_MOVNTDQ:
    case ZYDIS_MNEMONIC_MOVNTI:
    case ZYDIS_MNEMONIC_MOVNTPS:
    case ZYDIS_MNEMONIC_VMOVNTDQ:
    case ZYDIS_MNEMONIC_VMOVNTPS:
      return kNonTemporalStore;
    default:
      return std::nullopt;
  }
}

// False when the kernel refuses writable code.
bool FindSites(const CodeGraph& graph) {
  for (const auto& [address, instruction] : graph.instructions()) {
    const auto technique = TechniqueOf(instruction);
    if (!technique.has_value()) continue;
    if (!MakeCodeWritable(address)) return false;
    const auto* code = reinterpret_cast<const unsigned char*>(address);
    Sites().push_back({address, *code, *technique});
  }
  SetTrapHandler(OnBreakpoint);
  return true;
}

bool Reads(const Variant& variant, absl::string_view threshold) {
  return absl::c_linear_search(variant.thresholds, threshold);
}

// Sizes at which a technique must be seen, and at which it must not. Between
// them nothing is said.
struct Zone {
  uint64_t from;
  uint64_t to;
  bool expected;
};

std::vector<Zone> StringZones(const Variant& variant,
                              const kernels::KernelParameters& p) {
  if (!variant.erms) return {{0, kNever, false}};
  if (variant.function == Function::kMemset) {
    if (!Reads(variant, "rep_stosb_threshold")) return {};
    const uint64_t end = Reads(variant, "memset_non_temporal_threshold")
                             ? *p.memset_non_temporal_threshold
                             : kNever;
    return {{0, *p.rep_stosb_threshold, false},
            {*p.rep_stosb_threshold, end, true}};
  }
  if (!Reads(variant, "rep_movsb_threshold")) return {};
  const uint64_t start = *p.rep_movsb_threshold;
  const uint64_t stop = Reads(variant, "rep_movsb_stop_threshold")
                            ? *p.rep_movsb_stop_threshold
                            : *p.non_temporal_threshold;
  return {{0, start, false}, {start, stop, true}, {stop, kNever, false}};
}

std::vector<Zone> NonTemporalZones(const Variant& variant,
                                   const kernels::KernelParameters& p) {
  const auto around = [](uint64_t threshold) -> std::vector<Zone> {
    return {{0, threshold, false}, {threshold, kNever, true}};
  };
  if (variant.function == Function::kMemset &&
      Reads(variant, "memset_non_temporal_threshold")) {
    std::vector<Zone> zones = around(*p.memset_non_temporal_threshold);
    // Where rep stosb has begun already, either may go on.
    if (variant.erms) zones.pop_back();
    return zones;
  }
  if (Reads(variant, "shared_non_temporal_threshold")) {
    std::vector<Zone> zones = around(*p.non_temporal_threshold);
    // 2.35 makes large copies from the stop on.
    if (variant.erms && variant.tree->release() == "2.35") {
      zones[0].to = *p.rep_movsb_stop_threshold;
    }
    return zones;
  }
  // Up to 2.35 the ssse3 variants weigh both caches in ways of their own.
  if (Reads(variant, "shared_cache_size_half") &&
      !Reads(variant, "data_cache_size_half") &&
      !Reads(variant, "data_cache_size")) {
    return around(*p.shared_cache_size / 2);
  }
  return {};
}

std::optional<bool> Expected(const std::vector<Zone>& zones, uint64_t size) {
  for (const Zone& zone : zones) {
    const uint64_t from = zone.from == 0 ? 0 : zone.from + kMargin;
    if (size >= from && size + kMargin <= zone.to) return zone.expected;
  }
  return std::nullopt;
}

kernels::KernelParameters Parameters() {
  kernels::KernelParameters parameters;
  parameters.rep_movsb_threshold = kString;
  parameters.rep_movsb_stop_threshold = kStop;
  parameters.rep_stosb_threshold = kString;
  parameters.non_temporal_threshold = kNonTemporal;
  parameters.memset_non_temporal_threshold = kNonTemporal;
  parameters.data_cache_size = 2 * kNever;
  parameters.shared_cache_size = 2 * kNonTemporal;
  parameters.string_control = 0;
  return parameters;
}

// The same, each at another place.
kernels::KernelParameters OtherParameters() {
  kernels::KernelParameters parameters = Parameters();
  parameters.rep_movsb_threshold = 2 * kString;
  parameters.rep_movsb_stop_threshold = 2 * kStop;
  parameters.rep_stosb_threshold = 2 * kString;
  parameters.non_temporal_threshold = 2 * kNonTemporal;
  parameters.memset_non_temporal_threshold = 2 * kNonTemporal;
  parameters.shared_cache_size = 4 * kNonTemporal;
  // Of no matter to operands as far apart as these.
  parameters.string_control = 1;
  return parameters;
}

bool Overlaps(const PlacedCall& call) {
  return call.source < call.destination + call.size &&
         call.destination < call.source + call.size;
}

// Makes the call and notes what it executes.
void Execute(const Variant& variant, const PlacedCall& call) {
  for (const Site& site : Sites()) PutCodeByte(site.address, kBreakpoint);
  std::fill(std::begin(used), std::end(used), false);
  CallVariant(variant, call);
  for (const Site& site : Sites()) PutCodeByte(site.address, site.original);
  World::Get().Restore(call.destination, call.size);
}

// The source a little above the destination.
bool AtShortDistances(const CheckContext& context, CheckSession& session) {
  if (!Reads(context.variant, "string_control") ||
      context.variant.function != Function::kMemmove) {
    return true;
  }
  for (uint64_t control : {0, 1}) {
    for (uint64_t distance : {1, 32, 63}) {
      PlacedCall call;
      call.parameters = Parameters();
      call.parameters.string_control = control;
      call.size = (kString + kStop) / 2;
      call.destination = kOther.begin + (64 << 10);
      call.source = call.destination + distance;
      if (!session.Try(call)) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<std::string> SkipThresholds(const CheckContext& context) {
  const bool has_any = !StringZones(context.variant, Parameters()).empty() ||
                       !NonTemporalZones(context.variant, Parameters()).empty();
  if (has_any) return std::nullopt;
  return "reads no threshold whose meaning is documented";
}

void RunThresholdsCheck(const CheckContext& context, CheckSession& session) {
  const auto graph = CodeGraph::Of(context.variant);
  if (!graph.ok()) return TellNoGraph(graph.status(), session);
  if (!FindSites(*graph)) {
    return session.Note("not done: the kernel refuses to make code writable");
  }
  const auto try_size = [&](uint64_t size,
                            const kernels::KernelParameters& parameters) {
    PlacedCall call;
    call.size = size;
    call.value = 0x5a;
    call.parameters = parameters;
    // Pages apart and no alias of each other in any of them.
    call.destination = kOther.begin + (64 << 10) + 5;
    call.source = kNear.begin + (64 << 10) + 2048;
    if (!session.Try(call)) return false;
    std::swap(call.destination, call.source);
    return session.Try(call);
  };
  // Each way of small sizes has code of its own.
  for (uint64_t size :
       {1, 2, 3, 5, 8, 13, 16, 24, 32, 48, 64, 90, 128, 200, 256, 400, 700}) {
    if (!try_size(size, Parameters())) return;
  }
  for (const auto& parameters : {Parameters(), OtherParameters()}) {
    for (uint64_t edge : {kString, 2 * kString, kStop, 2 * kStop, kNonTemporal,
                          2 * kNonTemporal, 4 * kNonTemporal}) {
      for (uint64_t size :
           {edge / 2, edge - kMargin, edge + kMargin, edge + edge / 4}) {
        if (!try_size(size, parameters)) return;
      }
    }
  }
  AtShortDistances(context, session);
}

std::optional<std::string> AttemptThresholds(const CheckContext& context,
                                             const PlacedCall& call) {
  const Variant& variant = context.variant;
  // The runner makes a single call to shrink it.
  if (Sites().empty()) {
    const auto graph = CodeGraph::Of(variant);
    if (!graph.ok() || !FindSites(*graph)) return std::nullopt;
  }
  Execute(variant, call);
  std::optional<bool> expected[kTechniques];
  const bool copies = variant.function != Function::kMemset;
  if (!copies || !Overlaps(call)) {
    expected[kStringInstruction] =
        Expected(StringZones(variant, call.parameters), call.size);
    expected[kNonTemporalStore] =
        Expected(NonTemporalZones(variant, call.parameters), call.size);
  } else if (Reads(variant, "string_control") &&
             call.source - call.destination < 64) {
    expected[kStringInstruction] =
        Expected(StringZones(variant, call.parameters), call.size);
    if (call.parameters.string_control == 1) {
      expected[kStringInstruction] = false;
    }
  }
  for (int i = 0; i < kTechniques; ++i) {
    if (!expected[i].has_value() || *expected[i] == used[i]) continue;
    return absl::StrCat(used[i] ? "uses " : "does not use ", kNames[i],
                        used[i] ? ", which its thresholds forbid at this size"
                                : ", which its thresholds ask for");
  }
  return std::nullopt;
}

}  // namespace glibc_patches
