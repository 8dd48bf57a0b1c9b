#include "advisor/flags.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "advisor/suggestion.h"

namespace advisor {
namespace {

const FlagRow* Find(absl::Span<const FlagRow> rows, absl::string_view name) {
  const auto row = absl::c_find_if(
      rows, [name](const FlagRow& row) { return row.name == name; });
  return row == rows.end() ? nullptr : &*row;
}

absl::Status UnknownFlag(absl::string_view word, absl::string_view name,
                         absl::Span<const FlagRow> rows) {
  std::vector<absl::string_view> names;
  for (const FlagRow& row : rows) names.push_back(row.name);
  return absl::InvalidArgumentError(absl::StrCat(
      "unknown flag ", word.substr(0, word.find('=')),
      absl::StrReplaceAll(Suggestion(name, names),
                          {{"did you mean ", "did you mean --"}})));
}

absl::Status CheckValue(const FlagRow& flag, absl::string_view value) {
  if (value.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", flag.name, " needs a value: --", flag.name, "=", flag.value));
  }
  const std::vector<absl::string_view> choices = Choices(flag);
  if (choices.empty() || absl::c_linear_search(choices, value)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag.name, ": expected ", flag.value, ", found \"",
                   value, "\"", Suggestion(value, choices)));
}

}  // namespace

std::vector<absl::string_view> Choices(const FlagRow& flag) {
  if (!absl::StrContains(flag.value, '|') ||
      absl::c_any_of(flag.value, absl::ascii_isupper)) {
    return {};
  }
  return absl::StrSplit(flag.value, '|');
}

absl::StatusOr<Flags> Flags::Parse(absl::Span<const std::string> words,
                                   absl::Span<const FlagRow> rows) {
  Flags result;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") {
      result.arguments_.insert(result.arguments_.end(), word + 1, words.end());
      break;
    }
    if (!absl::StartsWith(*word, "-") || *word == "-") {
      result.arguments_.push_back(*word);
      ++result.plain_arguments_;
      continue;
    }
    absl::string_view rest = *word;
    rest.remove_prefix(std::min(rest.find_first_not_of('-'), rest.size()));
    const size_t equals = rest.find('=');
    const absl::string_view name = rest.substr(0, equals);
    const FlagRow* const flag = Find(rows, name);
    if (flag == nullptr || !absl::StartsWith(*word, absl::StrCat("--", name))) {
      return UnknownFlag(*word, name, rows);
    }
    std::string value;
    if (equals != absl::string_view::npos) {
      if (flag->value.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", name, " takes no value"));
      }
      value = std::string(rest.substr(equals + 1));
    } else if (!flag->value.empty() && word + 1 != words.end() &&
               !absl::StartsWith(*(word + 1), "--")) {
      value = *++word;
    }
    if (!flag->value.empty()) {
      if (absl::Status status = CheckValue(*flag, value); !status.ok()) {
        return status;
      }
    }
    std::vector<std::string>& values = result.values_[std::string(name)];
    if (!values.empty() && !flag->repeated) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", name, " is given twice"));
    }
    values.push_back(std::move(value));
  }
  return result;
}

std::optional<std::string> Flags::Get(absl::string_view name) const {
  const auto values = values_.find(std::string(name));
  if (values == values_.end()) return std::nullopt;
  return values->second.back();
}

std::vector<std::string> Flags::GetAll(absl::string_view name) const {
  const auto values = values_.find(std::string(name));
  return values == values_.end() ? std::vector<std::string>() : values->second;
}

}  // namespace advisor
