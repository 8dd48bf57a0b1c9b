// Text dumps of CPUID, in the format of `cpuid -r` (one CPU or all):
//
//   # xcr0: 0x00000000000000e7
//   CPU 0:
//      0x00000004 0x00: eax=0x1c004121 ebx=0x01c0003f ecx=0x0000003f edx=...
//
// Lines that start with '#' are comments; "# key: value" among them are kept.

#ifndef ADVISOR_CPU_CPUID_DUMP_H_
#define ADVISOR_CPU_CPUID_DUMP_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"

namespace advisor {

struct CpuidDump {
  // At least one; in the order of the file.
  std::vector<CpuidTable> cpus;
  // The "# key: value" lines of the head ("machine", "role", "xcr0", ...).
  std::map<std::string, std::string> notes;
};

// `name` stands in errors: "NAME:LINE: expected ..., found ...". A file that
// was cut is an error even at a line's end, as far as the highest leaves tell:
// a leaf that is missing would otherwise be taken for one the CPU lacks.
//
// XCR0 comes from the comment of that name, in the head or among the lines of
// one CPU; without it, from leaf 0xD subleaf 0 (the states that the CPU could
// enable), if OSXSAVE is set.
absl::StatusOr<CpuidDump> ParseCpuidDump(absl::string_view text,
                                         absl::string_view name);

// The same format, such that ParseCpuidDump gives an equal dump.
std::string FormatCpuidDump(const CpuidDump& dump);

// For readers of other formats that hold the same answers.

// XCR0 as leaf 0xD subleaf 0 allows it (the states that the CPU could enable);
// nullopt without that leaf or with OSXSAVE clear.
std::optional<uint64_t> Xcr0FromLeafD(const CpuidSource& cpu);

// Why a CPU's leaves, of which `last_leaf` stood last, look cut.
struct CpuidDumpGap {
  std::string expected;
  std::string found;
};
std::optional<CpuidDumpGap> FindCpuidDumpGap(const CpuidSource& cpu,
                                             uint32_t last_leaf);

}  // namespace advisor

#endif  // ADVISOR_CPU_CPUID_DUMP_H_
