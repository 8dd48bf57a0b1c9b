#include <emmintrin.h>

#include "kernels/ports/vector_memmove.h"

namespace kernels {
namespace {

struct Sse2 {
  using Register = __m128i;
  static Register Load(const char* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void StoreUnaligned(char* to, Register value) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), value);
  }
  static void StoreAligned(char* to, Register value) {
    _mm_store_si128(reinterpret_cast<__m128i*>(to), value);
  }
  static void StoreNonTemporal(char* to, Register value) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to), value);
  }
};

}  // namespace
}  // namespace kernels

extern "C" void* port_memmove_sse2_unaligned(void* dst, const void* src,
                                             size_t size) {
  return kernels::VectorMemmove<kernels::Sse2>::Move(dst, src, size);
}
