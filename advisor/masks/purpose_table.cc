#include "advisor/masks/purpose_table.h"

namespace advisor {
namespace {

// Each list has what the next register set adds first, so that a shorter list
// is the beginning of a longer one.
constexpr Feature kAboveBaseline[] = {
    Feature::kAvx512f,  Feature::kAvx512vl, Feature::kAvx512bw,
    Feature::kAvx512dq, Feature::kAvx512cd, Feature::kAvx512er,
    Feature::kAvx512pf, Feature::kAvx2,     Feature::kAvx,
    Feature::kFma,      Feature::kFma4,     Feature::kBmi1,
    Feature::kBmi2,     Feature::kLzcnt,    Feature::kMovbe,
    Feature::kPopcnt,   Feature::kSse4_2,   Feature::kSse4_1,
    Feature::kSsse3,    Feature::kRtm,      Feature::kErms,
};
constexpr absl::Span<const Feature> kAvx512(kAboveBaseline, 7);
constexpr absl::Span<const Feature> kAvx(kAboveBaseline, 11);

constexpr Feature kRtmOnly[] = {Feature::kRtm};
constexpr Feature kErmsOnly[] = {Feature::kErms};
constexpr Feature kAvx512AndRtm[] = {
    Feature::kAvx512f,  Feature::kAvx512vl, Feature::kAvx512bw,
    Feature::kAvx512dq, Feature::kAvx512cd, Feature::kAvx512er,
    Feature::kAvx512pf, Feature::kRtm,
};
constexpr Feature kAvx512RtmErms[] = {
    Feature::kAvx512f,  Feature::kAvx512vl, Feature::kAvx512bw,
    Feature::kAvx512dq, Feature::kAvx512cd, Feature::kAvx512er,
    Feature::kAvx512pf, Feature::kRtm,      Feature::kErms,
};

constexpr absl::string_view kCheckpointLimits[] = {
    "CRIU compares CPUs by itself (--cpu-cap) and knows nothing of this mask.",
    "The mask must be set when the program starts, before the checkpoint: "
    "what is selected then is frozen.",
    "XCR0 is not masked: where it differs between the CPUs, the frames that "
    "signals and the loader save differ.",
};
constexpr absl::string_view kAvxLimits[] = {
    "The upper halves of registers may still be used by other libraries that "
    "ask CPUID themselves.",
};
constexpr absl::string_view kErmsLimits[] = {
    "The kernel's own copies, and __movsb of compilers, use what they like.",
};
constexpr absl::string_view kRtmLimits[] = {
    "Programs that use transactions themselves ask CPUID, not glibc. For "
    "glibc's lock elision see glibc.elision.enable.",
};
constexpr absl::string_view kPinLimits[] = {
    "The same instructions are not the same time: caches and clocks differ.",
};
constexpr absl::string_view kPoolLimits[] = {
    "Features cannot be taken away from a running guest or program: the mask "
    "must be set when a program starts, on any of the hosts.",
    "A common CPU model in the hypervisor covers the kernel and all programs; "
    "the mask covers glibc's choices alone.",
    "Thresholds stay those of the CPU that the program started on.",
};
constexpr absl::string_view kRrLimits[] = {
    "rr hides features by itself where the CPU has CPUID faulting (most Intel, "
    "no AMD before Zen 5): --disable-cpuid-features.",
    "A replay needs the XCR0 of the recording; no mask changes that.",
};
constexpr absl::string_view kValgrindLimits[] = {
    "Valgrind shows programs a CPUID of its own without AVX-512, so inside it "
    "glibc does without anyway. \"Unrecognised instruction\" then comes from "
    "code that was compiled for AVX-512 (-march=native): build it for "
    "x86-64-v3 or less.",
    "ERMS is hidden because callgrind counts one instruction for each byte of "
    "`rep movsb`, and because it is emulated byte by byte.",
};

// {name, summary, hides, hides what differs, pins, least CPUs, limits,
//  reference}. Sorted by name.
constexpr PurposeRow kRows[] = {
    {"checkpoint",
     "restore a checkpoint on another CPU",
     {},
     true,
     false,
     1,
     kCheckpointLimits,
     "eclipse-openj9/openj9#14253; checkpoint-restore/criu#3120; glibc bugs "
     "27605 and 32810"},
    {"no-avx", "no AVX registers in glibc", kAvx, false, false, 1, kAvxLimits,
     "FluidSynth/fluidsynth#512"},
    {"no-avx512", "no AVX-512 instructions in glibc", kAvx512, false, false, 1,
     kAvxLimits, "open-mpi/ompi#8376; apache/arrow#39748; microsoft/WSL#40985"},
    {"no-erms", "no `rep movsb` and `rep stosb` in glibc", kErmsOnly, false,
     false, 1, kErmsLimits, "openucx/ucx#5179; glibc bug 30994"},
    {"no-rtm", "no code for transactional memory in glibc", kRtmOnly, false,
     false, 1, kRtmLimits, "glibc commit 7ebba91361ba"},
    {"pin", "the same code paths on different hosts", kErmsOnly, true, true, 1,
     kPinLimits, "web-infra-dev/rspack#14704"},
    {"pool",
     "live migration between the hosts of a pool",
     {},
     true,
     false,
     2,
     kPoolLimits,
     "innogames/igvm#270; OpenNebula/one#1688"},
    {"rr", "record with rr, replay on a CPU without AVX-512", kAvx512AndRtm,
     false, false, 1, kRrLimits, "rr-debugger/rr#3799; rr-debugger/rr#2412"},
    {"valgrind", "the same paths outside of Valgrind as inside", kAvx512RtmErms,
     false, false, 1, kValgrindLimits,
     "gkeyll#824; LadybirdBrowser/ladybird#6522"},
};

constexpr UnpinnedRow kUnpinned[] = {
    {"rep_movsb_stop_threshold",
     "No tunable: it follows the cache sizes. Variants without `rep movsb` do "
     "not read it."},
    {"Avoid_Short_Distance_REP_MOVSB",
     "No word of the mask: it follows FSRM. Variants without `rep movsb` do "
     "not read it."},
    {"saving of registers by the loader",
     "Lazy binding and TLS descriptors save as much as XCR0 has: set "
     "LD_BIND_NOW=1 where instructions are counted."},
    {"cache sizes of sysconf and getconf",
     "_SC_LEVEL1_DCACHE_SIZE and its like tell the CPU's."},
    {"number of CPUs",
     "malloc's arenas follow it, unless glibc.malloc.arena_max is set."},
    {"other libraries", "Those that ask CPUID themselves choose as before."},
};

constexpr absl::string_view kLimits[] = {
    "It changes what glibc chooses, not what the program and its libraries "
    "were compiled for (-march).",
    "It holds for a whole process and the programs that it starts; set-uid "
    "programs ignore it.",
    "Other programs read the variable, too: GNU coreutils' cksum and wc leave "
    "out the instructions that it hides.",
};

}  // namespace

absl::Span<const PurposeRow> AllPurposes() { return kRows; }

const PurposeRow* FindPurpose(absl::string_view name) {
  for (const PurposeRow& row : kRows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

absl::Span<const Feature> AboveBaseline() { return kAboveBaseline; }
absl::Span<const Feature> Avx512Features() { return kAvx512; }
absl::Span<const Feature> AvxFeatures() { return kAvx; }
absl::Span<const UnpinnedRow> AllUnpinned() { return kUnpinned; }
absl::Span<const absl::string_view> LimitsOfMasks() { return kLimits; }

}  // namespace advisor
