/* What one process writes down of its calls, in a file that it shares with its
   forked children and with the merger. C, for the preloaded object; every
   counter is a whole number that only grows. */

#ifndef TOOLS_RECORDER_RECORDING_H_
#define TOOLS_RECORDER_RECORDING_H_

#include <stdint.h>

/* The folder for the files, which record_sizes makes for itself. */
#define RECORDING_DIRECTORY_VARIABLE "RECORD_SIZES_DIRECTORY"

#define RECORDING_MAGIC UINT64_C(0x31535a5344524352) /* "RCRDSZS1" */

enum RecordedFunction {
  kRecordedMemcpy,
  kRecordedMemmove,
  kRecordedMempcpy,
  kRecordedMemset,
  kRecordedFunctions
};

/* Sizes below this are counted one by one, others in 16 buckets an octave, the
   last of which has no upper end. */
#define RECORDING_EXACT_SIZES 512
#define RECORDING_PER_OCTAVE 16
#define RECORDING_LOG_BUCKETS 512
#define RECORDING_BUCKETS (RECORDING_EXACT_SIZES + RECORDING_LOG_BUCKETS)

static inline unsigned RecordingBucket(uint64_t size) {
  if (size < RECORDING_EXACT_SIZES) return (unsigned)size;
  const unsigned exponent = 63 - (unsigned)__builtin_clzll(size);
  const unsigned bucket = RECORDING_EXACT_SIZES +
                          (exponent - 9) * RECORDING_PER_OCTAVE +
                          (unsigned)((size >> (exponent - 4)) & 15);
  return bucket < RECORDING_BUCKETS ? bucket : RECORDING_BUCKETS - 1;
}

/* The smallest size of a bucket. */
static inline uint64_t RecordingBucketStart(unsigned bucket) {
  if (bucket < RECORDING_EXACT_SIZES) return bucket;
  const unsigned step = bucket - RECORDING_EXACT_SIZES;
  return (UINT64_C(16) + step % 16) << (step / 16 + 5);
}

/* Octaves of sizes: class 0 is size 0, class i is 2^(i-1) to 2^i - 1. */
#define RECORDING_CLASSES 42

static inline unsigned RecordingClass(uint64_t size) {
  const unsigned octave = size == 0 ? 0 : 64 - (unsigned)__builtin_clzll(size);
  return octave < RECORDING_CLASSES ? octave : RECORDING_CLASSES - 1;
}

/* Of this size on every call is observed in detail; of smaller ones a part. */
#define RECORDING_LARGE 4096

/* The calls of one class that were observed in detail. For memset only `calls`,
   the two of destinations, `read_back` and `rewritten` are used. */
struct RecordingDetail {
  uint64_t calls;
  /* Modulo 64. */
  uint64_t both_aligned;
  uint64_t destination_misaligned;
  uint64_t source_misaligned;
  uint64_t both_misaligned;
  /* The destination begins 1 to 255 bytes past the source, modulo 4096, and
     they do not overlap. */
  uint64_t page_aliasing;
  /* The destination begins before the source; after it. */
  uint64_t overlap_forward;
  uint64_t overlap_backward;
  uint64_t same_address;
  /* Bytes between the two buffers, where they do not overlap. */
  uint64_t gap_below_4k;
  uint64_t gap_below_1m;
  uint64_t gap_above;
  /* The destination was the source of one of the next calls seen. */
  uint64_t read_back;
  /* The destination had been that of one of the last calls seen. */
  uint64_t rewritten;
};

struct RecordingBlock {
  uint64_t calls[kRecordedFunctions][RECORDING_BUCKETS];
  /* Of the buckets that hold more than one size. */
  uint64_t bytes[kRecordedFunctions][RECORDING_LOG_BUCKETS];
  /* [0]: copies, [1]: memset. */
  struct RecordingDetail details[2][RECORDING_CLASSES];
};

/* Each thread has a block of its own while there are some; all others share
   the first. Pages of a block that nothing was counted in take no memory. */
#define RECORDING_THREADS 256

struct RecordingHeader {
  uint64_t magic;
  /* The process that made the file. */
  uint64_t process;
  /* Blocks that were asked for; more than RECORDING_THREADS: shared ones too.
     The first is nobody's own. */
  uint64_t blocks;
  /* This program image and its forked children that called something. */
  uint64_t processes;
  /* /proc/self/exe, as far as it fits. */
  char program[1024];
};

struct Recording {
  struct RecordingHeader header __attribute__((aligned(4096)));
  struct RecordingBlock block[RECORDING_THREADS] __attribute__((aligned(4096)));
};

#endif /* TOOLS_RECORDER_RECORDING_H_ */
