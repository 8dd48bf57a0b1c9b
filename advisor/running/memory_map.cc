#include "advisor/running/memory_map.h"

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace advisor {
namespace {

struct Mapping {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t offset = 0;
  absl::string_view rights;
  absl::string_view path;
};

// "7f00-7f10 r--p 00000000 fe:00 1234   /usr/lib/x.so"
std::optional<Mapping> ParseLine(absl::string_view line) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::MaxSplits(' ', 5));
  if (words.size() < 5) return std::nullopt;
  const std::vector<absl::string_view> range = absl::StrSplit(words[0], '-');
  Mapping mapping;
  if (range.size() != 2 || !absl::SimpleHexAtoi(range[0], &mapping.begin) ||
      !absl::SimpleHexAtoi(range[1], &mapping.end) ||
      !absl::SimpleHexAtoi(words[2], &mapping.offset) || words[1].size() < 4 ||
      mapping.begin >= mapping.end) {
    return std::nullopt;
  }
  mapping.rights = words[1];
  if (words.size() == 6) {
    mapping.path = absl::StripLeadingAsciiWhitespace(words[5]);
  }
  return mapping;
}

}  // namespace

std::vector<MemoryModule> ParseMemoryMap(absl::string_view text) {
  std::vector<MemoryModule> modules;
  MemoryModule current;
  bool has_code = false;
  uint64_t end = 0;
  const auto close = [&] {
    if (has_code) modules.push_back(std::move(current));
    current = MemoryModule();
    has_code = false;
  };
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::optional<Mapping> mapping = ParseLine(line);
    if (!mapping.has_value()) continue;
    absl::string_view path = mapping->path;
    const bool is_deleted = absl::ConsumeSuffix(&path, " (deleted)");
    // The kernel lists them by address.
    if (mapping->begin < end) continue;
    const bool continues =
        !current.path.empty() &&
        (path == current.path ? mapping->offset != 0
                              : path.empty() && mapping->begin == end);
    if (!continues) {
      close();
      if (path.empty() || path[0] != '/' || mapping->offset != 0) continue;
      current.path = std::string(path);
      current.is_deleted = is_deleted;
      current.base = mapping->begin;
    }
    end = mapping->end;
    const bool executes = mapping->rights[2] == 'x';
    has_code |= executes;
    if (has_code && !executes && mapping->rights[0] == 'r') {
      current.data.push_back({mapping->begin, mapping->end});
    }
  }
  close();
  return modules;
}

}  // namespace advisor
