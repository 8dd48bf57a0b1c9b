#include "glibc_patches/speed_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/types/span.h"
#include "advisor/workload/named_workloads.h"
#include "advisor/workload/weights.h"

namespace glibc_patches {
namespace {

using ::advisor::BySize;
using ::advisor::Workload;
using ::kernels::Cell;

constexpr double kConfidence = 0.95;

// "__memmove_evex_unaligned_erms" -> "evex_unaligned_erms": the memset of the
// same kind is selected with it.
std::string KindOf(absl::string_view variant) {
  for (const absl::string_view prefix :
       {"__memmove_", "__memcpy_", "__mempcpy_", "__memset_"}) {
    if (absl::ConsumePrefix(&variant, prefix)) break;
  }
  return std::string(variant);
}

bool IsPlain(const SpeedCell& cell) {
  return cell.thresholds == kMachineThresholds && cell.cell.copiers == 1;
}

// The weights of the cells of one kind, for one workload.
class KindWeights {
 public:
  KindWeights(const Workload& workload, const SpeedResult& speed,
              const std::vector<size_t>& indexes)
      : workload_(workload), speed_(speed), indexes_(indexes) {
    for (const size_t i : indexes_) {
      const Cell& cell = CellAt(i);
      Group& group = groups_[GroupOf(i)];
      group.total += advisor::ConditionWeight(workload_, cell);
      ++group.cells;
    }
    // Of a size, the mean over its conditions.
    for (const size_t i : indexes_) {
      if (!IsPlain(speed_.cells[i].cell) || speed_.cells[i].base_cycles <= 0) {
        continue;
      }
      cycles_[KeyOf(i)] += ConditionOf(i) * speed_.cells[i].base_cycles;
    }
    near_ = advisor::SharesOfNearest(workload_, cycles_, kClassOctaves);
  }

  // The share of the cell's alignment and regime among those measured of its
  // size; all the same where the workload has none of them.
  double ConditionOf(size_t i) const {
    const Group& group = groups_.at(GroupOf(i));
    if (group.total <= 0) return 1.0 / group.cells;
    return advisor::ConditionWeight(workload_, CellAt(i)) / group.total;
  }

  // The share of the time in the size class that the cell lies in. A size that
  // was not measured under this machine's thresholds has that of the nearest
  // one that was.
  double ClassShare(size_t i) const {
    const Key own = KeyOf(i);
    const auto near = advisor::FindNearestSize(cycles_, own.first, own.second);
    if (!near.has_value() || near->octaves > kClassOctaves) return 0;
    const auto at = near_.shares.find({own.first, near->size});
    return at == near_.shares.end() ? 0 : at->second;
  }

  bool HasCalls() const { return !near_.shares.empty() || near_.beyond > 0; }

 private:
  using Key = std::pair<bool, uint64_t>;
  // Cells between which calls of one size are divided.
  using GroupKey = std::tuple<std::string, int, bool, uint64_t>;
  struct Group {
    double total = 0;
    int cells = 0;
  };

  const Cell& CellAt(size_t i) const { return speed_.cells[i].cell.cell; }
  Key KeyOf(size_t i) const { return {CellAt(i).is_memset, CellAt(i).size}; }
  GroupKey GroupOf(size_t i) const {
    const Cell& cell = CellAt(i);
    return {speed_.cells[i].cell.thresholds, cell.copiers, cell.is_memset,
            cell.size};
  }

  const Workload& workload_;
  const SpeedResult& speed_;
  const std::vector<size_t>& indexes_;
  std::map<GroupKey, Group> groups_;
  BySize cycles_;
  advisor::NearestShares near_;
};

// log of what the whole mix takes, one a process. `shares` are of the cells in
// `indexes` and sum up to `measured`.
std::vector<double> Totals(const SpeedResult& speed,
                           const std::vector<size_t>& indexes,
                           const std::map<size_t, double>& shares,
                           double measured,
                           std::vector<double> SpeedCellResult::*samples) {
  size_t processes = SIZE_MAX;
  for (const size_t i : indexes) {
    processes = std::min(processes, (speed.cells[i].*samples).size());
  }
  if (processes == SIZE_MAX) return {};
  std::vector<double> totals(processes, 1);
  for (const size_t i : indexes) {
    for (size_t k = 0; k < processes; ++k) {
      totals[k] +=
          shares.at(i) / measured * std::expm1((speed.cells[i].*samples)[k]);
    }
  }
  for (double& total : totals) total = std::log(total);
  return totals;
}

std::string CallsOf(const SpeedResult& speed,
                    const std::vector<size_t>& indexes) {
  std::set<std::string> functions;
  for (const size_t i : indexes) {
    functions.insert(speed.cells[i].cell.cell.is_memset ? "memset" : "copies");
  }
  return absl::StrJoin(functions, " and ");
}

struct Change {
  WorkloadChange change;
  std::vector<double> patched, control;  // Totals()
};

Change WeighKind(const CallMix& mix, const SpeedResult& speed,
                 const std::string& kind, const std::vector<size_t>& indexes,
                 std::vector<CellWeight>& weights) {
  Change result;
  result.change.kind = kind;
  result.change.calls = CallsOf(speed, indexes);
  std::vector<KindWeights> workloads;
  for (const Workload& workload : mix.workloads) {
    KindWeights one(workload, speed, indexes);
    // Those that make no such calls have no say.
    if (one.HasCalls()) workloads.push_back(std::move(one));
  }
  const auto count = static_cast<double>(workloads.size());
  std::map<size_t, double> plain_shares;
  std::vector<size_t> plain;
  double measured = 0;
  for (const size_t i : indexes) {
    double of_class = 0;
    for (const KindWeights& one : workloads) {
      of_class += one.ClassShare(i) / count;
      weights[i].share += one.ClassShare(i) * one.ConditionOf(i) / count;
    }
    weights[i].matters = of_class >= kLeastShare &&
                         weights[i].share >= kLeastCondition * of_class;
    if (!IsPlain(speed.cells[i].cell) || weights[i].share <= 0) continue;
    plain.push_back(i);
    plain_shares[i] = weights[i].share;
    measured += weights[i].share;
  }
  if (workloads.empty()) return result;
  result.change.measured = std::min(1.0, measured);
  double most = 1;
  for (const size_t i : plain) {
    most +=
        plain_shares[i] / measured * std::expm1(speed.cells[i].interval.high);
  }
  result.change.bound = std::log(most);
  result.patched = Totals(speed, plain, plain_shares, measured,
                          &SpeedCellResult::patched_samples);
  result.control = Totals(speed, plain, plain_shares, measured,
                          &SpeedCellResult::control_samples);
  result.change.processes = static_cast<int>(result.patched.size());
  return result;
}

void Judge(std::vector<Change>& changes) {
  std::vector<double> p_values;
  p_values.reserve(changes.size());
  for (const Change& one : changes) {
    p_values.push_back(BeyondBandPValue(one.patched, kWorkloadBand));
  }
  const auto adjusted = kernels::BenjaminiHochberg(p_values);
  for (size_t i = 0; i < changes.size(); ++i) {
    WorkloadChange& change = changes[i].change;
    // An interval of fewer is unbounded.
    if (change.processes < 2) continue;
    // One process that something disturbed tells of all calls: the median.
    change.interval = kernels::MedianInterval(changes[i].patched, kConfidence);
    change.control = kernels::MedianInterval(changes[i].control, kConfidence);
    const double floor =
        std::max(std::abs(change.control.low), std::abs(change.control.high));
    change.judgement =
        JudgeSamples(changes[i].patched, adjusted[i], floor, kWorkloadBand);
  }
}

}  // namespace

absl::StatusOr<CallMix> LoadCallMix(const advisor::FileReader& files,
                                    const std::optional<std::string>& what) {
  CallMix mix;
  if (what.has_value()) {
    absl::StatusOr<Workload> workload = advisor::LoadWorkload(files, *what);
    if (!workload.ok()) return workload.status();
    mix.name = workload->name;
    mix.provenance = workload->Describe();
    mix.workloads.push_back(*std::move(workload));
    return mix;
  }
  mix.is_default = true;
  mix.name = "recorded";
  std::vector<std::string> names;
  for (const advisor::NamedWorkload& named : advisor::NamedWorkloads()) {
    absl::StatusOr<Workload> workload =
        advisor::ParseWorkload(named.text, named.name);
    if (!workload.ok()) return workload.status();
    if (!workload->provenance.is_recorded) continue;
    names.push_back(workload->name);
    mix.workloads.push_back(*std::move(workload));
  }
  mix.provenance =
      absl::StrCat(absl::StrJoin(names, ", "), ": each the same weight");
  return mix;
}

WeighedSpeed Weigh(const CallMix& mix, const SpeedResult& speed) {
  WeighedSpeed result;
  result.workload = mix.name;
  result.provenance = mix.provenance;
  result.is_default = mix.is_default;
  result.cells.resize(speed.cells.size());
  std::vector<std::string> kinds;  // in the order of the cells
  std::map<std::string, std::vector<size_t>> by_kind;
  for (size_t i = 0; i < speed.cells.size(); ++i) {
    const std::string kind = KindOf(speed.cells[i].cell.variant);
    std::vector<size_t>& indexes = by_kind[kind];
    if (indexes.empty()) kinds.push_back(kind);
    indexes.push_back(i);
  }
  std::vector<Change> changes;
  for (const std::string& kind : kinds) {
    changes.push_back(
        WeighKind(mix, speed, kind, by_kind.at(kind), result.cells));
  }
  Judge(changes);
  for (Change& one : changes) result.changes.push_back(std::move(one.change));
  return result;
}

}  // namespace glibc_patches
