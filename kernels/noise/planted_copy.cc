#include "kernels/noise/planted_copy.h"

#include <emmintrin.h>
#include <string.h>

#include <cstdint>

#include "kernels/tree_definition.h"

namespace kernels {
namespace {

uint64_t idle_cycles = 0;

// A chain of rotations, each a cycle after the one before. Not a loop: whether
// its end is predicted depends on how often it turns, and a wrong guess costs
// more than what is planted.
constexpr uint64_t kChain = 1024;

void Idle(uint64_t cycles) {
  uint64_t value = 1;
  for (; cycles > kChain; cycles -= kChain) {
    asm volatile(".rept 1024\n\tror $1, %0\n\t.endr" : "+r"(value) : : "cc");
  }
  // Into the chain, so far before its end: a rotation is three bytes.
  asm volatile(
      "lea 1f(%%rip), %%rcx\n\t"
      "sub %1, %%rcx\n\t"
      "jmp *%%rcx\n\t"
      ".rept 1024\n\tror $1, %%rax\n\t.endr\n"
      "1:"
      : "+a"(value)
      : "r"(3 * cycles)
      : "rcx", "cc");
}

void* PlantedCopy(void* destination, const void* source, size_t size) {
  memmove(destination, source, size);
  // The wait must not hide behind loads or stores of the copy that are under
  // way, nor behind the instructions before it.
  _mm_mfence();
  _mm_lfence();
  Idle(idle_cycles);
  return destination;
}

}  // namespace

const TreeDefinition& Tree_planted() {
  static const auto& definition =
      *new TreeDefinition{kPlantedTree,
                          /*release=*/"",
                          /*revision=*/"",
                          {{kPlantedCopy,
                            "planted_copy",
                            reinterpret_cast<void (*)()>(&PlantedCopy),
                            /*size=*/0,
                            {"rep_movsb_threshold"}}},
                          {{"rep_movsb_threshold", &idle_cycles}}};
  return definition;
}

}  // namespace kernels
