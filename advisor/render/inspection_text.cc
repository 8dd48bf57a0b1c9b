#include "advisor/render/inspection_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/render/inspection_thresholds.h"
#include "advisor/render/layout.h"
#include "advisor/render/page.h"

namespace advisor {
namespace {

// Under the paragraph before it.
void Item(absl::string_view text, Page& page) {
  page.Paragraph(absl::StrCat("  ", text), 4);
}

std::string Count(uint64_t number, absl::string_view noun) {
  return absl::StrCat(number, " ", noun, number == 1 ? "" : "s");
}

// "0-3, 8".
template <typename Number>
std::string Ranges(const std::vector<Number>& numbers,
                   std::string (*format)(Number)) {
  std::vector<std::string> parts;
  for (size_t first = 0, last; first < numbers.size(); first = last + 1) {
    for (last = first;
         last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1;
         ++last) {
    }
    parts.push_back(first == last ? format(numbers[first])
                                  : absl::StrCat(format(numbers[first]), "-",
                                                 format(numbers[last])));
  }
  return absl::StrJoin(parts, ", ");
}

std::string Hex(uint32_t number) { return absl::StrFormat("0x%X", number); }

std::string CpuList(const std::vector<int>& cpus) {
  return Ranges<int>(cpus, [](int cpu) { return absl::StrCat(cpu); });
}

void CpuPart(const CpuModel& cpu, Page& page) {
  page.Paragraph(cpu.brand.empty() ? "(no brand string)" : cpu.brand);
  const FamilyModelStepping& family = cpu.architectural;
  page.Paragraph(absl::StrFormat(
      "vendor \"%s\", %s%s, family %d model %d stepping %d", cpu.vendor,
      cpu.microarchitecture == nullptr ? "micro-architecture " : "",
      cpu.microarchitecture_name(), family.family, family.model,
      family.stepping));
  const FamilyModelStepping& glibc = cpu.glibc;
  if (cpu.vendor_kind == VendorKind::kOther) {
    page.Paragraph("a vendor that glibc does not know: it reads no family");
  } else if (!(glibc == family)) {
    page.Paragraph(absl::StrFormat("glibc counts family %d model %d",
                                   glibc.family, glibc.model));
  }
  std::string leaves = absl::StrCat("leaves up to ", Hex(cpu.max_leaf));
  absl::StrAppend(&leaves,
                  cpu.max_extended_leaf.has_value()
                      ? absl::StrCat(" and ", Hex(*cpu.max_extended_leaf))
                      : ", no extended ones");
  absl::StrAppend(&leaves, "; XCR0 ",
                  cpu.xcr0.has_value()
                      ? absl::StrCat("0x", absl::Hex(*cpu.xcr0))
                      : "unknown");
  page.Paragraph(leaves);
}

// Those with one reason stand together.
void FeaturesPart(const std::vector<FeatureFact>& features, Page& page) {
  page.Title("Features");
  std::vector<absl::string_view> usable;
  std::vector<std::pair<std::string, std::vector<absl::string_view>>> others;
  for (const FeatureFact& feature : features) {
    if (!feature.matters) continue;
    if (feature.state.usable) {
      usable.push_back(feature.state.name());
      continue;
    }
    const std::string reason =
        absl::StrCat(feature.state.cpuid ? "not usable" : "missing",
                     feature.why_not.empty() ? "" : " (", feature.why_not,
                     feature.why_not.empty() ? "" : ")");
    const auto same =
        std::find_if(others.begin(), others.end(),
                     [&](const auto& other) { return other.first == reason; });
    if (same == others.end()) {
      others.push_back({reason, {feature.state.name()}});
    } else {
      same->second.push_back(feature.state.name());
    }
  }
  page.Paragraph(absl::StrCat(
      "usable: ", usable.empty() ? "none" : absl::StrJoin(usable, " ")));
  for (const auto& [reason, names] : others) {
    page.Paragraph(absl::StrCat(reason, ": ", absl::StrJoin(names, " ")));
  }
}

void GuestPart(const Hypervisor& hypervisor, bool all_leaves, Page& page) {
  page.Title("Guest");
  page.Paragraph(hypervisor.is_guest()
                     ? absl::StrCat("of ", DescribeHypervisor(hypervisor))
                     : "no sign of a hypervisor");
  for (const HypervisorRange& range : hypervisor.ranges) {
    page.Paragraph(
        absl::StrCat(range.base == range.highest_leaf
                         ? absl::StrCat("leaf ", Hex(range.base))
                         : absl::StrCat("leaves ", Hex(range.base), " to ",
                                        Hex(range.highest_leaf)),
                     ": \"", range.signature, "\""));
  }
  if (hypervisor.is_guest() && !hypervisor.guest_bit) {
    page.Paragraph("the hypervisor bit (1:0:ECX[31]) is clear");
  }
  const bool sev = hypervisor.sev || hypervisor.sev_es || hypervisor.sev_snp;
  if (!hypervisor.tdx && !sev && all_leaves)
    page.Paragraph("no sign of TDX or SEV");
}

// The claim without its leaf, which stands above it.
std::string ClaimText(const CacheClaim& claim) {
  std::string text = DescribeCacheClaim(claim);
  text.erase(text.rfind(" (leaf"));
  if (claim.descriptor.has_value()) {
    absl::StrAppendFormat(&text, " (descriptor 0x%02x)", *claim.descriptor);
  } else if (claim.sharing_field.has_value()) {
    absl::StrAppendFormat(&text, " (subleaf %d)", claim.subleaf);
  }
  return text;
}

std::string StateText(const LeafFact& fact) {
  return absl::StrCat(LeafStateName(fact.state),
                      fact.reason.empty() ? "" : ": ", fact.reason);
}

void CpuidCachesPart(const CacheClaims& caches, Page& page) {
  page.Title("Caches");
  for (const CacheLeaf& leaf : caches.leaves) {
    page.Paragraph(
        absl::StrCat(CacheSourceName(leaf.source), ", ", StateText(leaf.fact)));
    if (leaf.source == CacheSource::kLeaf2) {
      if (caches.leaf_2_defers_to_leaf_4) Item("\"see leaf 4\"", page);
      if (caches.leaf_2_denies_l2_or_l3) Item("\"no L2, or no L3\"", page);
    }
    for (const CacheClaim& claim : leaf.claims) Item(ClaimText(claim), page);
    if (leaf.fact.state == LeafState::kGood && leaf.claims.empty() &&
        !(leaf.source == CacheSource::kLeaf2 &&
          (caches.leaf_2_defers_to_leaf_4 || caches.leaf_2_denies_l2_or_l3))) {
      Item("no cache", page);
    }
  }
}

std::string SysfsCacheText(const SysfsCache& cache) {
  std::string text =
      cache.level.has_value() && cache.type.has_value()
          ? CacheName(*cache.level, *cache.type)
          : absl::StrCat("level ", cache.level.has_value()
                                       ? absl::StrCat(*cache.level)
                                       : "not told");
  absl::StrAppend(&text, " ",
                  cache.size.has_value() ? FormatCacheSize(*cache.size)
                                         : "of a size not told");
  if (cache.ways.has_value()) absl::StrAppend(&text, ", ", *cache.ways, "-way");
  if (cache.line.has_value()) absl::StrAppend(&text, ", line ", *cache.line);
  absl::StrAppend(&text, ", ",
                  cache.shared_cpus.has_value()
                      ? Count(cache.shared_cpus->size(), "sharer")
                      : "sharers not told");
  return text;
}

// CPUs with the same caches stand together.
void SysfsCachesPart(const SysfsWitness& sysfs, Page& page) {
  std::vector<std::pair<std::vector<std::string>, std::vector<int>>> groups;
  for (const SysfsCpu& cpu : sysfs.cpus) {
    std::vector<std::string> caches;
    for (const SysfsCache& cache : cpu.caches) {
      caches.push_back(SysfsCacheText(cache));
    }
    const auto same =
        std::find_if(groups.begin(), groups.end(),
                     [&](const auto& group) { return group.first == caches; });
    if (same == groups.end()) {
      groups.push_back({caches, {cpu.cpu}});
    } else {
      same->second.push_back(cpu.cpu);
    }
  }
  if (groups.empty()) page.Paragraph("sysfs tells nothing");
  for (const auto& [caches, cpus] : groups) {
    page.Paragraph(absl::StrCat("sysfs, ", cpus.size() == 1 ? "CPU " : "CPUs ",
                                CpuList(cpus),
                                caches.empty() ? ": no caches" : ""));
    for (const std::string& cache : caches) Item(cache, page);
  }
  for (const std::string& problem : sysfs.problems) page.Paragraph(problem);
}

bool IsCacheLeaf(const CpuModel& cpu, uint32_t leaf) {
  return std::any_of(
      cpu.caches.leaves.begin(), cpu.caches.leaves.end(),
      [&](const CacheLeaf& cache) { return cache.fact.leaf == leaf; });
}

void LeavesPart(const CpuModel& cpu, Page& page) {
  page.Title("Leaves");
  std::map<LeafState, std::vector<std::string>> by_state;
  for (const LeafFact& fact : cpu.leaf_facts) {
    if (IsCacheLeaf(cpu, fact.leaf)) continue;
    by_state[fact.state].push_back(
        fact.state == LeafState::kMalformed
            ? absl::StrCat(Hex(fact.leaf), " (", fact.reason, ")")
            : Hex(fact.leaf));
  }
  for (const LeafState state : {LeafState::kGood, LeafState::kMalformed,
                                LeafState::kZero, LeafState::kAbsent}) {
    if (by_state[state].empty()) continue;
    page.Paragraph(absl::StrCat(LeafStateName(state), ": ",
                                absl::StrJoin(by_state[state], ", ")));
  }
  if (!cpu.untold_leaves.empty()) {
    page.Paragraph(absl::StrCat("up to ", Hex(cpu.max_leaf), " and not told: ",
                                Ranges<uint32_t>(cpu.untold_leaves, &Hex)));
  }
}

void SysfsTopologyPart(const SysfsWitness& sysfs, Page& page) {
  if (sysfs.cpus.empty()) return;
  const auto part = [](std::optional<int> number, absl::string_view noun) {
    return number.has_value() ? Count(*number, noun)
                              : absl::StrCat(noun, "s not told");
  };
  page.Paragraph(absl::StrCat(
      "sysfs: ", Count(sysfs.cpus.size(), "CPU"), " online, ",
      part(sysfs.packages(), "package"), ", ", part(sysfs.cores(), "core"),
      ", ", part(sysfs.threads_per_core(), "thread"), " a core"));
}

void DisagreementsPart(const Inspection& inspection, Page& page) {
  if (!inspection.sysfs.has_value()) return;
  page.Title("CPUID and");
  if (inspection.sysfs->cpus.empty()) {
    page.Paragraph("sysfs cannot be compared");
  } else if (inspection.disagreements.empty()) {
    page.Paragraph("sysfs agree");
  } else {
    page.Paragraph("sysfs disagree:");
  }
  for (const WitnessDisagreement& disagreement : inspection.disagreements) {
    Item(disagreement.Describe(), page);
  }
}

void InstalledPart(const InstalledLibc& libc, Page& page) {
  if (libc.banner.has_value()) {
    page.Paragraph(
        absl::StrCat(libc.banner->release, " (", libc.banner->package, ")",
                     libc.package_version.has_value()
                         ? absl::StrCat(", package ", *libc.package_version)
                         : ""));
  }
  const auto file = [&](absl::string_view what, absl::string_view path,
                        const std::optional<std::string>& build_id) {
    page.Paragraph(absl::StrCat(what, " ", path));
    Item(absl::StrCat("build-id ", build_id.value_or("none")), page);
  };
  file("loader", libc.loader_path, libc.loader_build_id);
  if (libc.libc_path.has_value()) {
    file("libc", *libc.libc_path, libc.libc_build_id);
  } else {
    page.Paragraph("no libc.so.6 beside the loader");
  }
}

void GlibcPart(const GlibcInspection& glibc, Page& page) {
  page.Title("glibc");
  if (glibc.libc.has_value()) {
    InstalledPart(*glibc.libc, page);
  } else if (!glibc.build.empty()) {
    page.Paragraph(absl::StrCat(glibc.build, ", as asked for"));
  }
  page.Paragraph(glibc.note);
  for (const std::string& problem : glibc.problems) page.Paragraph(problem);
  page.Paragraph(absl::StripSuffix(glibc.loader_warnings, "\n"));
}

void TunablesPart(const GlibcInspection& glibc, const CoreInspection& core,
                  Page& page) {
  page.Title("Tunables");
  if (!glibc.tunables.has_value()) {
    page.Paragraph("GLIBC_TUNABLES is not set");
    return;
  }
  page.Verbatim(absl::StrCat("GLIBC_TUNABLES=", *glibc.tunables));
  for (const TunableFact& tunable : core.tunables) {
    Item(absl::StrCat(tunable.item, ": ", tunable.outcome), page);
  }
}

std::string GlibcCache(absl::string_view name, int64_t bytes) {
  if (bytes < 0) return absl::StrCat(name, " unknown");
  if (bytes == 0) return absl::StrCat("no ", name);
  return absl::StrCat(name, " ", FormatCacheSize(bytes));
}

void GlibcCaches(const CacheInfo& cache, Page& page) {
  page.Paragraph(absl::StrCat(
      "glibc takes ", GlibcCache("L1d", cache.level1_dcache_size), ", ",
      GlibcCache("L2", cache.level2_cache_size), ", ",
      GlibcCache("L3", cache.level3_cache_size), "; last level for ",
      cache.threads == 0 ? "an unknown number of threads"
                         : Count(cache.threads, "thread")));
}

void PredictionPart(const GlibcInspection& glibc, const CoreInspection& core,
                    bool caches_told, Page& page) {
  if (core.prediction.has_value() && core.prediction->hangs) {
    page.Title("Values");
    page.Paragraph(absl::StrCat(
        "none: predicted is that on this CPUID every program of glibc ",
        glibc.build, " hangs before main"));
    return;
  }
  ThresholdsPart(core.thresholds, page);
  if (!core.prediction.has_value()) return;
  const Prediction& prediction = *core.prediction;
  page.Title("Predicted");
  page.Paragraph(absl::StrCat("memmove ", prediction.memmove, ", memset ",
                              prediction.memset));
  if (caches_told) GlibcCaches(prediction.cache, page);
  std::vector<absl::string_view> flags;
  for (int i = 0; i < kFlagCount; ++i) {
    const Flag flag = static_cast<Flag>(i);
    if (prediction.features.flags.Contains(flag)) {
      flags.push_back(FlagName(flag));
    }
  }
  if (!flags.empty()) {
    page.Paragraph(absl::StrCat("flags: ", absl::StrJoin(flags, " ")));
  }
  if (!core.features_glibc_ignores.empty()) {
    page.Paragraph(
        absl::StrCat("usable, but not for this glibc: ",
                     absl::StrJoin(core.features_glibc_ignores, " ")));
  }
}

}  // namespace

std::string RenderInspectionText(const Inspection& inspection, int columns) {
  Page page(columns);
  page.Title("Machine");
  page.Paragraph(absl::StrCat(
      inspection.origin, inspection.format.empty()
                             ? ""
                             : absl::StrCat(" (", inspection.format, ")")));
  for (const std::string& note : inspection.notes) page.Paragraph(note, 2);
  for (const CoreInspection& core : inspection.cores) {
    page.Title("CPU");
    if (inspection.cores.size() > 1) page.Paragraph(core.name);
    CpuPart(core.cpu, page);
    FeaturesPart(core.features, page);
    GuestPart(core.cpu.hypervisor, inspection.caches_told, page);
    if (inspection.caches_told) {
      CpuidCachesPart(core.cpu.caches, page);
      if (inspection.sysfs.has_value()) {
        SysfsCachesPart(*inspection.sysfs, page);
      }
      LeavesPart(core.cpu, page);
      page.Title("Topology");
      page.Paragraph(DescribeTopology(core.cpu.topology));
      if (inspection.sysfs.has_value()) {
        SysfsTopologyPart(*inspection.sysfs, page);
      }
    }
  }
  DisagreementsPart(inspection, page);
  if (!inspection.glibc.has_value()) return std::move(page).text();
  GlibcPart(*inspection.glibc, page);
  ThresholdsPart(inspection.glibc->thresholds, page);
  for (const CoreInspection& core : inspection.cores) {
    if (inspection.cores.size() > 1) {
      page.Title("On");
      page.Paragraph(core.name);
    }
    if (inspection.sysfs.has_value() || inspection.glibc->tunables) {
      TunablesPart(*inspection.glibc, core, page);
    }
    PredictionPart(*inspection.glibc, core, inspection.caches_told, page);
  }
  return std::move(page).text();
}

}  // namespace advisor
