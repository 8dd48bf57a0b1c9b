// Text dumps of CPUID, in the format of `cpuid -r` (one CPU or all):
//
//   # xcr0: 0x00000000000000e7
//   CPU 0:
//      0x00000004 0x00: eax=0x1c004121 ebx=0x01c0003f ecx=0x0000003f edx=...
//
// Lines that start with '#' are comments; "# key: value" among them are kept.

#ifndef ADVISOR_CPU_CPUID_DUMP_H_
#define ADVISOR_CPU_CPUID_DUMP_H_

#include <map>
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

}  // namespace advisor

#endif  // ADVISOR_CPU_CPUID_DUMP_H_
