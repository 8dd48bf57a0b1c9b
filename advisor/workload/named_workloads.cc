#include "advisor/workload/named_workloads.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace advisor {
namespace {

// Generated from the files.
constexpr NamedWorkload kWorkloads[] = {
#include "advisor/workload/named_workloads_data.inc"
};

}  // namespace

absl::Span<const NamedWorkload> NamedWorkloads() { return kWorkloads; }

absl::StatusOr<Workload> LoadWorkload(const FileReader& files,
                                      absl::string_view what) {
  for (const NamedWorkload& workload : kWorkloads) {
    if (workload.name == what) {
      return ParseWorkload(workload.text, workload.name);
    }
  }
  const absl::StatusOr<std::string> text = files.Read(what);
  if (text.ok()) return ParseWorkload(*text, what);
  if (!absl::IsNotFound(text.status())) return text.status();
  return absl::NotFoundError(absl::StrCat(
      what, ": expected a file or one of ",
      absl::StrJoin(kWorkloads, ", ",
                    [](std::string* out, const NamedWorkload& workload) {
                      absl::StrAppend(out, workload.name);
                    }),
      ", found neither"));
}

}  // namespace advisor
