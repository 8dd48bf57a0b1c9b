// Detectors and parsers of the rows of input_format.cc, one file each.

#ifndef ADVISOR_INPUT_FORMATS_H_
#define ADVISOR_INPUT_FORMATS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/input/machine_input.h"

namespace advisor {

// cpuid_raw.cc
bool LooksLikeCpuidRaw(absl::string_view front);
absl::StatusOr<MachineInput> ParseCpuidRaw(absl::string_view text,
                                           absl::string_view name);
// inst_latx64.cc
bool LooksLikeInstLatx64(absl::string_view front);
absl::StatusOr<MachineInput> ParseInstLatx64(absl::string_view text,
                                             absl::string_view name);
// loader_listings.cc
bool LooksLikeDiagnostics(absl::string_view front);
absl::StatusOr<MachineInput> ParseDiagnostics(absl::string_view text,
                                              absl::string_view name);
bool LooksLikeTunables(absl::string_view front);
absl::StatusOr<MachineInput> ParseTunablesList(absl::string_view text,
                                               absl::string_view name);
// libvirt_xml.cc
bool LooksLikeLibvirtXml(absl::string_view front);
absl::StatusOr<MachineInput> ParseLibvirtXml(absl::string_view text,
                                             absl::string_view name);
// firecracker.cc
bool LooksLikeFirecracker(absl::string_view front);
absl::StatusOr<MachineInput> ParseFirecracker(absl::string_view text,
                                              absl::string_view name);
// proc_cpuinfo.cc
bool LooksLikeProcCpuinfo(absl::string_view front);
absl::StatusOr<MachineInput> ParseProcCpuinfo(absl::string_view text,
                                              absl::string_view name);
// lscpu.cc
bool LooksLikeLscpu(absl::string_view front);
absl::StatusOr<MachineInput> ParseLscpu(absl::string_view text,
                                        absl::string_view name);
bool LooksLikeLscpuJson(absl::string_view front);
absl::StatusOr<MachineInput> ParseLscpuJson(absl::string_view text,
                                            absl::string_view name);

}  // namespace advisor

#endif  // ADVISOR_INPUT_FORMATS_H_
