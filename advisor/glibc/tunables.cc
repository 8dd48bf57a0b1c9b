#include "advisor/glibc/tunables.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"

namespace advisor {
namespace {

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

// {tunable, name, type, list default, minimum, maximum, since, until}
constexpr TunableRow kTunables[] = {
    {Tunable::kHwcaps, "hwcaps", TunableType::kString, 0, 0, 0, {}, {}},
    {Tunable::kX86DataCacheSize,
     "x86_data_cache_size",
     TunableType::kSizeT,
     0,
     0,
     kMax,
     {},
     {}},
    {Tunable::kX86SharedCacheSize,
     "x86_shared_cache_size",
     TunableType::kSizeT,
     0,
     0,
     kMax,
     {},
     {}},
    {Tunable::kX86NonTemporalThreshold,
     "x86_non_temporal_threshold",
     TunableType::kSizeT,
     0,
     0,
     kMax,
     {},
     {}},
    // 2048 in the list until Change::kNoMovsbListDefault.
    {Tunable::kX86RepMovsbThreshold,
     "x86_rep_movsb_threshold",
     TunableType::kSizeT,
     0,
     1,
     kMax,
     Change::kRepThresholdTunables,
     {}},
    {Tunable::kX86RepStosbThreshold,
     "x86_rep_stosb_threshold",
     TunableType::kSizeT,
     2048,
     1,
     kMax,
     Change::kRepThresholdTunables,
     {}},
    {Tunable::kX86MemsetNonTemporalThreshold,
     "x86_memset_non_temporal_threshold",
     TunableType::kSizeT,
     0,
     0,
     kMax,
     Change::kMemsetNonTemporalThreshold,
     {}},
    {Tunable::kX86Ibt,
     "x86_ibt",
     TunableType::kString,
     0,
     0,
     0,
     Change::kCetTunables,
     {}},
    {Tunable::kX86Shstk,
     "x86_shstk",
     TunableType::kString,
     0,
     0,
     0,
     Change::kCetTunables,
     {}},
    {Tunable::kPreferMap32BitExec,
     "prefer_map_32bit_exec",
     TunableType::kInt32,
     0,
     0,
     1,
     Change::kPreferMap32BitTunable,
     {}},
    {Tunable::kPltRewrite,
     "plt_rewrite",
     TunableType::kInt32,
     0,
     0,
     2,
     Change::kPltRewrite,
     {}},
    // The list's default is the platform's constant.
    {Tunable::kHwcapMask,
     "hwcap_mask",
     TunableType::kUint64,
     0x6,
     0,
     kMax,
     {},
     Change::kNoHwcapMask},
};
static_assert(std::size(kTunables) == kTunableCount);

// {name, first release}
constexpr OtherTunableRow kOtherTunables[] = {
    {"glibc.elision.enable", 27},
    {"glibc.elision.skip_lock_after_retries", 27},
    {"glibc.elision.skip_lock_busy", 27},
    {"glibc.elision.skip_lock_internal_abort", 27},
    {"glibc.elision.skip_trylock_internal_abort", 27},
    {"glibc.elision.tries", 27},
    {"glibc.gmon.maxarcs", 38},
    {"glibc.gmon.minarcs", 38},
    {"glibc.malloc.arena_max", 26},
    {"glibc.malloc.arena_test", 26},
    {"glibc.malloc.check", 26},
    {"glibc.malloc.hugetlb", 35},
    {"glibc.malloc.mmap_max", 26},
    {"glibc.malloc.mmap_threshold", 26},
    {"glibc.malloc.mxfast", 31},
    {"glibc.malloc.perturb", 26},
    {"glibc.malloc.tcache_count", 26},
    {"glibc.malloc.tcache_max", 26},
    {"glibc.malloc.tcache_unsorted_limit", 26},
    {"glibc.malloc.top_pad", 26},
    {"glibc.malloc.trim_threshold", 26},
    {"glibc.mem.decorate_maps", 39},
    {"glibc.mem.tagging", 33},
    {"glibc.pthread.mutex_spin_count", 29},
    {"glibc.pthread.rseq", 35},
    {"glibc.pthread.stack_cache_size", 34},
    {"glibc.pthread.stack_hugetlb", 38},
    {"glibc.rtld.dynamic_sort", 35},
    {"glibc.rtld.enable_secure", 40},
    {"glibc.rtld.execstack", 41},
    {"glibc.rtld.nns", 32},
    {"glibc.rtld.optional_static_tls", 32},
};

// {name, release, date, commit}
constexpr OtherTunableBackport kOtherBackports[] = {
    {"glibc.elision.skip_lock_after_retries", 33, "2021-02-10", "c5e3545897"},
    {"glibc.elision.skip_lock_busy", 33, "2021-02-10", "c5e3545897"},
    {"glibc.elision.skip_lock_internal_abort", 33, "2021-02-10", "c5e3545897"},
    {"glibc.elision.skip_trylock_internal_abort", 33, "2021-02-10",
     "c5e3545897"},
    {"glibc.elision.tries", 33, "2021-02-10", "c5e3545897"},
    {"glibc.gmon.maxarcs", 34, "2023-04-28", "4dd89b2a8f"},
    {"glibc.gmon.maxarcs", 35, "2023-04-28", "9f81b8fa65"},
    {"glibc.gmon.maxarcs", 36, "2023-04-28", "8920855c45"},
    {"glibc.gmon.maxarcs", 37, "2023-04-28", "d230623264"},
    {"glibc.gmon.minarcs", 34, "2023-04-28", "4dd89b2a8f"},
    {"glibc.gmon.minarcs", 35, "2023-04-28", "9f81b8fa65"},
    {"glibc.gmon.minarcs", 36, "2023-04-28", "8920855c45"},
    {"glibc.gmon.minarcs", 37, "2023-04-28", "d230623264"},
    {"glibc.malloc.mmap_max", 33, "2021-02-10", "c5e3545897"},
    {"glibc.malloc.mxfast", 28, "2019-10-30", "cb89ba9c72"},
    {"glibc.malloc.mxfast", 29, "2019-11-18", "4618f1ffba"},
    {"glibc.malloc.mxfast", 30, "2019-11-19", "09b81b2bab"},
    {"glibc.rtld.execstack", 41, "2025-04-09", "b861755a84"},
};

constexpr absl::string_view kEnableSecure = "glibc.rtld.enable_secure";

bool IsOtherTunable(const GlibcBuild& build, absl::string_view name) {
  const auto* row = std::lower_bound(
      std::begin(kOtherTunables), std::end(kOtherTunables), name,
      [](const OtherTunableRow& candidate, absl::string_view wanted) {
        return candidate.name < wanted;
      });
  return row != std::end(kOtherTunables) && row->name == name &&
         (row->first_release <= build.release() ||
          FindOtherTunableBackport(build, name) != nullptr);
}

std::optional<Tunable> FindTunable(const GlibcBuild& build,
                                   absl::string_view name) {
  if (!absl::StartsWith(name, build.tunable_namespace())) {
    return std::nullopt;
  }
  name.remove_prefix(build.tunable_namespace().size());
  for (const TunableRow& row : kTunables) {
    if (row.name == name && HasTunable(build, row.tunable)) return row.tunable;
  }
  return std::nullopt;
}

int64_t Signed(uint64_t value) { return static_cast<int64_t>(value); }

// Sets a record from its list's bounds, as every parser does in the end.
class Parser {
 public:
  Parser(absl::string_view text, const GlibcBuild& build)
      : text_(text), build_(build) {
    for (const TunableRow& row : kTunables) {
      parsed_.numbers[static_cast<int>(row.tunable)] =
          TunableListDefault(build, row.tunable);
    }
  }

  ParsedTunables Parse() {
    if (text_.empty()) return std::move(parsed_);
    if (build_.Has(Change::kIllFormedRejected)) {
      ParseStrict();
    } else {
      ParseLenient();
    }
    return std::move(parsed_);
  }

 private:
  // 2.26 to 2.38: from left to right; nothing is refused as a whole.
  void ParseLenient() {
    // Where the loader writes a NUL into the variable.
    std::string cut(text_);
    size_t hwcaps_end = std::string::npos;
    size_t position = 0;
    bool second_look = false;
    while (true) {
      const size_t name_end = text_.find_first_of("=:", position);
      if (name_end == absl::string_view::npos) {
        if (!second_look && position < text_.size()) {
          AddNoValue(text_.substr(position));
        }
        break;
      }
      if (text_[name_end] == ':') {
        if (name_end > position) {
          AddNoValue(text_.substr(position, name_end - position));
        }
        position = name_end + 1;
        continue;
      }
      const absl::string_view name =
          text_.substr(position, name_end - position);
      const size_t value_begin = name_end + 1;
      size_t value_end = text_.find(':', value_begin);
      const bool last = value_end == absl::string_view::npos;
      if (last) value_end = text_.size();

      TunableAssignment item =
          MakeItem(name, text_.substr(value_begin, value_end - value_begin));
      item.second_look = second_look;
      if (item.outcome == AssignmentOutcome::kSet) {
        Set(item);
        if (item.tunable == Tunable::kHwcaps) hwcaps_end = value_end;
      }
      if (item.tunable.has_value() ||
          item.outcome == AssignmentOutcome::kOtherTunable) {
        if (value_end < cut.size()) cut[value_end] = '\0';
      }
      parsed_.assignments.push_back(std::move(item));

      if (!last) {
        position = value_end + 1;
      } else if (build_.Has(Change::kParserLooksAgain) &&
                 !build_.Has(Change::kParserEnds)) {
        position = value_begin;
        second_look = true;
      } else {
        break;
      }
    }
    if (hwcaps_end != std::string::npos && hwcaps_end < cut.size()) {
      parsed_.behind_hwcaps = cut.substr(hwcaps_end + 1);
    }
  }

  // 2.39 and later: first the form of the whole, then the values.
  void ParseStrict() {
    size_t position = 0;
    while (true) {
      const size_t name_end = text_.find_first_of("=:", position);
      if (name_end == absl::string_view::npos) {
        if (position < text_.size()) AddNoValue(text_.substr(position));
        return Reject();
      }
      if (text_[name_end] == ':') {
        if (name_end > position) {
          AddNoValue(text_.substr(position, name_end - position));
        }
        position = name_end + 1;
        continue;
      }
      const size_t value_begin = name_end + 1;
      size_t value_end = text_.find_first_of("=:", value_begin);
      const bool last = value_end == absl::string_view::npos;
      if (last) value_end = text_.size();
      parsed_.assignments.push_back(
          MakeItem(text_.substr(position, name_end - position),
                   text_.substr(value_begin, value_end - value_begin)));
      if (last) break;
      if (text_[value_end] == '=') return Reject();
      position = value_end;
    }
    if (build_.Has(Change::kLastDuplicate)) MarkSuperseded();
    if (build_.Has(Change::kEnableSecureTunable) && SecureRequested()) return;
    InitializeAll();
  }

  void MarkSuperseded() {
    auto& items = parsed_.assignments;
    for (size_t i = 0; i < items.size(); ++i) {
      for (size_t later = i + 1; later < items.size(); ++later) {
        if (items[i].outcome != AssignmentOutcome::kNoValue &&
            items[i].outcome != AssignmentOutcome::kUnknownName &&
            items[later].outcome != AssignmentOutcome::kNoValue &&
            items[later].name == items[i].name) {
          items[i].outcome = AssignmentOutcome::kSuperseded;
        }
      }
    }
  }

  bool SecureRequested() {
    for (const TunableAssignment& item : parsed_.assignments) {
      if (item.name != kEnableSecure ||
          item.outcome != AssignmentOutcome::kOtherTunable) {
        continue;
      }
      const ParsedNumber number = ParseTunableNumber(item.value);
      if (number.length != item.value.size()) {
        Warn(item);
      } else if (number.value == 1) {
        for (TunableAssignment& other : parsed_.assignments) {
          if (other.outcome == AssignmentOutcome::kSet) {
            other.outcome = AssignmentOutcome::kSecureOnly;
          }
        }
        return true;
      }
    }
    return false;
  }

  // In the order of the items, or of the list where it is sorted.
  void InitializeAll() {
    std::vector<const TunableAssignment*> items;
    for (const TunableAssignment& item : parsed_.assignments) {
      items.push_back(&item);
    }
    if (build_.Has(Change::kSortedListing)) {
      std::stable_sort(
          items.begin(), items.end(),
          [](const TunableAssignment* left, const TunableAssignment* right) {
            return left->name < right->name;
          });
    }
    for (const TunableAssignment* item : items) {
      if (item->outcome == AssignmentOutcome::kSet) {
        Set(*item);
      } else if (item->outcome == AssignmentOutcome::kNotANumber ||
                 (item->outcome == AssignmentOutcome::kOtherTunable &&
                  item->trailing_garbage)) {
        Warn(*item);
      }
    }
  }

  // Says what the item is; nothing is set yet.
  TunableAssignment MakeItem(absl::string_view name, absl::string_view value) {
    TunableAssignment item;
    item.name = std::string(name);
    item.value = std::string(value);
    item.tunable = FindTunable(build_, name);
    if (!item.tunable.has_value()) {
      item.outcome = AssignmentOutcome::kUnknownName;
      if (IsOtherTunable(build_, name)) {
        // All of them are numbers.
        item.outcome = AssignmentOutcome::kOtherTunable;
        ReadNumber(item);
      }
      return item;
    }
    item.outcome = AssignmentOutcome::kSet;
    const TunableRow& row = TunableRowOf(*item.tunable);
    if (row.type == TunableType::kString) return item;

    ReadNumber(item);
    if (item.trailing_garbage && build_.Has(Change::kWholeNumber)) {
      item.outcome = AssignmentOutcome::kNotANumber;
    } else if (!InRange(row, item.number)) {
      item.outcome = AssignmentOutcome::kOutOfRange;
    }
    return item;
  }

  static void ReadNumber(TunableAssignment& item) {
    const ParsedNumber number = ParseTunableNumber(item.value);
    item.number = number.value;
    item.trailing_garbage = number.length != item.value.size();
  }

  bool InRange(const TunableRow& row, uint64_t& number) const {
    if (row.type != TunableType::kInt32) {
      return number >= row.minimum && number <= row.maximum;
    }
    if (build_.Has(Change::kWholeNumber)) {
      number = static_cast<uint64_t>(
          static_cast<int64_t>(static_cast<int32_t>(number)));
    }
    return Signed(number) >= Signed(row.minimum) &&
           Signed(number) <= Signed(row.maximum);
  }

  void Set(const TunableAssignment& item) {
    const int index = static_cast<int>(*item.tunable);
    parsed_.is_set[index] = true;
    parsed_.numbers[index] = item.number;
    if (item.tunable == Tunable::kHwcaps) parsed_.hwcaps = item.value;
  }

  void AddNoValue(absl::string_view text) {
    TunableAssignment item;
    item.name = std::string(text);
    item.outcome = AssignmentOutcome::kNoValue;
    parsed_.assignments.push_back(std::move(item));
  }

  void Reject() {
    for (TunableAssignment& item : parsed_.assignments) {
      item.outcome = AssignmentOutcome::kRejected;
    }
    parsed_.warnings.push_back(absl::StrCat(
        "WARNING: ld.so: invalid GLIBC_TUNABLES `", text_, "': ignored."));
  }

  void Warn(const TunableAssignment& item) {
    parsed_.warnings.push_back(
        absl::StrCat("WARNING: ld.so: invalid GLIBC_TUNABLES value `",
                     item.value, "' for option `", item.name, "': ignored."));
  }

  const absl::string_view text_;
  const GlibcBuild& build_;
  ParsedTunables parsed_;
};

int DigitValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

}  // namespace

absl::Span<const TunableRow> AllTunables() { return kTunables; }

const TunableRow& TunableRowOf(Tunable tunable) {
  return kTunables[static_cast<int>(tunable)];
}

absl::Span<const OtherTunableRow> AllOtherTunables() { return kOtherTunables; }

absl::Span<const OtherTunableBackport> AllOtherTunableBackports() {
  return kOtherBackports;
}

const OtherTunableBackport* FindOtherTunableBackport(const GlibcBuild& build,
                                                     absl::string_view name) {
  for (const OtherTunableBackport& row : kOtherBackports) {
    if (row.name == name && row.release == build.release() &&
        row.date <= build.branch_date()) {
      return &row;
    }
  }
  return nullptr;
}

bool HasTunable(const GlibcBuild& build, Tunable tunable) {
  const TunableRow& row = TunableRowOf(tunable);
  return (!row.since.has_value() || build.Has(*row.since)) &&
         (!row.until.has_value() || !build.Has(*row.until));
}

std::string TunableName(const GlibcBuild& build, Tunable tunable) {
  return absl::StrCat(build.tunable_namespace(), TunableRowOf(tunable).name);
}

uint64_t TunableListDefault(const GlibcBuild& build, Tunable tunable) {
  if (tunable == Tunable::kX86RepMovsbThreshold &&
      !build.Has(Change::kNoMovsbListDefault)) {
    return 2048;
  }
  return TunableRowOf(tunable).list_default;
}

ParsedTunables ParseTunables(absl::string_view text, const GlibcBuild& build) {
  return Parser(text, build).Parse();
}

ParsedNumber ParseTunableNumber(absl::string_view text) {
  // A NUL ends the text, so one past the end is none of the characters below.
  const auto at = [text](size_t i) { return i < text.size() ? text[i] : '\0'; };
  size_t i = 0;
  while (at(i) == ' ' || at(i) == '\t') ++i;
  const bool negative = at(i) == '-';
  if (negative || at(i) == '+') ++i;
  if (at(i) < '0' || at(i) > '9') return {0, i};

  uint64_t base = 10;
  if (at(i) == '0') {
    base = 8;
    if (at(i + 1) == 'x' || at(i + 1) == 'X') {
      base = 16;
      i += 2;
    }
  }
  uint64_t value = 0;
  for (; static_cast<uint64_t>(DigitValue(at(i))) < base; ++i) {
    const uint64_t digit = DigitValue(at(i));
    if (value > (kMax - digit) / base) return {kMax, i};
    value = value * base + digit;
  }
  return {negative ? uint64_t{0} - value : value, i};
}

}  // namespace advisor
