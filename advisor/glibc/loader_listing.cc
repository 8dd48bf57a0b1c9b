#include "advisor/glibc/loader_listing.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/loader_listing_processors.h"

namespace advisor {
namespace {

// The tunables that are read as numbers here; a line of one of these cannot be
// an odd string value.
const std::set<absl::string_view>& SizeNames() {
  static const auto* const kNames = new std::set<absl::string_view>{
      "glibc.cpu.x86_data_cache_size",
      "glibc.cpu.x86_memset_non_temporal_threshold",
      "glibc.cpu.x86_non_temporal_threshold",
      "glibc.cpu.x86_rep_movsb_threshold",
      "glibc.cpu.x86_rep_stosb_threshold",
      "glibc.cpu.x86_shared_cache_size",
  };
  return *kNames;
}

struct Line {
  int number = 0;
  absl::string_view text;
  // Ends with a newline.
  bool whole = true;
};

// The lines that say something, in order.
std::vector<Line> SplitLines(absl::string_view text) {
  std::vector<Line> lines;
  int number = 0;
  while (!text.empty()) {
    Line line;
    line.number = ++number;
    const size_t end = text.find('\n');
    line.whole = end != absl::string_view::npos;
    line.text = absl::StripSuffix(text.substr(0, end), "\r");
    text = line.whole ? text.substr(end + 1) : absl::string_view();
    if (!absl::StripAsciiWhitespace(line.text).empty() &&
        !absl::StartsWith(line.text, "#")) {
      lines.push_back(line);
    }
  }
  return lines;
}

absl::Status ParseError(absl::string_view name, int line,
                        absl::string_view expected, absl::string_view found) {
  constexpr size_t kShown = 60;
  return absl::InvalidArgumentError(
      absl::StrCat(name, ":", line, ": expected ", expected, ", found \"",
                   absl::CHexEscape(found.substr(0, kShown)),
                   found.size() > kShown ? "...\"" : "\""));
}

absl::Status NothingFound(absl::string_view name, absl::string_view expected,
                          const std::optional<std::string>& cut_line) {
  if (cut_line.has_value()) return ParseError(name, 1, expected, *cut_line);
  return absl::InvalidArgumentError(
      absl::StrCat(name, ":1: expected ", expected, ", found none"));
}

bool IsWarning(absl::string_view line) {
  return absl::StartsWith(line, "WARNING: ld.so: ");
}

// "glibc.cpu.hwcaps": three components or more.
bool IsTunableName(absl::string_view name) {
  int dots = 0;
  char before = '.';
  for (const char c : name) {
    if (c == '.') {
      if (before == '.') return false;
      ++dots;
    } else if (!absl::ascii_isalnum(c) && c != '_') {
      return false;
    }
    before = c;
  }
  return dots >= 2 && before != '.';
}

bool IsDiagnosticsKey(absl::string_view key) {
  return !key.empty() && absl::ascii_isalpha(key[0]) &&
         std::all_of(key.begin(), key.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("._[]", c);
         });
}

template <typename Number>
struct Range {
  Number value;
  Number min;
  Number max;
};

std::optional<int64_t> ParseDecimal(absl::string_view text) {
  const absl::string_view digits = absl::StripPrefix(text, "-");
  int64_t value;
  if (digits.empty() ||
      !std::all_of(digits.begin(), digits.end(), absl::ascii_isdigit) ||
      !absl::SimpleAtoi(text, &value)) {
    return std::nullopt;
  }
  return value;
}

// "V (min: A, max: B)".
template <typename Parser>
auto ParseRange(absl::string_view text, Parser parse)
    -> std::optional<Range<typename decltype(parse(text))::value_type>> {
  constexpr absl::string_view kMin = " (min: ";
  constexpr absl::string_view kMax = ", max: ";
  const size_t min = text.find(kMin);
  if (min == absl::string_view::npos || !absl::ConsumeSuffix(&text, ")")) {
    return std::nullopt;
  }
  const size_t max = text.find(kMax, min);
  if (max == absl::string_view::npos) return std::nullopt;
  const size_t min_digits = min + kMin.size();
  const auto value = parse(text.substr(0, min));
  const auto lowest = parse(text.substr(min_digits, max - min_digits));
  const auto highest = parse(text.substr(max + kMax.size()));
  if (!value || !lowest || !highest) return std::nullopt;
  return Range<typename decltype(parse(text))::value_type>{*value, *lowest,
                                                           *highest};
}

// The text after "NAME:". nullopt: it is a number that is not well formed.
std::optional<ListedTunable> ParseTunableValue(absl::string_view name,
                                               absl::string_view text) {
  if (const auto size =
          ParseRange(absl::StripPrefix(text, " "), ParseListedHex)) {
    return SizeTunable{size->value, size->min, size->max};
  }
  if (SizeNames().count(name) != 0) return std::nullopt;
  if (text.empty()) return StringTunable{std::nullopt};
  if (!absl::ConsumePrefix(&text, " ")) return std::nullopt;
  if (const auto number = ParseRange(text, ParseDecimal)) {
    return IntTunable{number->value, number->min, number->max};
  }
  if (absl::StrContains(text, "(min:")) return std::nullopt;
  return StringTunable{std::string(text)};
}

// A C string literal with octal escapes.
std::optional<std::string> ParseQuoted(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "\"")) return std::nullopt;
  std::string result;
  while (!text.empty() && text[0] != '"') {
    if (!absl::ConsumePrefix(&text, "\\")) {
      result.push_back(text[0]);
      text.remove_prefix(1);
      continue;
    }
    if (text.empty()) return std::nullopt;
    if (text[0] == '"' || text[0] == '\\') {
      result.push_back(text[0]);
      text.remove_prefix(1);
      continue;
    }
    const absl::string_view digits = text.substr(0, 3);
    if (digits.size() < 3 ||
        !std::all_of(digits.begin(), digits.end(),
                     [](char c) { return c >= '0' && c <= '7'; })) {
      return std::nullopt;
    }
    // glibc's first digit has three bits ("\773"), for its char is signed.
    result.push_back(static_cast<char>(
        (digits[0] - '0') << 6 | (digits[1] - '0') << 3 | (digits[2] - '0')));
    text.remove_prefix(3);
  }
  if (text != "\"") return std::nullopt;
  return result;
}

// "features[0x1].cpuid[0x3]" (the prefix x86.cpu_features. taken away).
bool AddFeatureWord(absl::string_view key, uint32_t value,
                    DiagnosticsListing* listing) {
  const std::optional<uint32_t> index = ConsumeIndex("features", &key);
  if (!index.has_value()) return false;
  bool is_cpuid = true;
  std::optional<uint32_t> word = ConsumeIndex(".cpuid", &key);
  if (!word.has_value()) {
    is_cpuid = false;
    word = ConsumeIndex(".active", &key);
    if (!word.has_value()) word = ConsumeIndex(".usable", &key);
  }
  if (!word.has_value() || *word > 3 || !key.empty()) return false;
  FeatureWords& words = listing->features[*index];
  (is_cpuid ? words.cpuid : words.active)[*word] = value;
  return true;
}

// A line of x86.cpu_features. False: no such key, or the value is too large.
bool AddCpuFeature(absl::string_view key, uint64_t value,
                   DiagnosticsListing* listing) {
  const bool is_word = value <= ~uint32_t{0};
  if (absl::StartsWith(key, "features")) {
    return is_word && AddFeatureWord(key, value, listing);
  }
  if (absl::ConsumePrefix(&key, "preferred.")) {
    listing->preferred[std::string(key)] = value == 1;
    return value <= 1;
  }
  if (!absl::ConsumePrefix(&key, "basic.")) {
    listing->x86[std::string(key)] = value;
    return !absl::StrContains(key, '[');
  }
  const std::pair<absl::string_view, std::optional<uint32_t>*> kBasic[] = {
      {"kind", &listing->kind},         {"max_cpuid", &listing->max_cpuid},
      {"family", &listing->family},     {"model", &listing->model},
      {"stepping", &listing->stepping},
  };
  for (const auto& [name, field] : kBasic) {
    if (key != name) continue;
    *field = static_cast<uint32_t>(value);
    return is_word;
  }
  return false;
}

absl::Status AddDiagnosticsLine(const Line& line, absl::string_view name,
                                std::set<absl::string_view>* keys,
                                ProcessorLines* processors,
                                DiagnosticsListing* listing) {
  const size_t equals = line.text.find('=');
  const absl::string_view key = line.text.substr(0, equals);
  if (equals == absl::string_view::npos || !IsDiagnosticsKey(key)) {
    return ParseError(name, line.number,
                      "\"key=value\" as ld.so --list-diagnostics prints it",
                      line.text);
  }
  if (!keys->insert(key).second) {
    return ParseError(name, line.number, "each key once", line.text);
  }
  const absl::string_view text = line.text.substr(equals + 1);
  const std::optional<uint64_t> number = ParseListedHex(text);
  absl::string_view rest = key;
  const bool is_feature = absl::ConsumePrefix(&rest, "x86.cpu_features.");
  const bool is_processor =
      !is_feature && absl::ConsumePrefix(&rest, "x86.processor");
  if (!is_feature && !is_processor) {
    if (number.has_value()) {
      listing->other[std::string(key)] = *number;
      return absl::OkStatus();
    }
    const std::optional<std::string> quoted = ParseQuoted(text);
    if (!quoted.has_value()) {
      return ParseError(name, line.number,
                        "0x and hexadecimal digits or a quoted string", text);
    }
    listing->other[std::string(key)] = *quoted;
    return absl::OkStatus();
  }
  if (!number.has_value()) {
    return ParseError(name, line.number, "0x and hexadecimal digits", text);
  }
  if (!(is_feature ? AddCpuFeature(rest, *number, listing)
                   : processors->Add(rest, *number))) {
    return ParseError(name, line.number,
                      "a known x86 key and a value that fits", line.text);
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<uint64_t> TunablesListing::Size(absl::string_view name) const {
  const auto entry = tunables.find(std::string(name));
  if (entry == tunables.end()) return std::nullopt;
  const auto* const size = std::get_if<SizeTunable>(&entry->second);
  if (size == nullptr) return std::nullopt;
  return size->value;
}

std::optional<uint64_t> DiagnosticsListing::X86(absl::string_view name) const {
  const auto entry = x86.find(std::string(name));
  if (entry == x86.end()) return std::nullopt;
  return entry->second;
}

std::optional<std::string> DiagnosticsListing::Text(
    absl::string_view key) const {
  const auto entry = other.find(std::string(key));
  if (entry == other.end()) return std::nullopt;
  const auto* const text = std::get_if<std::string>(&entry->second);
  if (text == nullptr) return std::nullopt;
  return *text;
}

absl::StatusOr<TunablesListing> ParseTunablesListing(absl::string_view text,
                                                     absl::string_view name) {
  TunablesListing listing;
  for (const Line& line : SplitLines(text)) {
    if (IsWarning(line.text)) {
      listing.warnings.emplace_back(line.text);
      continue;
    }
    // Only a range shows its own end.
    if (!line.whole && !absl::EndsWith(line.text, ")")) {
      listing.cut_line = std::string(line.text);
      continue;
    }
    const size_t colon = line.text.find(':');
    const absl::string_view tunable = line.text.substr(0, colon);
    if (colon == absl::string_view::npos || !IsTunableName(tunable)) {
      return ParseError(name, line.number,
                        "\"NAME: value\" as ld.so --list-tunables prints it",
                        line.text);
    }
    const std::optional<ListedTunable> value =
        ParseTunableValue(tunable, line.text.substr(colon + 1));
    if (!value.has_value()) {
      return ParseError(name, line.number,
                        "\"NAME: 0x... (min: 0x..., max: 0x...)\"", line.text);
    }
    if (!listing.tunables.emplace(std::string(tunable), *value).second) {
      return ParseError(name, line.number, "each tunable once", line.text);
    }
  }
  if (listing.tunables.empty()) {
    return NothingFound(name, "tunables as ld.so --list-tunables prints them",
                        listing.cut_line);
  }
  return listing;
}

absl::StatusOr<DiagnosticsListing> ParseDiagnosticsListing(
    absl::string_view text, absl::string_view name) {
  DiagnosticsListing listing;
  ProcessorLines processors;
  std::set<absl::string_view> keys;
  for (const Line& line : SplitLines(text)) {
    if (IsWarning(line.text)) {
      listing.warnings.emplace_back(line.text);
      continue;
    }
    // A number may have lost digits, a string its second quote.
    if (!line.whole) {
      listing.cut_line = std::string(line.text);
      continue;
    }
    const absl::Status status =
        AddDiagnosticsLine(line, name, &keys, &processors, &listing);
    if (!status.ok()) return status;
  }
  if (keys.empty()) {
    return NothingFound(name, "lines as ld.so --list-diagnostics prints them",
                        listing.cut_line);
  }
  std::optional<std::vector<ListedProcessor>> built = processors.Build();
  if (!built.has_value()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ":1: expected at most ", ProcessorLines::kMaxAnswers,
                     " answers of CPUID for all processors, found more"));
  }
  listing.processors = *std::move(built);
  return listing;
}

bool EffectiveThresholds::operator==(const EffectiveThresholds& other) const {
  const auto fields = [](const EffectiveThresholds& t) {
    return std::tie(t.data_cache_size, t.shared_cache_size,
                    t.non_temporal_threshold, t.memset_non_temporal_threshold,
                    t.rep_movsb_threshold, t.rep_movsb_stop_threshold,
                    t.rep_stosb_threshold);
  };
  return fields(*this) == fields(other);
}

EffectiveThresholds ThresholdsOf(const TunablesListing& listing) {
  EffectiveThresholds result;
  result.data_cache_size = listing.Size("glibc.cpu.x86_data_cache_size");
  result.shared_cache_size = listing.Size("glibc.cpu.x86_shared_cache_size");
  result.non_temporal_threshold =
      listing.Size("glibc.cpu.x86_non_temporal_threshold");
  result.memset_non_temporal_threshold =
      listing.Size("glibc.cpu.x86_memset_non_temporal_threshold");
  result.rep_movsb_threshold =
      listing.Size("glibc.cpu.x86_rep_movsb_threshold");
  result.rep_stosb_threshold =
      listing.Size("glibc.cpu.x86_rep_stosb_threshold");
  return result;
}

EffectiveThresholds ThresholdsOf(const DiagnosticsListing& listing) {
  EffectiveThresholds result;
  result.data_cache_size = listing.X86("data_cache_size");
  result.shared_cache_size = listing.X86("shared_cache_size");
  result.non_temporal_threshold = listing.X86("non_temporal_threshold");
  result.memset_non_temporal_threshold =
      listing.X86("memset_non_temporal_threshold");
  result.rep_movsb_threshold = listing.X86("rep_movsb_threshold");
  result.rep_movsb_stop_threshold = listing.X86("rep_movsb_stop_threshold");
  result.rep_stosb_threshold = listing.X86("rep_stosb_threshold");
  return result;
}

EffectiveThresholds ThresholdsOf(const DiagnosticsListing& diagnostics,
                                 const TunablesListing& tunables) {
  EffectiveThresholds result = ThresholdsOf(diagnostics);
  const EffectiveThresholds listed = ThresholdsOf(tunables);
  const auto fill = [&](std::optional<uint64_t> EffectiveThresholds::*field) {
    if (!(result.*field).has_value()) result.*field = listed.*field;
  };
  fill(&EffectiveThresholds::data_cache_size);
  fill(&EffectiveThresholds::shared_cache_size);
  fill(&EffectiveThresholds::non_temporal_threshold);
  fill(&EffectiveThresholds::memset_non_temporal_threshold);
  fill(&EffectiveThresholds::rep_movsb_threshold);
  fill(&EffectiveThresholds::rep_stosb_threshold);
  return result;
}

}  // namespace advisor
