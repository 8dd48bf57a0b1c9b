/* What the preloaded object sees of single calls: alignments, distances, and
   whether a destination is read or written again soon. A signal handler may
   interrupt any of it and call the same functions: what it changes is then some
   detail of an observation, never memory of the program. */

#ifndef TOOLS_RECORDER_OBSERVER_H_
#define TOOLS_RECORDER_OBSERVER_H_

#include <stddef.h>
#include <stdint.h>

#include "tools/recorder/recording.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE static __attribute__((noinline))

/* Small calls are observed in detail in bursts of kBurst, after about kPause
   others. */
enum { kBurst = 32, kPause = 2048, kRing = 16 };

struct Destination {
  uintptr_t start;
  size_t size;
  unsigned is_memset;
  unsigned was_read;
};

struct Ring {
  struct Destination entries[kRing];
  unsigned next;
};

struct Thread {
  /* Of the process that `block` belongs to; kUnclaimed: none yet. */
  uint64_t generation;
  struct RecordingBlock* block;
  /* Calls until the next burst; negative: within one. */
  int countdown;
  uint32_t random;
  struct Ring small;
  struct Ring large;
};

/* Not 0, which a forked child finds as its process's number. */
#define kUnclaimed UINT64_MAX

/* One instruction: atomic for the thread's own signal handlers. */
ALWAYS_INLINE void Add(uint64_t* counter, uint64_t value) {
  __asm__ volatile("addq %1, %0" : "+m"(*counter) : "er"(value) : "cc");
}

ALWAYS_INLINE int Overlaps(uintptr_t start, size_t size,
                           const struct Destination* other) {
  return start - other->start < other->size || other->start - start < size;
}

/* Whether the destination had been one before. The first time that one is read
   its writer's class is credited. */
static int LookUp(struct Ring* ring, uintptr_t to, uintptr_t from, size_t size,
                  int is_memset, struct RecordingBlock* block) {
  int rewritten = 0;
  const unsigned filled = ring->next < kRing ? ring->next : kRing;
  for (unsigned i = 0; i < filled; ++i) {
    struct Destination* entry = &ring->entries[i];
    rewritten |= Overlaps(to, size, entry);
    if (is_memset || entry->was_read || !Overlaps(from, size, entry)) continue;
    entry->was_read = 1;
    Add(&block->details[entry->is_memset][RecordingClass(entry->size)]
             .read_back,
        1);
  }
  return rewritten;
}

static void Remember(struct Ring* ring, uintptr_t start, size_t size,
                     unsigned is_memset) {
  struct Destination* entry = &ring->entries[ring->next++ % kRing];
  entry->size = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  entry->start = start;
  entry->is_memset = is_memset;
  entry->was_read = 0;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  entry->size = size;
}

static void Distances(struct RecordingDetail* detail, uintptr_t to,
                      uintptr_t from, size_t size) {
  const uintptr_t distance = to > from ? to - from : from - to;
  if (distance == 0) {
    Add(&detail->same_address, 1);
    return;
  }
  if (distance < size) {
    Add(to < from ? &detail->overlap_forward : &detail->overlap_backward, 1);
    return;
  }
  const uintptr_t gap = distance - size;
  Add(gap < 4096                 ? &detail->gap_below_4k
      : gap < (uintptr_t)1 << 20 ? &detail->gap_below_1m
                                 : &detail->gap_above,
      1);
  if ((to - from) % 4096 - 1 < 255) Add(&detail->page_aliasing, 1);
}

NEVER_INLINE void Observe(struct Thread* self, uintptr_t to, uintptr_t from,
                          size_t size, unsigned is_memset) {
  struct RecordingBlock* const block = self->block;
  struct RecordingDetail* const detail =
      &block->details[is_memset][RecordingClass(size)];
  if (self->countdown == -1 && size < RECORDING_LARGE) {
    /* A new burst knows nothing of what was before it. */
    self->small.next = 0;
  }
  Add(&detail->calls, 1);
  const int to_misaligned = to % 64 != 0;
  const int from_misaligned = !is_memset && from % 64 != 0;
  Add(to_misaligned     ? from_misaligned ? &detail->both_misaligned
                                          : &detail->destination_misaligned
      : from_misaligned ? &detail->source_misaligned
                        : &detail->both_aligned,
      1);
  if (size == 0) return;
  if (!is_memset) Distances(detail, to, from, size);
  const int rewritten = LookUp(&self->small, to, from, size, is_memset, block) |
                        LookUp(&self->large, to, from, size, is_memset, block);
  if (rewritten) Add(&detail->rewritten, 1);
  Remember(size < RECORDING_LARGE ? &self->small : &self->large, to, size,
           is_memset);
}

NEVER_INLINE void ObserveInBurst(struct Thread* self, uintptr_t to,
                                 uintptr_t from, size_t size,
                                 unsigned is_memset) {
  Observe(self, to, from, size, is_memset);
  if (self->countdown > -kBurst) return;
  /* Not a fixed pause: programs have periods of their own. */
  self->random = self->random * 1664525u + 1013904223u;
  self->countdown = kPause - 128 + (int)(self->random >> 24);
}

#endif /* TOOLS_RECORDER_OBSERVER_H_ */
