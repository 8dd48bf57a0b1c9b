#include "advisor/render/layout.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"

namespace advisor {
namespace {

struct Unit {
  uint64_t bytes;
  absl::string_view name;
};

constexpr Unit kUnits[] = {{uint64_t{1} << 40, "TiB"},
                           {uint64_t{1} << 30, "GiB"},
                           {uint64_t{1} << 20, "MiB"},
                           {uint64_t{1} << 10, "KiB"}};

}  // namespace

std::string FormatBytes(uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) {
      return absl::StrCat(bytes / unit.bytes, " ", unit.name);
    }
  }
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.bytes && bytes >= uint64_t{1} << 20) {
      return absl::StrFormat("%d bytes (%.3g %s)", bytes,
                             static_cast<double>(bytes) / unit.bytes,
                             unit.name);
    }
  }
  return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
}

std::string FormatBytesRoughly(double bytes) {
  for (const Unit& unit : kUnits) {
    // 1023.6 would round to 1024 of the unit below.
    if (bytes >= 0.9995 * unit.bytes) {
      return absl::StrFormat("%.3g %s", bytes / unit.bytes, unit.name);
    }
  }
  return absl::StrFormat("%.3g bytes", bytes);
}

std::string FormatPercent(double share) {
  const double percent = share * 100;
  // Neither "7e-06%" nor "1e+02%".
  if (percent > 0 && percent < 0.01) return "under 0.01%";
  if (percent >= 10) return absl::StrFormat("%.0f%%", percent);
  return absl::StrFormat("%.2g%%", percent);
}

std::string WrapText(absl::string_view text, size_t indent, size_t columns) {
  const std::string new_line = "\n" + std::string(indent, ' ');
  std::string result;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.data() != text.data()) absl::StrAppend(&result, new_line);
    size_t column = indent;
    for (const absl::string_view word : absl::StrSplit(line, ' ')) {
      if (column > indent && column + 1 + word.size() > columns) {
        absl::StrAppend(&result, new_line);
        column = indent;
      } else if (word.data() != line.data()) {
        result.push_back(' ');
        ++column;
      }
      absl::StrAppend(&result, word);
      column += word.size();
    }
  }
  return result;
}

std::string WithoutControlCharacters(absl::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (absl::ascii_iscntrl(c) && c != '\n') c = '?';
  }
  return result;
}

}  // namespace advisor
