// What any CPUID answers make of the thresholds. An input is a build, a length
// and a GLIBC_TUNABLES string of it, and leaves: four bytes that choose leaf
// and subleaf, then the registers.

#include <cstring>
#include <string>

#include "absl/strings/string_view.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/cpuid_source.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/prediction.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr CpuidRegisters kVendors[] = {
    // "GenuineIntel", "AuthenticAMD", "  Shanghai  ", "HygonGenuine", none.
    {0x1f, 0x756e6547, 0x6c65746e, 0x49656e69},
    {0x10, 0x68747541, 0x444d4163, 0x69746e65},
    {0x1f, 0x68532020, 0x20206961, 0x68676e61},
    {0x10, 0x6f677948, 0x656e6975, 0x6e65476e},
    {},
};

CpuidTable ReadCpu(fuzzing::Choices& choices) {
  CpuidTable cpu;
  cpu.Set(0, 0, kVendors[choices.Below(5)]);
  cpu.Set(0x80000000, 0, {0x80000020, 0, 0, 0});
  if (choices.Below(2) == 1) cpu.SetXcr0(0xe7);
  absl::string_view rest = choices.Rest();
  constexpr size_t kBytes = 2 + sizeof(CpuidRegisters);
  for (; rest.size() >= kBytes; rest.remove_prefix(kBytes)) {
    const auto leaf = static_cast<unsigned char>(rest[0]);
    const auto subleaf = static_cast<unsigned char>(rest[1]);
    CpuidRegisters registers;
    std::memcpy(&registers, rest.data() + 2, sizeof registers);
    cpu.Set((leaf & 0x80 ? 0x80000000 : 0) | (leaf & 0x3f), subleaf & 0x7,
            registers);
  }
  return cpu;
}

void TestOne(fuzzing::Choices choices) {
  const absl::Span<const GlibcBuild> builds = UpstreamBuilds();
  const GlibcBuild& build = builds[choices.Below(builds.size())];
  const absl::string_view tunables = choices.Until('\0');
  const CpuidTable cpu = ReadCpu(choices);
  DecodeCpuModel(cpu);
  const Prediction prediction = Predict(cpu, build, tunables);
  if (!prediction.hangs) {
    fuzzing::Require(!prediction.memmove.empty() && !prediction.memset.empty(),
                     "a variant of each function");
  }
  // The reasoning changes nothing. (Half of the time goes into this.)
  if (choices.Rest().size() % 8 != 0) return;
  const Prediction silent = Predict(cpu, build, tunables, Reasoning::kOmitted);
  fuzzing::Require(
      FormatPredictionCsv("", prediction) == FormatPredictionCsv("", silent),
      "the same prediction without reasoning");
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Choices(fuzzing::Text(data, size)));
  return 0;
}
