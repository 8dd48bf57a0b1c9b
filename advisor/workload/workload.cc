#include "advisor/workload/workload.h"

#include "absl/strings/str_cat.h"

namespace advisor {

uint64_t FunctionSizes::calls() const {
  uint64_t sum = 0;
  for (const SizeCount& row : sizes) sum += row.calls;
  return sum;
}

uint64_t FunctionSizes::bytes() const {
  uint64_t sum = 0;
  for (const SizeCount& row : sizes) sum += row.bytes;
  return sum;
}

uint64_t Workload::calls() const {
  uint64_t sum = 0;
  for (const FunctionSizes& function : functions) sum += function.calls();
  return sum;
}

uint64_t Workload::bytes() const {
  uint64_t sum = 0;
  for (const FunctionSizes& function : functions) sum += function.bytes();
  return sum;
}

std::string Workload::Describe() const {
  const WorkloadProvenance& from = provenance;
  if (!from.is_recorded) return absl::StrCat("synthetic: ", from.source);
  return absl::StrCat("recorded from ", from.program,
                      from.version.empty() ? "" : " ", from.version, " on ",
                      from.machine, ", glibc ", from.glibc, ", ", from.date);
}

const SizeDetail* Workload::DetailOf(bool is_memset, uint64_t size) const {
  for (const SizeDetail& row : details[is_memset]) {
    if (row.from <= size && size <= row.to) return &row;
  }
  return nullptr;
}

}  // namespace advisor
