#include "kernels/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kernels {

GuardedBuffer::GuardedBuffer(size_t size) {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_ = (size + page - 1) / page * page;
  void* mapping = mmap(nullptr, size_ + 2 * page, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED || mprotect(static_cast<char*>(mapping) + page,
                                        size_, PROT_READ | PROT_WRITE) != 0) {
    std::perror("GuardedBuffer");
    std::abort();
  }
  begin_ = static_cast<char*>(mapping) + page;
}

GuardedBuffer::~GuardedBuffer() {
  const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  munmap(begin_ - page, size_ + 2 * page);
}

void FillWithUniqueWindows(char* begin, size_t size) {
  // SplitMix64 (Steele, Lea and Flood 2014): 64 bits that do not repeat.
  uint64_t state = 0;
  for (size_t i = 0; i < size; i += 8) {
    state += 0x9e3779b97f4a7c15;
    uint64_t word = state;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    word ^= word >> 31;
    std::memcpy(begin + i, &word, size - i < 8 ? size - i : 8);
  }
}

}  // namespace kernels
