// Answers of the CPUID instruction, from this processor or from a dump. All
// decoding reads a CpuidSource; nothing but the native source executes CPUID.

#ifndef ADVISOR_CPU_CPUID_SOURCE_H_
#define ADVISOR_CPU_CPUID_SOURCE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace advisor {

struct CpuidRegisters {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
  uint32_t edx = 0;

  bool operator==(const CpuidRegisters& other) const {
    return eax == other.eax && ebx == other.ebx && ecx == other.ecx &&
           edx == other.edx;
  }
  bool operator!=(const CpuidRegisters& other) const {
    return !(*this == other);
  }
};

// What goes into EAX and ECX before the instruction.
struct CpuidInput {
  uint32_t leaf = 0;
  uint32_t subleaf = 0;

  bool operator<(const CpuidInput& other) const {
    return std::tie(leaf, subleaf) < std::tie(other.leaf, other.subleaf);
  }
};

class CpuidSource {
 public:
  virtual ~CpuidSource() = default;

  // The answer for one logical CPU. nullopt: this source does not tell (a dump
  // has no such line), which is another fact than four zero registers.
  virtual std::optional<CpuidRegisters> Query(uint32_t leaf,
                                              uint32_t subleaf = 0) const = 0;

  // XCR0, as XGETBV(0) gives it. nullopt where the source does not tell or the
  // CPU has no OSXSAVE.
  virtual std::optional<uint64_t> Xcr0() const = 0;

  // What a program that executes the instruction sees: an unknown answer is
  // four zeros there, as KVM and AMD processors give for a leaf they lack.
  CpuidRegisters Execute(uint32_t leaf, uint32_t subleaf = 0) const {
    return Query(leaf, subleaf).value_or(CpuidRegisters{});
  }
};

// True when the answer of `leaf` depends on ECX (Intel SDM volume 2A, CPUID;
// AMD APM volume 3, appendix E).
bool LeafHasSubleaves(uint32_t leaf);

// The answers of one logical CPU as a table.
class CpuidTable : public CpuidSource {
 public:
  // Where a leaf has no subleaves, its answer is that of subleaf 0 for every
  // subleaf.
  std::optional<CpuidRegisters> Query(uint32_t leaf,
                                      uint32_t subleaf = 0) const override;
  std::optional<uint64_t> Xcr0() const override { return xcr0_; }

  void Set(uint32_t leaf, uint32_t subleaf, CpuidRegisters registers) {
    entries_[{leaf, subleaf}] = registers;
  }
  void Remove(uint32_t leaf);
  void SetXcr0(std::optional<uint64_t> xcr0) { xcr0_ = xcr0; }

  const std::map<CpuidInput, CpuidRegisters>& entries() const {
    return entries_;
  }

 private:
  std::map<CpuidInput, CpuidRegisters> entries_;
  std::optional<uint64_t> xcr0_;
};

// Every leaf and subleaf of the CPU that this thread runs on, read at once (the
// thread stays on one CPU meanwhile).
CpuidTable ReadNativeCpuid();

}  // namespace advisor

#endif  // ADVISOR_CPU_CPUID_SOURCE_H_
