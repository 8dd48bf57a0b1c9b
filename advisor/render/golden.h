// Comparison with files of testdata/golden.

#ifndef ADVISOR_RENDER_GOLDEN_H_
#define ADVISOR_RENDER_GOLDEN_H_

#include <string>

namespace advisor {

// Expects that `path` (from the workspace's root, in the test's data) has just
// this content. Under `bazel run TEST` it writes the file in the source tree
// instead, for review as a diff; such a run fails, so that it is no test.
void ExpectGolden(const std::string& path, const std::string& content);

}  // namespace advisor

#endif  // ADVISOR_RENDER_GOLDEN_H_
