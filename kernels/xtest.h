// `xtest` on a CPU without RTM.

#ifndef KERNELS_XTEST_H_
#define KERNELS_XTEST_H_

#include <ucontext.h>

namespace kernels {

// In the handler of a SIGILL: where it came of an `xtest` (0f 01 d6), that is
// answered with "not in a transaction", and the code can go on. Else false.
bool AnswerXtest(ucontext_t& context);

}  // namespace kernels

#endif  // KERNELS_XTEST_H_
