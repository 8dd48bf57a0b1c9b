// glibc's memory-function variants as callable functions. Each source tree that
// was built in brings its own variants and its own threshold variables, so one
// binary holds several releases, or a base and a patched tree, side by side.
//
// A binary links :variant and exactly one kernel_registry (//kernels:registry
// has this machine's glibc source, if there is one, and our ports).

#ifndef KERNELS_VARIANT_H_
#define KERNELS_VARIANT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/cpu/cpuid_source.h"

namespace kernels {

enum class Function { kMemmove, kMemcpy, kMempcpy, kMemset };

// "memmove", ...
absl::string_view FunctionName(Function function);

// The threshold variables of a tree, by glibc's names without "__x86_" (and
// without "shared_" before non_temporal_threshold). All sizes are bytes.
// nullopt: the tree has no such variable (in releases where the value is a
// constant of the code, or is not there yet).
struct KernelParameters {
  std::optional<uint64_t> non_temporal_threshold;
  std::optional<uint64_t> rep_movsb_threshold;
  std::optional<uint64_t> rep_movsb_stop_threshold;
  std::optional<uint64_t> rep_stosb_threshold;
  std::optional<uint64_t> memset_non_temporal_threshold;
  // The kernels read these two or their halves; both follow one store.
  std::optional<uint64_t> data_cache_size;
  std::optional<uint64_t> shared_cache_size;
  // Bit 0: avoid `rep movsb` at short distances (2.34 and later).
  std::optional<uint64_t> string_control;
};

// A threshold that no size reaches, nor does sixteen times as much overflow.
inline constexpr uint64_t kNever = uint64_t{1} << 40;
// Least non-temporal threshold that the large copy of 2.34 and later bears
// (16 KiB + 64; the tunable's minimum since 2.37).
inline constexpr uint64_t kLargeCopyMinimum = 0x4040;

// The field that holds the variable of this name ("__x86_" left out; a half
// belongs to its whole size); nullptr for a name that glibc has not.
std::optional<uint64_t> KernelParameters::*ParameterField(
    absl::string_view threshold);

// One source tree, or our ports.
class Tree {
 public:
  virtual ~Tree() = default;

  // "glibc", "base", "patched", "ports": the prefix of its rows in a report.
  virtual absl::string_view name() const = 0;
  // "2.36", and the package revision ("2.36-9+deb12u14"), empty where it is not
  // known.
  virtual absl::string_view release() const = 0;
  virtual absl::string_view revision() const = 0;

  // A store to the variables that the tree has; fields that are nullopt, and
  // variables that it lacks, stay as they are. Not synchronised: no copy may
  // run meanwhile. Before the first store all have the values that glibc 2.36
  // starts from (32 KiB, 1 MiB, 2 KiB, three quarters of 1 MiB), which are no
  // machine's.
  virtual void SetParameters(const KernelParameters& parameters) const = 0;
  virtual KernelParameters parameters() const = 0;
};

struct Variant {
  // As glibc's symbol: "__memmove_evex_unaligned_erms".
  absl::string_view name;
  Function function;
  const Tree* tree;
  // To be cast by `function`: void*(void*, const void*, size_t) or
  // void*(void*, int, size_t).
  void* address;
  // Bytes of a vector register (16, 32, 64); 0 for "erms".
  int vector_size;
  // Has a rep movsb / rep stosb zone.
  bool erms;
  // glibc's names of the CPU features that its code needs ("AVX512VL", ...).
  absl::Span<const absl::string_view> required_features;
  // glibc's names of the variables that its code reads, without "__x86_".
  absl::Span<const absl::string_view> thresholds;
  // The file that it was assembled from, without ".S", and the bytes of its own
  // symbol (0: not known). Variants of one file jump into each other, so what
  // can execute is the union of the symbols of one `source`.
  absl::string_view source;
  size_t code_size;

  void* Copy(void* destination, const void* source, size_t size) const {
    return reinterpret_cast<void* (*)(void*, const void*, size_t)>(address)(
        destination, source, size);
  }
  void* Set(void* destination, int value, size_t size) const {
    return reinterpret_cast<void* (*)(void*, int, size_t)>(address)(
        destination, value, size);
  }
};

// Every variant that was built in, by tree, function and name. memcpy is often
// another name of memmove's code: the same address.
absl::Span<const Variant> AllVariants();

// nullptr when the tree of this name has no such variant.
const Variant* FindVariant(absl::string_view tree, absl::string_view name);

// The trees that were built in. Empty of glibc's own when the machine had no
// glibc source at build time; the ports are always there.
absl::Span<const Tree* const> AllTrees();

// Functions of a linked tree that variants.bzl does not list, and variables
// that KernelParameters does not hold: "glibc: function __memmove_new". Code of
// theirs would go untested, so a test demands that there are none.
std::vector<std::string> UnlistedSymbols();

// The first feature that `variant` needs and this CPU and its operating system
// do not offer; nullopt when it can run.
std::optional<std::string> MissingFeature(const Variant& variant,
                                          const advisor::CpuidSource& cpu);

// What the variant of this symbol needs, whether it is built in or not; nullopt
// for a name that variants.bzl does not list.
std::optional<absl::Span<const absl::string_view>> RequiredFeatures(
    absl::string_view symbol);

}  // namespace kernels

#endif  // KERNELS_VARIANT_H_
