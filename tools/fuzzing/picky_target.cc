// A fuzz target that finds fault with one input.

#include "tools/fuzzing/fuzzing.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzzing::Require(fuzzing::Text(data, size) != "bad", "no bad input");
  return 0;
}
