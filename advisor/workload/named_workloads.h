// The workloads that ship with the program: testdata/distributions.

#ifndef ADVISOR_WORKLOAD_NAMED_WORKLOADS_H_
#define ADVISOR_WORKLOAD_NAMED_WORKLOADS_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/host/file_reader.h"
#include "advisor/workload/workload.h"

namespace advisor {

struct NamedWorkload {
  absl::string_view name;
  absl::string_view text;
};

// Sorted by name.
absl::Span<const NamedWorkload> NamedWorkloads();

// `what` is the name of one of these, else a file. Errors are one line: what is
// wrong in the file, or, where there is none, which names there are.
absl::StatusOr<Workload> LoadWorkload(const FileReader& files,
                                      absl::string_view what);

}  // namespace advisor

#endif  // ADVISOR_WORKLOAD_NAMED_WORKLOADS_H_
