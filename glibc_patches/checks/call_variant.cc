#include "glibc_patches/checks/call_variant.h"

#include <cpuid.h>

#include <cstddef>
#include <cstring>
#include <optional>

namespace glibc_patches {
namespace {

// As call_trampoline.S has it.
struct CallState {
  void* function;
  uint64_t first;
  uint64_t second;
  uint64_t third;
  char* result;
  uint64_t preserved[6];
  uint64_t saved_rsp;
  uint64_t rsp_after;
  uint64_t flags;
  uint64_t stack_words_changed;
  uint64_t in_use;
  uint32_t mxcsr_before;
  uint32_t mxcsr;
  uint16_t x87_control_before;
  uint32_t has_avx;
  uint32_t has_xgetbv1;
  // FNSTENV, 28 bytes: control word, status word, tag word, ...
  uint32_t x87_environment[7];
  uint64_t fourth;
};
static_assert(offsetof(CallState, preserved) == 40);
static_assert(offsetof(CallState, mxcsr_before) == 128);
static_assert(offsetof(CallState, has_avx) == 140);
static_assert(offsetof(CallState, x87_environment) == 148);
static_assert(offsetof(CallState, fourth) == 176);

extern "C" {
CallState checks_call_state;
void checks_call();
uint32_t checks_probe_upper_halves();
int checks_transact(void* function, uint64_t first, uint64_t second,
                    uint64_t third);
void checks_return();
void checks_plain_memset();
}

bool HasXgetbv1() {
  unsigned int eax, ebx, ecx, edx;
  constexpr unsigned int kOsxsave = 1 << 27;
  if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || (ecx & kOsxsave) == 0) {
    return false;
  }
  // Leaf 0xD, subleaf 1, EAX bit 2.
  return __get_cpuid_count(0xd, 1, &eax, &ebx, &ecx, &edx) && (eax & 4) != 0;
}

bool HasRtm() {
  unsigned int eax, ebx, ecx, edx;
  // Leaf 7, EBX bit 11.
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
         (ebx & 1u << 11) != 0;
}

// The upper half of an int argument is anything (ABI, section 3.2.3).
uint64_t SecondArgument(const kernels::Variant& variant,
                        const PlacedCall& call) {
  if (variant.function != kernels::Function::kMemset) {
    return reinterpret_cast<uintptr_t>(SourceOf(call));
  }
  return uint64_t{0xdeadbeef} << 32 | static_cast<uint32_t>(call.value);
}

std::optional<kernels::KernelParameters> stored_parameters;
const kernels::Tree* stored_tree = nullptr;

bool SameParameters(const kernels::KernelParameters& a,
                    const kernels::KernelParameters& b) {
  return a.non_temporal_threshold == b.non_temporal_threshold &&
         a.rep_movsb_threshold == b.rep_movsb_threshold &&
         a.rep_movsb_stop_threshold == b.rep_movsb_stop_threshold &&
         a.rep_stosb_threshold == b.rep_stosb_threshold &&
         a.memset_non_temporal_threshold == b.memset_non_temporal_threshold &&
         a.data_cache_size == b.data_cache_size &&
         a.shared_cache_size == b.shared_cache_size &&
         a.string_control == b.string_control;
}

void StoreParameters(const kernels::Variant& variant,
                     const kernels::KernelParameters& parameters) {
  if (stored_tree == variant.tree && stored_parameters.has_value() &&
      SameParameters(*stored_parameters, parameters)) {
    return;
  }
  variant.tree->SetParameters(parameters);
  stored_tree = variant.tree;
  stored_parameters = parameters;
}

}  // namespace

const char* const kPreservedNames[6] = {"rbx", "rbp", "r12",
                                        "r13", "r14", "r15"};

void ForgetParameters() { stored_parameters.reset(); }

bool CanTellUpperHalves() {
  static const bool can = __builtin_cpu_supports("avx") && HasXgetbv1() &&
                          checks_probe_upper_halves() == 3;
  return can;
}

AfterCall CallVariant(const kernels::Variant& variant, const PlacedCall& call,
                      uint64_t fourth) {
  static const uint32_t has_avx = __builtin_cpu_supports("avx") ? 1 : 0;
  static const uint32_t has_xgetbv1 = HasXgetbv1() ? 1 : 0;
  StoreParameters(variant, call.parameters);
  CallState& state = checks_call_state;
  state.function = variant.address;
  state.first = reinterpret_cast<uintptr_t>(DestinationOf(call));
  state.second = SecondArgument(variant, call);
  state.third = call.size;
  state.fourth = fourth;
  state.has_avx = has_avx;
  state.has_xgetbv1 = has_xgetbv1;
  checks_call();
  AfterCall after = {};
  after.result = state.result;
  std::memcpy(after.changed, state.preserved, sizeof(after.changed));
  after.stack_moved = static_cast<int64_t>(state.rsp_after - state.saved_rsp);
  after.stack_words_changed = state.stack_words_changed;
  after.flags = state.flags;
  after.mxcsr_before = state.mxcsr_before;
  after.mxcsr = state.mxcsr;
  after.x87_control_before = state.x87_control_before;
  after.x87_control = static_cast<uint16_t>(state.x87_environment[0]);
  after.x87_tags = static_cast<uint16_t>(state.x87_environment[2]);
  after.in_use = static_cast<uint32_t>(state.in_use);
  return after;
}

bool CanTransact() {
  static const bool can = [] {
    if (!HasRtm()) return false;
    void* nothing = reinterpret_cast<void*>(checks_return);
    for (int i = 0; i < 100; ++i) {
      if (checks_transact(nothing, 0, 0, 0) != 0) return true;
    }
    return false;
  }();
  return can;
}

bool CallInTransaction(const kernels::Variant& variant, const PlacedCall& call,
                       int attempts) {
  StoreParameters(variant, call.parameters);
  const uint64_t first = reinterpret_cast<uintptr_t>(DestinationOf(call));
  const uint64_t second = SecondArgument(variant, call);
  for (int i = 0; i < attempts; ++i) {
    if (checks_transact(variant.address, first, second, call.size) != 0) {
      return true;
    }
  }
  return false;
}

bool CanTransactOn(const PlacedCall& call, int attempts) {
  void* plain = reinterpret_cast<void*>(checks_plain_memset);
  const uint64_t first = reinterpret_cast<uintptr_t>(DestinationOf(call));
  for (int i = 0; i < attempts; ++i) {
    if (checks_transact(plain, first, 0, call.size) != 0) return true;
  }
  return false;
}

}  // namespace glibc_patches
