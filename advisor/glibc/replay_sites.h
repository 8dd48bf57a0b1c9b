// Where a program asks the CPU what it is: its CPUID and XGETBV instructions.

#ifndef ADVISOR_GLIBC_REPLAY_SITES_H_
#define ADVISOR_GLIBC_REPLAY_SITES_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/elf_file.h"

namespace advisor {

enum class ReplayedInstruction { kCpuid, kXgetbv };

// The bytes of the instruction: 0f a2, 0f 01 d0 (Intel SDM volume 2).
absl::string_view BytesOf(ReplayedInstruction instruction);

struct ReplaySite {
  // Before relocation.
  uint64_t address;
  ReplayedInstruction instruction;
};

struct ReplaySites {
  // By address.
  std::vector<ReplaySite> sites;
  // Addresses that hold the bytes of such an instruction where, going through
  // the code one instruction after the other, none starts: parts of a longer
  // instruction, or code behind data, which the decoder cannot tell apart. Not
  // to be patched.
  std::vector<uint64_t> uncertain;
};

ReplaySites FindReplaySites(const ElfFile& file);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_REPLAY_SITES_H_
