#include "tools/recorder/merge.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace recorder {
namespace {

using ::advisor::FunctionSizes;
using ::advisor::SizeCount;
using ::advisor::SizeDetail;
using ::advisor::Workload;
using ::advisor::WorkloadProvenance;

constexpr const char* kFunctionNames[kRecordedFunctions] = {
    "memcpy", "memmove", "mempcpy", "memset"};
// Programs that are named; the others are few calls.
constexpr size_t kMostPrograms = 12;
constexpr size_t kFirstBlock = offsetof(Recording, block);

static_assert(sizeof(RecordingBlock) % sizeof(uint64_t) == 0,
              "a block is nothing but counters");

// More calls or bytes than any program makes.
constexpr uint64_t kMost = uint64_t{1} << 60;

// Every counter of a block is added to that of `sum`. False at one that is
// beyond what can be: a program wrote over its counters.
bool AddBlock(const char* content, RecordingBlock& sum) {
  auto* counters = reinterpret_cast<uint64_t*>(&sum);
  for (size_t i = 0; i < sizeof(RecordingBlock) / sizeof(uint64_t); ++i) {
    uint64_t value;
    std::memcpy(&value, content + i * sizeof value, sizeof value);
    if (value > kMost - counters[i]) return false;
    counters[i] += value;
  }
  return true;
}

absl::Status NoCounts(absl::string_view name) {
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": expected counts of calls, found more than any program makes"));
}

uint64_t CallsOf(const RecordingBlock& block) {
  uint64_t calls = 0;
  for (const auto& function : block.calls) {
    for (const uint64_t count : function) calls += count;
  }
  return calls;
}

std::vector<SizeCount> SizesOf(const RecordingBlock& block, int function) {
  std::vector<SizeCount> rows;
  for (unsigned bucket = 0; bucket < RECORDING_BUCKETS; ++bucket) {
    const uint64_t calls = block.calls[function][bucket];
    if (calls == 0) continue;
    const uint64_t from = RecordingBucketStart(bucket);
    const uint64_t bytes =
        bucket < RECORDING_EXACT_SIZES
            ? from * calls
            : block.bytes[function][bucket - RECORDING_EXACT_SIZES];
    // A process that is still running may have counted the one, not the other.
    rows.push_back({from, calls, std::max(bytes, from * calls)});
  }
  return rows;
}

SizeDetail DetailOf(const RecordingDetail& counts, unsigned index) {
  const auto share = [&](uint64_t count) {
    return std::min(
        1.0, static_cast<double>(count) / static_cast<double>(counts.calls));
  };
  SizeDetail detail;
  detail.from = index == 0 ? 0 : uint64_t{1} << (index - 1);
  detail.to = index == 0 ? 0 : 2 * detail.from - 1;
  detail.observed = counts.calls;
  detail.aligned = share(counts.both_aligned);
  detail.destination_misaligned = share(counts.destination_misaligned);
  detail.source_misaligned = share(counts.source_misaligned);
  detail.both_misaligned = share(counts.both_misaligned);
  detail.page_aliasing = share(counts.page_aliasing);
  detail.overlap_forward = share(counts.overlap_forward);
  detail.overlap_backward = share(counts.overlap_backward);
  detail.same_address = share(counts.same_address);
  detail.gap_below_4k = share(counts.gap_below_4k);
  detail.gap_below_1m = share(counts.gap_below_1m);
  detail.read_back = share(counts.read_back);
  detail.rewritten = share(counts.rewritten);
  return detail;
}

std::string ProgramName(const RecordingHeader& header) {
  const absl::string_view path(header.program,
                               strnlen(header.program, sizeof header.program));
  if (path.empty()) return "(unknown)";
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

size_t UsedBytes(const RecordingHeader& header) {
  return kFirstBlock + std::min<uint64_t>(header.blocks, RECORDING_THREADS) *
                           sizeof(RecordingBlock);
}

Merger::Merger() : sum_(std::make_unique<RecordingBlock>()) {}

absl::Status Merger::Add(absl::string_view content, absl::string_view name) {
  RecordingHeader header;
  if (content.size() < sizeof header) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": expected ", sizeof header, " bytes, found ", content.size()));
  }
  std::memcpy(&header, content.data(), sizeof header);
  if (header.magic == 0) return absl::OkStatus();
  if (header.magic != RECORDING_MAGIC) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected a recording, found something else"));
  }
  if (content.size() < UsedBytes(header)) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": expected ", UsedBytes(header), " bytes, found ",
                     content.size()));
  }
  auto block = std::make_unique<RecordingBlock>();
  for (size_t at = kFirstBlock; at < UsedBytes(header);
       at += sizeof(RecordingBlock)) {
    if (!AddBlock(content.data() + at, *block)) return NoCounts(name);
  }
  if (!AddBlock(reinterpret_cast<const char*>(block.get()), *sum_)) {
    return NoCounts(name);
  }
  processes_.push_back(header.process);
  // One that called nothing has not made itself known.
  const uint64_t processes = std::max<uint64_t>(header.processes, 1);
  process_count_ += processes;
  WorkloadProvenance::Program& program = programs_[ProgramName(header)];
  program.processes += processes;
  program.calls += CallsOf(*block);
  return absl::OkStatus();
}

absl::Status Merger::AddFolder(const advisor::FileReader& files,
                               absl::string_view folder) {
  const absl::StatusOr<std::vector<std::string>> names = files.List(folder);
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    const std::string path = absl::StrCat(folder, "/", name);
    RecordingHeader header = {};
    absl::StatusOr<std::string> content =
        files.ReadFront(path, sizeof(RecordingHeader));
    if (!content.ok()) return content.status();
    if (content->size() < sizeof header) continue;
    std::memcpy(&header, content->data(), sizeof header);
    content = files.ReadFront(path, UsedBytes(header));
    if (!content.ok()) return content.status();
    if (absl::Status status = Add(*content, path); !status.ok()) return status;
  }
  return absl::OkStatus();
}

Workload Merger::Result() const {
  Workload workload;
  for (int function = 0; function < kRecordedFunctions; ++function) {
    FunctionSizes sizes = {kFunctionNames[function], SizesOf(*sum_, function)};
    if (!sizes.sizes.empty()) workload.functions.push_back(std::move(sizes));
  }
  for (const int kind : {0, 1}) {
    for (unsigned i = 0; i < RECORDING_CLASSES; ++i) {
      const RecordingDetail& detail = sum_->details[kind][i];
      if (detail.calls != 0) {
        workload.details[kind].push_back(DetailOf(detail, i));
      }
    }
  }
  WorkloadProvenance& provenance = workload.provenance;
  provenance.processes = process_count_;
  for (const auto& [name, program] : programs_) {
    provenance.programs.push_back({name, program.processes, program.calls});
  }
  std::stable_sort(
      provenance.programs.begin(), provenance.programs.end(),
      [](const WorkloadProvenance::Program& a,
         const WorkloadProvenance::Program& b) { return a.calls > b.calls; });
  if (provenance.programs.size() > kMostPrograms) {
    provenance.programs.resize(kMostPrograms);
  }
  return workload;
}

}  // namespace recorder
