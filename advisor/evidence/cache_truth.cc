#include "advisor/evidence/cache_truth.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "kernels/measure/statistics.h"

namespace advisor {
namespace {

using ::kernels::LatencyCurve;
using Points = std::vector<LatencyCurve::Point>;

// Loads of a level differ by less, over at least an octave of sizes.
constexpr double kFlat = 1.15;
constexpr double kOctave = 2;
// A load that takes this share of memory's time comes from memory.
constexpr double kMemoryShare = 0.75;
// Where L3 shows no plateau: it is about six times as far as L2 (12 to 16
// cycles against 40 to 80 on server parts of Intel and AMD since 2013, by the
// vendors' optimisation manuals).
constexpr double kL3OverL2 = 6;
// Next to a level: nearer ones are ripples.
constexpr double kNextLevel = 2;

// The times of the flat parts of the curve, in order of size.
std::vector<double> Plateaus(const Points& points) {
  std::vector<double> plateaus;
  for (size_t first = 0; first < points.size();) {
    double low = points[first].cycles, high = low;
    std::vector<double> times;
    size_t end = first;
    for (; end < points.size(); ++end) {
      low = std::min(low, points[end].cycles);
      high = std::max(high, points[end].cycles);
      if (high > kFlat * low) break;
      times.push_back(points[end].cycles);
    }
    if (points[end - 1].bytes >= kOctave * points[first].bytes) {
      plateaus.push_back(kernels::Median(times));
      first = end;
    } else {
      ++first;
    }
  }
  return plateaus;
}

// The last size before two in succession take longer than `limit`; nullopt
// where none do.
std::optional<uint64_t> LastWithin(const Points& points, double limit) {
  for (size_t i = 1; i < points.size(); ++i) {
    const bool stays = i + 1 == points.size() || points[i + 1].cycles > limit;
    if (points[i].cycles > limit && stays) return points[i - 1].bytes;
  }
  return std::nullopt;
}

// Sizes of L1d, L2 and the last level, as far as the curve shows them.
std::vector<std::optional<uint64_t>> EdgesOf(const LatencyCurve& curve) {
  std::vector<std::optional<uint64_t>> edges(3);
  std::vector<double> plateaus = Plateaus(curve.points);
  const auto memory =
      std::find_if(plateaus.begin(), plateaus.end(), [&](double cycles) {
        return cycles >= kMemoryShare * curve.memory_cycles;
      });
  plateaus.erase(memory, plateaus.end());
  if (plateaus.size() < 2 || plateaus[1] < kNextLevel * plateaus[0]) {
    return edges;
  }
  const double l1 = plateaus[0], l2 = plateaus[1];
  double last = std::min(kL3OverL2 * l2, kMemoryShare * curve.memory_cycles);
  if (plateaus.back() > kNextLevel * l2) last = plateaus.back();
  edges[0] = LastWithin(curve.points, (l1 + l2) / 2);
  edges[1] = LastWithin(curve.points, (l2 + last) / 2);
  edges[2] = LastWithin(curve.points, (last + curve.memory_cycles) / 2);
  return edges;
}

std::optional<uint64_t> ClaimOf(absl::Span<const CacheSummary> claims,
                                absl::string_view level) {
  for (const CacheSummary& claim : claims) {
    if (claim.level == level) return claim.bytes;
  }
  return std::nullopt;
}

bool Contradicts(uint64_t claimed, uint64_t measured) {
  return measured < claimed / 2 || measured / 2 > claimed;
}

std::string Mebibytes(uint64_t bytes) {
  return bytes < (uint64_t{1} << 20)
             ? absl::StrFormat("%d KiB", bytes >> 10)
             : absl::StrFormat("%.3g MiB", bytes / 1048576.0);
}

}  // namespace

CacheTruth JudgeCaches(const LatencyCurve& curve,
                       absl::Span<const CacheSummary> claims) {
  CacheTruth truth;
  truth.pages = curve.in_huge_pages ? "huge pages" : "4 KiB pages";
  for (const LatencyCurve::Point& point : curve.points) {
    truth.curve.push_back(
        {point.bytes, 1e9 * point.cycles / curve.cycles_per_second});
  }
  truth.memory_nanoseconds =
      1e9 * curve.memory_cycles / curve.cycles_per_second;
  const std::vector<std::optional<uint64_t>> edges = EdgesOf(curve);
  constexpr absl::string_view kLevels[] = {"L1d", "L2", "L3"};
  for (int i = 0; i < 3; ++i) {
    MeasuredCache cache;
    cache.level = std::string(kLevels[i]);
    cache.claimed = ClaimOf(claims, kLevels[i]);
    cache.measured = edges[i];
    // A last level that ends where L2 does is none.
    if (i == 2 && !cache.claimed.has_value() && cache.measured.has_value() &&
        edges[1].has_value() && *cache.measured < kOctave * *edges[1]) {
      cache.measured = std::nullopt;
    }
    if (!cache.claimed.has_value() && !cache.measured.has_value()) continue;
    cache.contradicted = cache.claimed.has_value() &&
                         cache.measured.has_value() &&
                         Contradicts(*cache.claimed, *cache.measured);
    truth.levels.push_back(std::move(cache));
  }
  return truth;
}

std::vector<Finding> CacheFindings(const CacheTruth& truth) {
  std::vector<Finding> findings;
  for (const MeasuredCache& cache : truth.levels) {
    if (!cache.contradicted) continue;
    Finding finding;
    finding.id = "cache-claim-contradicted";
    finding.severity = Severity::kWarning;
    finding.title = absl::StrFormat(
        "CPUID claims an %s of %s; what this process gets of it holds about "
        "%s.",
        cache.level, Mebibytes(*cache.claimed), Mebibytes(*cache.measured));
    finding.detail =
        "Thresholds that glibc derives from that claim rest on nothing.";
    finding.evidence = {absl::StrFormat(
        "latency of dependent loads in %s: %.1f ns at %s, %.1f ns at %s; "
        "memory %.1f ns",
        truth.pages, truth.curve.front().nanoseconds,
        Mebibytes(truth.curve.front().bytes), truth.curve.back().nanoseconds,
        Mebibytes(truth.curve.back().bytes), truth.memory_nanoseconds)};
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::optional<uint64_t> LastLevelInsteadOfClaim(const CacheTruth& truth) {
  for (const MeasuredCache& cache : truth.levels) {
    if (cache.level != "L3") continue;
    if (cache.claimed.has_value() && !cache.contradicted) return std::nullopt;
    return cache.measured;
  }
  return std::nullopt;
}

}  // namespace advisor
