// Memory between two inaccessible pages, and content that gives itself away.

#ifndef KERNELS_GUARDED_BUFFER_H_
#define KERNELS_GUARDED_BUFFER_H_

#include <cstddef>

namespace kernels {

// `size` bytes, rounded up to whole pages; the page before and the page after
// cannot be read or written.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(size_t size);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  char* begin() const { return begin_; }
  char* end() const { return begin_ + size_; }
  size_t size() const { return size_; }

 private:
  char* begin_;
  size_t size_;
};

// Fills with bytes of which every 8 in a row occur once only in the first MiB,
// so that a copy from a wrong place shows. The same bytes on every call.
void FillWithUniqueWindows(char* begin, size_t size);

}  // namespace kernels

#endif  // KERNELS_GUARDED_BUFFER_H_
