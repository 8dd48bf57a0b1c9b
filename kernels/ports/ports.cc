#include "kernels/tree_definition.h"

extern "C" {
uint64_t ports_non_temporal_threshold = 0;
void* port_memmove_avx_unaligned(void* dst, const void* src, size_t size);
void* port_memmove_sse2_unaligned(void* dst, const void* src, size_t size);
}

namespace kernels {
namespace {

SymbolDefinition Port(absl::string_view name, absl::string_view source,
                      void* (*address)(void*, const void*, size_t)) {
  return {name,
          source,
          reinterpret_cast<void (*)()>(address),
          /*size=*/0,
          {"shared_non_temporal_threshold"}};
}

}  // namespace

const TreeDefinition& Tree_ports() {
  static const auto& definition = *new TreeDefinition{
      "ports",
      "2.28",
      /*revision=*/"",
      {Port("port_memmove_avx_unaligned", "memmove_avx",
            port_memmove_avx_unaligned),
       Port("port_memmove_sse2_unaligned", "memmove_sse2",
            port_memmove_sse2_unaligned)},
      {{"shared_non_temporal_threshold", &ports_non_temporal_threshold}}};
  return definition;
}

}  // namespace kernels
