// The lines "x86.processor[0xN]..." of `ld.so --list-diagnostics` (2.40 and
// later) as CPUID tables. Used by loader_listing.cc alone.
//
// The loader asks for every leaf up to the maximum with every subleaf up to
// ecx_limit, joins neighbouring subleaves with the same answer (or one that
// repeats the subleaf in ECX[7:0]) into one record, drops all-zero answers, and
// prints of every CPU but the first only what differs from the CPU before it
// (glibc, sysdeps/x86/dl-diagnostics-cpu.c).

#ifndef ADVISOR_GLIBC_LOADER_LISTING_PROCESSORS_H_
#define ADVISOR_GLIBC_LOADER_LISTING_PROCESSORS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/loader_listing.h"

namespace advisor {

class ProcessorLines {
 public:
  // One line without "x86.processor" and split at '=':
  // "[0x0].cpuid.eax[0x1].ebx". False: there is no such key.
  bool Add(absl::string_view key, uint64_t value);

  // In the order of the loader's count. nullopt where they have more than
  // kMaxAnswers in all.
  std::optional<std::vector<ListedProcessor>> Build() const;

  // Bounds the time and memory that a few lines can ask for: a record may stand
  // for 512 subleaves, and each processor repeats those of the one before. A
  // machine of 1024 CPUs has 0.6 million.
  static constexpr size_t kMaxAnswers = size_t{1} << 20;

 private:
  // Answers to one leaf for the subleaves from that of the key to `last`.
  struct Record {
    CpuidRegisters registers;
    std::optional<uint32_t> last;
    // Printed as "subleaf_eax". The other form, "eax", stands for subleaf 0
    // with zero answers to all others just as for the same answer to all; only
    // subleaf 0 is known then.
    bool by_subleaf = false;
    // ECX[7:0] of the answer repeats the subleaf.
    bool ecx_repeats_subleaf = false;
    int registers_seen = 0;
  };
  using Records = std::map<CpuidInput, Record>;

  struct Lines {
    std::optional<uint32_t> requested;
    std::optional<uint32_t> observed;
    std::optional<uint32_t> observed_node;
    std::optional<uint32_t> cpuid_leaves;
    std::optional<uint32_t> ecx_limit;
    std::optional<uint64_t> xcr0;
    Records records;
  };

  static bool AddCpuid(absl::string_view key, uint64_t value, Lines* lines);
  // `budget`: how many answers may be set; 0 afterwards when it was used up.
  static CpuidTable MakeTable(const Records& records, bool complete,
                              size_t& budget);
  // Zero answers have no line. In a complete dump the leaves up to the maximum
  // are known to be zero nevertheless, and so is a gap between two subleaves
  // and the first subleaf after the last one.
  static void AddZeroAnswers(const Records& records, uint32_t first_leaf,
                             CpuidTable* table, size_t& budget);

  std::map<uint32_t, Lines> lines_;
};

// "NAME[0x1f]rest" -> 0x1f and "rest"; nullopt (and `text` as it was) else.
std::optional<uint32_t> ConsumeIndex(absl::string_view name,
                                     absl::string_view* text);

// "0x" and one to sixteen hexadecimal digits.
std::optional<uint64_t> ParseListedHex(absl::string_view text);

}  // namespace advisor

#endif  // ADVISOR_GLIBC_LOADER_LISTING_PROCESSORS_H_
