// Every memset variant, side by side with the running libc's.

#include "kernels/memory_benchmark.h"

int main(int argc, char** argv) {
  return kernels::RunMemoryBenchmark(kernels::Function::kMemset, argc, argv);
}
