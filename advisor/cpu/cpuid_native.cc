// CPUID of this processor. The only file that executes the instruction.

#include <cpuid.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>

#include "advisor/cpu/cpuid_source.h"

namespace advisor {
namespace {

// A range that claims more leaves than this does not tell the truth.
constexpr uint32_t kMaxLeavesOfRange = 0x200;
// Linux looks for hypervisors at every 0x100 of 0x40000000 to 0x4000ff00
// (hypervisor_cpuid_base); the first two are always recorded.
constexpr uint32_t kHypervisorBase = 0x40000000;
constexpr uint32_t kHypervisorEnd = 0x40010000;
constexpr uint32_t kHypervisorStep = 0x100;
constexpr uint32_t kMaxSubleaves = 64;
constexpr int kMaxCpus = 1 << 16;

// Keeps the calling thread on the CPU that it runs on, for its lifetime. Where
// the kernel refuses, the thread stays free.
class StayOnThisCpu {
 public:
  StayOnThisCpu() {
    for (int cpus = 1024; cpus <= kMaxCpus; cpus *= 2) {
      saved_ = CPU_ALLOC(cpus);
      size_ = CPU_ALLOC_SIZE(cpus);
      if (saved_ == nullptr) return;
      if (sched_getaffinity(0, size_, saved_) == 0) {
        Pin();
        return;
      }
      CPU_FREE(saved_);
      saved_ = nullptr;
    }
  }
  ~StayOnThisCpu() {
    if (saved_ == nullptr) return;
    sched_setaffinity(0, size_, saved_);
    CPU_FREE(saved_);
  }
  StayOnThisCpu(const StayOnThisCpu&) = delete;
  StayOnThisCpu& operator=(const StayOnThisCpu&) = delete;

 private:
  void Pin() const {
    const int cpu = sched_getcpu();
    cpu_set_t* one = CPU_ALLOC(size_ * 8);
    if (cpu < 0 || one == nullptr) return;
    CPU_ZERO_S(size_, one);
    CPU_SET_S(cpu, size_, one);
    sched_setaffinity(0, size_, one);
    CPU_FREE(one);
  }

  cpu_set_t* saved_ = nullptr;
  size_t size_ = 0;
};

CpuidRegisters ExecuteCpuid(uint32_t leaf, uint32_t subleaf) {
  CpuidRegisters registers;
  __cpuid_count(leaf, subleaf, registers.eax, registers.ebx, registers.ecx,
                registers.edx);
  return registers;
}

uint64_t ReadXcr0() {
  // The instruction itself: the intrinsic needs -mxsave for the whole file.
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

// Whether `subleaf` can hold something, given the answers before it.
class SubleafWalk {
 public:
  explicit SubleafWalk(uint32_t leaf) : leaf_(leaf) {}

  // Called with 0, 1, 2, ... after the answer of `subleaf` is known.
  void See(uint32_t subleaf, const CpuidRegisters& answer) {
    if (subleaf == 0) first_ = answer;
    if (subleaf == 1) second_ = answer;
    last_ = answer;
  }

  // False ends the walk.
  bool Continues(uint32_t next) const {
    switch (leaf_) {
      case 0x04:
      case 0x8000001d:
        // glibc reads subleaves 0 to 3 of 0x8000001D whatever they hold.
        return next < 4 || (last_.eax & 0x1f) != 0;
      case 0x07:
        // glibc reads subleaf 1 without asking whether there is one.
        return next < 2 || next <= first_.eax;
      case 0x0b:
      case 0x1f:
      case 0x80000026:
        return next < 2 || (last_.ecx >> 8 & 0xff) != 0;
      case 0x0d:
        return next < 63;
      case 0x0f:
        return next < 2;
      case 0x10:
      case 0x80000020:
        return next < 4;
      case 0x12:
        return next < 3 || (last_.eax & 0xf) != 0;
      case 0x1b:
        return (last_.eax & 0xfff) != 0;
      case 0x1a:
        return false;
      case 0x23:
        return next < 6;
      default:  // EAX of subleaf 0 is the highest subleaf.
        return next <= first_.eax;
    }
  }

  // Of a sparse leaf only the subleaves that exist.
  bool Exists(uint32_t subleaf) const {
    if (subleaf < 2) return true;
    if (leaf_ == 0x0d) {
      const uint64_t xcr0 = uint64_t{first_.edx} << 32 | first_.eax;
      const uint64_t xss = uint64_t{second_.edx} << 32 | second_.ecx;
      return ((xcr0 | xss) >> subleaf & 1) != 0;
    }
    if (leaf_ == 0x23) return (first_.eax >> subleaf & 1) != 0;
    return true;
  }

 private:
  uint32_t leaf_;
  CpuidRegisters first_;
  CpuidRegisters second_;
  CpuidRegisters last_;
};

void ReadLeaf(uint32_t leaf, CpuidTable* table) {
  if (!LeafHasSubleaves(leaf)) {
    table->Set(leaf, 0, ExecuteCpuid(leaf, 0));
    return;
  }
  SubleafWalk walk(leaf);
  for (uint32_t subleaf = 0; subleaf < kMaxSubleaves; ++subleaf) {
    if (subleaf > 0 && !walk.Continues(subleaf)) return;
    if (!walk.Exists(subleaf)) continue;
    const CpuidRegisters answer = ExecuteCpuid(leaf, subleaf);
    walk.See(subleaf, answer);
    table->Set(leaf, subleaf, answer);
  }
}

// Reads `base` and every leaf that its EAX announces. Intel processors answer
// an unknown base with their highest basic leaf, whose EAX is outside.
void ReadRange(uint32_t base, CpuidTable* table) {
  ReadLeaf(base, table);
  const uint32_t last = ExecuteCpuid(base, 0).eax;
  if (last < base || last - base >= kMaxLeavesOfRange) return;
  for (uint32_t leaf = base + 1; leaf <= last; ++leaf) ReadLeaf(leaf, table);
}

void ReadHypervisorRanges(CpuidTable* table) {
  for (uint32_t base = kHypervisorBase; base < kHypervisorEnd;
       base += kHypervisorStep) {
    const CpuidRegisters answer = ExecuteCpuid(base, 0);
    const bool is_range = answer.ebx != 0 && answer.eax >= base &&
                          answer.eax - base < kHypervisorStep;
    if (is_range) {
      ReadRange(base, table);
    } else if (base <= kHypervisorBase + kHypervisorStep) {
      table->Set(base, 0, answer);
    }
  }
}

}  // namespace

CpuidTable ReadNativeCpuid() {
  const StayOnThisCpu stay;
  CpuidTable table;
  ReadRange(0, &table);
  ReadRange(0x20000000, &table);
  const uint32_t features = ExecuteCpuid(1, 0).ecx;
  const bool is_guest = (features >> 31 & 1) != 0;
  if (is_guest) ReadHypervisorRanges(&table);
  ReadRange(0x80000000, &table);
  ReadRange(0x80860000, &table);
  ReadRange(0xc0000000, &table);
  const bool osxsave = (features >> 27 & 1) != 0;
  if (osxsave) table.SetXcr0(ReadXcr0());
  return table;
}

}  // namespace advisor
