#include <immintrin.h>

#include "kernels/ports/vector_memmove.h"

namespace kernels {
namespace {

struct Avx {
  using Register = __m256i;
  static Register Load(const char* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void StoreUnaligned(char* to, Register value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void StoreAligned(char* to, Register value) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static void StoreNonTemporal(char* to, Register value) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value);
  }
};

}  // namespace
}  // namespace kernels

extern "C" void* port_memmove_avx_unaligned(void* dst, const void* src,
                                            size_t size) {
  return kernels::VectorMemmove<kernels::Avx>::Move(dst, src, size);
}
