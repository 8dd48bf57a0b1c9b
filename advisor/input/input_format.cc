#include "advisor/input/input_format.h"

#include <vector>

#include "absl/strings/str_join.h"
#include "advisor/input/formats.h"

namespace advisor {
namespace {

// name, detector, parser. Whole dumps first, then by how much they tell.
constexpr InputFormat kRows[] = {
    {"cpuid -r", LooksLikeCpuidRaw, ParseCpuidRaw},
    {"InstLatx64", LooksLikeInstLatx64, ParseInstLatx64},
    {"ld.so --list-diagnostics", LooksLikeDiagnostics, ParseDiagnostics},
    {"libvirt CPUID XML", LooksLikeLibvirtXml, ParseLibvirtXml},
    {"Firecracker CPU template", LooksLikeFirecracker, ParseFirecracker},
    {"/proc/cpuinfo", LooksLikeProcCpuinfo, ParseProcCpuinfo},
    {"lscpu", LooksLikeLscpu, ParseLscpu},
    {"lscpu -J", LooksLikeLscpuJson, ParseLscpuJson},
    {"ld.so --list-tunables", LooksLikeTunables, ParseTunablesList},
};

}  // namespace

absl::Span<const InputFormat> InputFormats() { return kRows; }

const InputFormat* DetectInputFormat(absl::string_view text) {
  const absl::string_view front = text.substr(0, kDetectionBytes);
  for (const InputFormat& row : kRows) {
    if (row.looks_like(front)) return &row;
  }
  return nullptr;
}

std::string InputFormatNames() {
  std::vector<absl::string_view> names;
  for (const InputFormat& row : kRows) names.push_back(row.name);
  return absl::StrJoin(names, ", ");
}

}  // namespace advisor
