// Which fields of CPUID make a guest's glibc differ from its host's.

#ifndef ADVISOR_EVIDENCE_CPUID_DIFFERENCE_H_
#define ADVISOR_EVIDENCE_CPUID_DIFFERENCE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/evidence/guest_configuration.h"
#include "advisor/glibc/build.h"

namespace advisor {

// Bits of one register that a hypervisor sets together.
struct CpuidField {
  uint32_t leaf = 0;
  uint32_t subleaf = 0;
  int reg = 0;  // 0 EAX, 1 EBX, 2 ECX, 3 EDX
  uint32_t mask = 0xffffffff;
};

struct CpuidPart {
  // "HTT", "L3 size (leaf 4)".
  std::string name;
  // "1:0:EDX[28]", as in Step.
  std::string field;
  GuestSetting setting = GuestSetting::kFeatures;
  std::vector<CpuidField> fields;
  bool is_xcr0 = false;
};

// All that glibc reads for the memory functions, in parts.
const std::vector<CpuidPart>& AllCpuidParts();

bool PartDiffers(const CpuidPart& part, const CpuidTable& a,
                 const CpuidTable& b);
void CopyPart(const CpuidPart& part, const CpuidTable& from, CpuidTable* to);
// "0", "31", "0x01c0003f 0x0000003f": the registers' bits, shifted down.
std::string PartValue(const CpuidPart& part, const CpuidTable& cpu);

// One value that the two machines' glibc computes differently.
struct ValueDifference {
  // A column of PredictionCsvHeader, or "hangs".
  std::string value;
  std::string host;
  std::string guest;
  // The fewest parts of the host that, put into the guest's CPUID, restore the
  // host's value: found exactly up to two, above that a set from which nothing
  // can be left out.
  std::vector<const CpuidPart*> causes;
};

std::vector<ValueDifference> CompareMachines(const CpuidTable& host,
                                             const CpuidTable& guest,
                                             const GlibcBuild& build,
                                             absl::string_view glibc_tunables);

}  // namespace advisor

#endif  // ADVISOR_EVIDENCE_CPUID_DIFFERENCE_H_
