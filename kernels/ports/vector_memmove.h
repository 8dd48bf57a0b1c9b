// memmove as glibc 2.26 to 2.32 does it for sizes above eight vectors, in our
// own code. The machine of the field report ran such a release, and its source
// is rarely at hand; with this port the effect can be shown anywhere.
//
// For V = sizeof(vector), sizes in bytes:
//
//   0..V        scalar moves: both ends with one width, overlapping
//   V..2V       two vectors, 2V..4V four, 4V..8V eight; all loads before the
//               first store, so any overlap is harmless
//   above 8V    forward if dst < src, backward if dst > src. Four vectors at
//               the end that the loop reaches last, and one at the other, are
//               loaded first and stored last; between them dst is aligned to V.
//               When more than the non-temporal threshold remains after
//               alignment and source and destination do not overlap, the loop
//               stores non-temporally, prefetches and ends with sfence.
//
// The threshold has no lower guard: with 0 every copy above 8V takes that loop,
// which is slow but right. There is no rep movsb.

#ifndef KERNELS_PORTS_VECTOR_MEMMOVE_H_
#define KERNELS_PORTS_VECTOR_MEMMOVE_H_

#include <xmmintrin.h>

#include <cstddef>
#include <cstdint>

// The value of x86_non_temporal_threshold that the ports follow, in bytes.
extern "C" uint64_t ports_non_temporal_threshold;

namespace kernels {

// `V` has a type Register and static Load (unaligned), StoreUnaligned,
// StoreAligned and StoreNonTemporal. One instruction set, one type: no function
// below may be shared between them.
template <typename V>
class VectorMemmove {
 public:
  static void* Move(void* dst, const void* src, size_t size) {
    char* to = static_cast<char*>(dst);
    const char* from = static_cast<const char*>(src);
    if (size < kVector) {
      MoveScalars(to, from, size);
    } else if (size <= 2 * kVector) {
      MoveTwoVectors(to, from, size);
    } else if (size < 4 * kVector) {
      MoveFourVectors(to, from, size);
    } else if (size <= 8 * kVector) {
      MoveEightVectors(to, from, size);
    } else if (to < from) {
      MoveForward(to, from, size);
    } else if (to > from) {
      MoveBackward(to, from, size);
    }
    return dst;
  }

 private:
  using Register = typename V::Register;
  static constexpr size_t kVector = sizeof(Register);
  static constexpr size_t kStep = 4 * kVector;

  template <typename Word>
  static void MoveTwoWords(char* to, const char* from, size_t size) {
    Word first, last;
    __builtin_memcpy(&first, from, sizeof(Word));
    __builtin_memcpy(&last, from + size - sizeof(Word), sizeof(Word));
    __builtin_memcpy(to, &first, sizeof(Word));
    __builtin_memcpy(to + size - sizeof(Word), &last, sizeof(Word));
  }

  static void MoveScalars(char* to, const char* from, size_t size) {
    if (size >= 16) {
      const __m128 first = _mm_loadu_ps(reinterpret_cast<const float*>(from));
      const __m128 last =
          _mm_loadu_ps(reinterpret_cast<const float*>(from + size - 16));
      _mm_storeu_ps(reinterpret_cast<float*>(to), first);
      _mm_storeu_ps(reinterpret_cast<float*>(to + size - 16), last);
    } else if (size >= 8) {
      MoveTwoWords<uint64_t>(to, from, size);
    } else if (size >= 4) {
      MoveTwoWords<uint32_t>(to, from, size);
    } else if (size >= 2) {
      MoveTwoWords<uint16_t>(to, from, size);
    } else if (size == 1) {
      *to = *from;
    }
  }

  // Named members: an array would pass through the stack.
  struct Block {
    Register r0, r1, r2, r3;
  };

  static Block LoadBlock(const char* from) {
    return {V::Load(from), V::Load(from + kVector), V::Load(from + 2 * kVector),
            V::Load(from + 3 * kVector)};
  }

  template <typename Store>
  static void StoreBlock(char* to, const Block& block, Store store) {
    store(to, block.r0);
    store(to + kVector, block.r1);
    store(to + 2 * kVector, block.r2);
    store(to + 3 * kVector, block.r3);
  }

  static void MoveTwoVectors(char* to, const char* from, size_t size) {
    const Register first = V::Load(from);
    const Register last = V::Load(from + size - kVector);
    V::StoreUnaligned(to, first);
    V::StoreUnaligned(to + size - kVector, last);
  }

  static void MoveFourVectors(char* to, const char* from, size_t size) {
    const Register first = V::Load(from);
    const Register second = V::Load(from + kVector);
    const Register last = V::Load(from + size - kVector);
    const Register next_to_last = V::Load(from + size - 2 * kVector);
    V::StoreUnaligned(to, first);
    V::StoreUnaligned(to + kVector, second);
    V::StoreUnaligned(to + size - kVector, last);
    V::StoreUnaligned(to + size - 2 * kVector, next_to_last);
  }

  static void MoveEightVectors(char* to, const char* from, size_t size) {
    const Block first = LoadBlock(from);
    const Block last = LoadBlock(from + size - kStep);
    StoreBlock(to, first, V::StoreUnaligned);
    StoreBlock(to + size - kStep, last, V::StoreUnaligned);
  }

  // The lines that the step after next reads, and the one after.
  static void Prefetch(const char* from, ptrdiff_t direction) {
    for (size_t line = 0; line < kStep; line += 64) {
      _mm_prefetch(from + direction * 2 * ptrdiff_t{kStep} + line, _MM_HINT_T0);
      _mm_prefetch(from + direction * 3 * ptrdiff_t{kStep} + line, _MM_HINT_T0);
    }
  }

  static void MoveForward(char* to, const char* from, size_t size) {
    const Block tail = LoadBlock(from + size - kStep);
    const Register head = V::Load(from);
    char* const end = to + size;
    char* const start = to;
    // 1..V bytes; the head covers them.
    const size_t skipped =
        kVector - (reinterpret_cast<uintptr_t>(to) & (kVector - 1));
    to += skipped;
    from += skipped;
    size -= skipped;
    if (size > ports_non_temporal_threshold && to + size <= from) {
      for (; size > kStep; size -= kStep, to += kStep, from += kStep) {
        Prefetch(from, 1);
        StoreBlock(to, LoadBlock(from), V::StoreNonTemporal);
      }
      _mm_sfence();
    } else {
      for (; size > kStep; size -= kStep, to += kStep, from += kStep) {
        StoreBlock(to, LoadBlock(from), V::StoreAligned);
      }
    }
    StoreBlock(end - kStep, tail, V::StoreUnaligned);
    V::StoreUnaligned(start, head);
  }

  static void MoveBackward(char* to, const char* from, size_t size) {
    const Block head = LoadBlock(from);
    const Register tail = V::Load(from + size - kVector);
    char* const start = to;
    char* const end = to + size;
    // 0..V-1 bytes; the tail covers them.
    size -= reinterpret_cast<uintptr_t>(end) & (kVector - 1);
    if (size > ports_non_temporal_threshold && from + size <= to) {
      for (; size > kStep; size -= kStep) {
        Prefetch(from + size - kStep, -1);
        StoreBlock(to + size - kStep, LoadBlock(from + size - kStep),
                   V::StoreNonTemporal);
      }
      _mm_sfence();
    } else {
      for (; size > kStep; size -= kStep) {
        StoreBlock(to + size - kStep, LoadBlock(from + size - kStep),
                   V::StoreAligned);
      }
    }
    StoreBlock(start, head, V::StoreUnaligned);
    V::StoreUnaligned(end - kVector, tail);
  }
};

}  // namespace kernels

#endif  // KERNELS_PORTS_VECTOR_MEMMOVE_H_
