#include "kernels/noise/planted_copy.h"

#include <emmintrin.h>
#include <string.h>

#include <cstdint>

#include "kernels/tree_definition.h"

namespace kernels {
namespace {

uint64_t idle_cycles = 0;

void* PlantedCopy(void* destination, const void* source, size_t size) {
  memmove(destination, source, size);
  // The end of the copy must not hide the wait, nor its length depend on the
  // copy. Each rotation waits for the one before.
  _mm_lfence();
  uint64_t value = 1;
  for (uint64_t i = 0; i < idle_cycles; ++i) {
    asm volatile("ror $1, %0" : "+r"(value) : : "cc");
  }
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
