/* The preloaded object of record_sizes: counts the calls of memcpy, memmove,
   mempcpy and memset that reach the dynamic linker, and passes them on.

   - Before the constructor has run neither dlsym nor thread-local storage may
     be used: calls are carried out by `rep movsb` here, and counted in static
     memory.
   - The counters lie in a shared mapping of a file, so that _exit, exec and
     SIGKILL lose nothing, and a forked child needs no system call.
   - A counter is added to by one instruction: a signal handler that interrupts
     its own thread cannot lose a count. Threads have a block each.
   - A page that is wiped on fork tells a child that its block is its parent's.
 */

#define _GNU_SOURCE

#if !defined(__clang__)
/* A loop must not become a call of what is defined here. */
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tools/recorder/observer.h"
#include "tools/recorder/recording.h"

#define EXPORT __attribute__((visibility("default")))

static _Thread_local struct Thread thread
    __attribute__((tls_model("initial-exec"))) = {.generation = kUnclaimed};

typedef void* Copy(void*, const void*, size_t);
typedef void* Set(void*, int, size_t);
typedef void* CheckedCopy(void*, const void*, size_t, size_t);
typedef void* CheckedSet(void*, int, size_t, size_t);

static Copy* real_memcpy;
static Copy* real_memmove;
static Copy* real_mempcpy;
static Set* real_memset;
static CheckedCopy* real_memcpy_chk;
static CheckedCopy* real_memmove_chk;
static CheckedCopy* real_mempcpy_chk;
static CheckedSet* real_memset_chk;

/* The real functions are known, and `recording` is where to count. */
static volatile int ready;
static struct Recording* recording;
/* This process's number in `recording`; a forked child finds 0. */
static volatile uint64_t* generation;
/* Where nothing is recorded. */
static struct RecordingBlock nowhere;
static uint64_t nowhere_generation = 1;
/* Calls before `ready`. */
static uint64_t early_calls[kRecordedFunctions][RECORDING_BUCKETS];
static uint64_t early_bytes[kRecordedFunctions][RECORDING_LOG_BUCKETS];

ALWAYS_INLINE void AddShared(uint64_t* counter, uint64_t value) {
  __atomic_fetch_add(counter, value, __ATOMIC_RELAXED);
}

NEVER_INLINE void CountShared(uint64_t calls[][RECORDING_BUCKETS],
                              uint64_t bytes[][RECORDING_LOG_BUCKETS],
                              int function, size_t size) {
  const unsigned bucket = RecordingBucket(size);
  AddShared(&calls[function][bucket], 1);
  if (bucket >= RECORDING_EXACT_SIZES) {
    AddShared(&bytes[function][bucket - RECORDING_EXACT_SIZES], size);
  }
}

/* Makes a forked child a process of its own; several threads may try. */
static uint64_t Generation(void) {
  uint64_t now = __atomic_load_n(generation, __ATOMIC_ACQUIRE);
  if (now != 0) return now;
  const uint64_t mine =
      __atomic_add_fetch(&recording->header.processes, 1, __ATOMIC_RELAXED);
  if (__atomic_compare_exchange_n(generation, &now, mine, 0, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return mine;
  }
  __atomic_fetch_sub(&recording->header.processes, 1, __ATOMIC_RELAXED);
  return now;
}

/* A block for this thread; NULL where it must share the first one. A handler
   that interrupts this takes one for itself. */
NEVER_INLINE struct RecordingBlock* Claim(struct Thread* self) {
  if (recording == NULL) {
    self->block = &nowhere;
    self->generation = nowhere_generation;
    return self->block;
  }
  const uint64_t now = Generation();
  uint64_t* const blocks = &recording->header.blocks;
  if (__atomic_load_n(blocks, __ATOMIC_RELAXED) >= RECORDING_THREADS) {
    return NULL;
  }
  const uint64_t index = __atomic_fetch_add(blocks, 1, __ATOMIC_RELAXED);
  if (index >= RECORDING_THREADS) return NULL;
  self->block = &recording->block[index];
  self->countdown = 0;
  self->random = (uint32_t)index * 2654435761u + 1;
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  self->generation = now;
  return self->block;
}

/* Counts a small call of a thread that is under way. 0: it is none, or has to
   be observed; nothing was counted then. */
ALWAYS_INLINE int CountSmall(int function, size_t size) {
  if (UNLIKELY(!ready) || UNLIKELY(size >= RECORDING_EXACT_SIZES)) return 0;
  struct Thread* const self = &thread;
  if (UNLIKELY(self->generation != *generation)) return 0;
  if (UNLIKELY(self->countdown <= 0)) return 0;
  --self->countdown;
  Add(&self->block->calls[function][size], 1);
  return 1;
}

/* Any call but those before `ready`. */
static void Count(int function, const void* to, const void* from, size_t size) {
  struct Thread* const self = &thread;
  if (self->generation != *generation && Claim(self) == NULL) {
    struct RecordingBlock* const shared = &recording->block[0];
    CountShared(shared->calls, shared->bytes, function, size);
    return;
  }
  const unsigned bucket = RecordingBucket(size);
  Add(&self->block->calls[function][bucket], 1);
  if (bucket >= RECORDING_EXACT_SIZES) {
    Add(&self->block->bytes[function][bucket - RECORDING_EXACT_SIZES], size);
  }
  const unsigned is_memset = function == kRecordedMemset;
  if (size >= RECORDING_LARGE) {
    Observe(self, (uintptr_t)to, (uintptr_t)from, size, is_memset);
  } else if (--self->countdown < 0) {
    ObserveInBurst(self, (uintptr_t)to, (uintptr_t)from, size, is_memset);
  }
}

static void* OwnCopy(void* to, const void* from, size_t size) {
  void* result = to;
  if ((uintptr_t)to - (uintptr_t)from >= size) {
    __asm__ volatile("rep movsb"
                     : "+D"(to), "+S"(from), "+c"(size)
                     :
                     : "memory");
    return result;
  }
  char* to_end = (char*)to + size - 1;
  const char* from_end = (const char*)from + size - 1;
  __asm__ volatile("std; rep movsb; cld"
                   : "+D"(to_end), "+S"(from_end), "+c"(size)
                   :
                   : "memory", "cc");
  return result;
}

static void* OwnSet(void* to, int value, size_t size) {
  void* result = to;
  __asm__ volatile("rep stosb" : "+D"(to), "+c"(size) : "a"(value) : "memory");
  return result;
}

ALWAYS_INLINE int Overlap(const void* to, const void* from, size_t size) {
  return (uintptr_t)to - (uintptr_t)from < size ||
         (uintptr_t)from - (uintptr_t)to < size;
}

/* What CountSmall leaves over, kept apart so that its way needs no stack. */
NEVER_INLINE void* CopyAndCount(void* to, const void* from, size_t size,
                                int function) {
  if (!ready) {
    CountShared(early_calls, early_bytes, function, size);
    OwnCopy(to, from, size);
    return function == kRecordedMempcpy ? (char*)to + size : to;
  }
  Count(function, to, from, size);
  if (function == kRecordedMempcpy) return real_mempcpy(to, from, size);
  if (function == kRecordedMemmove || Overlap(to, from, size)) {
    return real_memmove(to, from, size);
  }
  return real_memcpy(to, from, size);
}

NEVER_INLINE void* SetAndCount(void* to, int value, size_t size) {
  if (!ready) {
    CountShared(early_calls, early_bytes, kRecordedMemset, size);
    return OwnSet(to, value, size);
  }
  Count(kRecordedMemset, to, NULL, size);
  return real_memset(to, value, size);
}

EXPORT void* memcpy(void* to, const void* from, size_t size) {
  if (!CountSmall(kRecordedMemcpy, size)) {
    return CopyAndCount(to, from, size, kRecordedMemcpy);
  }
  /* Programs linked before 2.14 may rely on memcpy as memmove. */
  if (UNLIKELY(Overlap(to, from, size))) return real_memmove(to, from, size);
  return real_memcpy(to, from, size);
}

EXPORT void* memmove(void* to, const void* from, size_t size) {
  if (!CountSmall(kRecordedMemmove, size)) {
    return CopyAndCount(to, from, size, kRecordedMemmove);
  }
  return real_memmove(to, from, size);
}

EXPORT void* mempcpy(void* to, const void* from, size_t size) {
  if (!CountSmall(kRecordedMempcpy, size)) {
    return CopyAndCount(to, from, size, kRecordedMempcpy);
  }
  return real_mempcpy(to, from, size);
}

EXPORT void* __mempcpy(void* to, const void* from, size_t size) {
  return mempcpy(to, from, size);
}

EXPORT void* memset(void* to, int value, size_t size) {
  if (!CountSmall(kRecordedMemset, size)) return SetAndCount(to, value, size);
  return real_memset(to, value, size);
}

/* The checked forms end the program where `room` is less than `size`; glibc's
   own do it, with its own message. */
EXPORT void* __memcpy_chk(void* to, const void* from, size_t size,
                          size_t room) {
  if (LIKELY(ready) && UNLIKELY(room < size)) {
    return real_memcpy_chk(to, from, size, room);
  }
  if (UNLIKELY(room < size)) abort();
  return memcpy(to, from, size);
}

EXPORT void* __memmove_chk(void* to, const void* from, size_t size,
                           size_t room) {
  if (LIKELY(ready) && UNLIKELY(room < size)) {
    return real_memmove_chk(to, from, size, room);
  }
  if (UNLIKELY(room < size)) abort();
  return memmove(to, from, size);
}

EXPORT void* __mempcpy_chk(void* to, const void* from, size_t size,
                           size_t room) {
  if (LIKELY(ready) && UNLIKELY(room < size)) {
    return real_mempcpy_chk(to, from, size, room);
  }
  if (UNLIKELY(room < size)) abort();
  return mempcpy(to, from, size);
}

EXPORT void* __memset_chk(void* to, int value, size_t size, size_t room) {
  if (LIKELY(ready) && UNLIKELY(room < size)) {
    return real_memset_chk(to, value, size, room);
  }
  if (UNLIKELY(room < size)) abort();
  return memset(to, value, size);
}

/* The name of a file that no other has: DIRECTORY/PROCESS.NUMBER. */
static int OpenFile(const char* directory) {
  char path[4096];
  for (unsigned number = 0; number < 10000; ++number) {
    size_t length = 0;
    while (directory[length] != 0 && length < sizeof path - 64) {
      path[length] = directory[length];
      ++length;
    }
    if (directory[length] != 0) return -1;
    path[length++] = '/';
    for (int part = 0; part < 2; ++part) {
      unsigned long value = part == 0 ? (unsigned long)getpid() : number;
      char digits[24];
      unsigned count = 0;
      do {
        digits[count++] = (char)('0' + value % 10);
        value /= 10;
      } while (value != 0);
      while (count > 0) path[length++] = digits[--count];
      if (part == 0) path[length++] = '.';
    }
    path[length] = 0;
    const int file =
        open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

/* NULL where nothing can be recorded: the program must run all the same. */
static struct Recording* MapFile(void) {
  const char* const directory = secure_getenv(RECORDING_DIRECTORY_VARIABLE);
  if (directory == NULL) return NULL;
  /* A larger file would be answered with SIGXFSZ. */
  struct rlimit limit;
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 ||
      limit.rlim_cur < sizeof(struct Recording)) {
    return NULL;
  }
  const int file = OpenFile(directory);
  if (file < 0) return NULL;
  void* map = MAP_FAILED;
  if (ftruncate(file, sizeof(struct Recording)) == 0) {
    map = mmap(NULL, sizeof(struct Recording), PROT_READ | PROT_WRITE,
               MAP_SHARED, file, 0);
  }
  close(file);
  return map == MAP_FAILED ? NULL : map;
}

static void ForgetGeneration(void) {
  __atomic_store_n(generation, 0, __ATOMIC_RELEASE);
}

static void MakeGeneration(void) {
  generation = &nowhere_generation;
  if (recording == NULL) return;
  void* const page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) {
    recording = NULL;
    return;
  }
  generation = page;
  /* Before Linux 4.14. */
  if (madvise(page, 4096, MADV_WIPEONFORK) != 0) {
    pthread_atfork(NULL, NULL, ForgetGeneration);
  }
}

static void MoveEarlyCalls(void) {
  struct RecordingBlock* const shared =
      recording != NULL ? &recording->block[0] : &nowhere;
  for (unsigned function = 0; function < kRecordedFunctions; ++function) {
    for (unsigned i = 0; i < RECORDING_BUCKETS; ++i) {
      uint64_t* const early = &early_calls[function][i];
      if (*early == 0) continue;
      AddShared(&shared->calls[function][i],
                __atomic_exchange_n(early, 0, __ATOMIC_RELAXED));
    }
    for (unsigned i = 0; i < RECORDING_LOG_BUCKETS; ++i) {
      uint64_t* const early = &early_bytes[function][i];
      if (*early == 0) continue;
      AddShared(&shared->bytes[function][i],
                __atomic_exchange_n(early, 0, __ATOMIC_RELAXED));
    }
  }
}

__attribute__((constructor)) static void Start(void) {
  real_memcpy = (Copy*)dlsym(RTLD_NEXT, "memcpy");
  real_memmove = (Copy*)dlsym(RTLD_NEXT, "memmove");
  real_mempcpy = (Copy*)dlsym(RTLD_NEXT, "mempcpy");
  real_memset = (Set*)dlsym(RTLD_NEXT, "memset");
  real_memcpy_chk = (CheckedCopy*)dlsym(RTLD_NEXT, "__memcpy_chk");
  real_memmove_chk = (CheckedCopy*)dlsym(RTLD_NEXT, "__memmove_chk");
  real_mempcpy_chk = (CheckedCopy*)dlsym(RTLD_NEXT, "__mempcpy_chk");
  real_memset_chk = (CheckedSet*)dlsym(RTLD_NEXT, "__memset_chk");
  /* Not glibc: the functions here do it all, uncounted. */
  if (real_memcpy == NULL || real_memmove == NULL || real_mempcpy == NULL ||
      real_memset == NULL || real_memcpy_chk == NULL ||
      real_memmove_chk == NULL || real_mempcpy_chk == NULL ||
      real_memset_chk == NULL) {
    return;
  }
  recording = MapFile();
  MakeGeneration();
  if (recording != NULL) {
    recording->header.process = (uint64_t)getpid();
    const ssize_t length = readlink("/proc/self/exe", recording->header.program,
                                    sizeof recording->header.program - 1);
    if (length < 0) recording->header.program[0] = 0;
    recording->header.blocks = 1;
    __atomic_store_n(&recording->header.magic, RECORDING_MAGIC,
                     __ATOMIC_RELEASE);
  }
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  MoveEarlyCalls();
}
