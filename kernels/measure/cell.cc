#include "kernels/measure/cell.h"

#include <array>
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace kernels {
namespace {

constexpr std::array<absl::string_view, 7> kAlignmentNames = {
    "aligned",       "misaligned-destination", "misaligned-both",
    "page-aliasing", "overlap-forward",        "overlap-backward",
    "short-distance"};
constexpr std::array<absl::string_view, 3> kRegimeNames = {"hot", "rotating",
                                                           "read-back"};

template <typename Enum, size_t kCount>
bool ParseName(absl::string_view name,
               const std::array<absl::string_view, kCount>& names,
               Enum& value) {
  for (size_t i = 0; i < kCount; ++i) {
    if (names[i] != name) continue;
    value = static_cast<Enum>(i);
    return true;
  }
  return false;
}

}  // namespace

absl::string_view AlignmentName(Alignment alignment) {
  return kAlignmentNames[static_cast<size_t>(alignment)];
}

absl::string_view RegimeName(Regime regime) {
  return kRegimeNames[static_cast<size_t>(regime)];
}

std::string CellName(const Cell& cell) {
  return absl::StrCat(cell.is_memset ? "memset" : "memcpy", "/", cell.size, "/",
                      AlignmentName(cell.alignment), "/",
                      RegimeName(cell.regime), "/", cell.copiers);
}

absl::StatusOr<Cell> ParseCell(absl::string_view name) {
  const std::vector<absl::string_view> parts = absl::StrSplit(name, '/');
  Cell cell;
  const bool good =
      parts.size() == 5 && (parts[0] == "memcpy" || parts[0] == "memset") &&
      absl::SimpleAtoi(parts[1], &cell.size) && cell.size > 0 &&
      ParseName(parts[2], kAlignmentNames, cell.alignment) &&
      ParseName(parts[3], kRegimeNames, cell.regime) &&
      absl::SimpleAtoi(parts[4], &cell.copiers) && cell.copiers > 0;
  if (!good) {
    return absl::InvalidArgumentError(absl::StrCat(
        "expected FUNCTION/SIZE/ALIGNMENT/REGIME/COPIERS, found '", name, "'"));
  }
  cell.is_memset = parts[0] == "memset";
  return cell;
}

}  // namespace kernels
