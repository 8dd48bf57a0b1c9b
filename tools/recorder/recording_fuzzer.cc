// Recordings of processes, which may have written anything into them. Of each
// the input has the words of the header and then places and counts, 12 bytes
// together; everything else is zero.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "advisor/host/file_reader.h"
#include "advisor/workload/workload.h"
#include "tools/fuzzing/fuzzing.h"
#include "tools/recorder/merge.h"
#include "tools/recorder/recording.h"

namespace recorder {
namespace {

constexpr size_t kHeaderBytes = 40;
constexpr size_t kCountBytes = 12;

// Takes the front of `rest`.
std::string RecordingOf(absl::string_view& rest) {
  RecordingHeader header = {};
  const size_t length = std::min(rest.size(), kHeaderBytes);
  std::memcpy(&header, rest.data(), length);
  rest.remove_prefix(length);
  const size_t blocks = std::min<uint64_t>(header.blocks, 2);
  std::string content(
      offsetof(Recording, block) + blocks * sizeof(RecordingBlock), '\0');
  std::memcpy(content.data(), &header, sizeof header);
  const size_t counters = blocks * sizeof(RecordingBlock) / sizeof(uint64_t);
  for (int i = 0; i < 8 && counters > 0 && rest.size() >= kCountBytes; ++i) {
    uint32_t place;
    std::memcpy(&place, rest.data(), sizeof place);
    std::memcpy(content.data() + offsetof(Recording, block) +
                    place % counters * sizeof(uint64_t),
                rest.data() + sizeof place, sizeof(uint64_t));
    rest.remove_prefix(kCountBytes);
  }
  return content;
}

void TestOne(absl::string_view rest) {
  advisor::FakeFileReader files;
  for (const char* const name : {"in/1", "in/2"}) {
    if (!rest.empty()) files.Add(name, RecordingOf(rest));
  }
  Merger merger;
  const absl::Status status = merger.AddFolder(files, "in");
  if (!status.ok()) return;
  const advisor::Workload workload = merger.Result();
  for (const advisor::FunctionSizes& function : workload.functions) {
    uint64_t before = 0;
    for (const advisor::SizeCount& row : function.sizes) {
      fuzzing::Require(row.calls > 0 && row.from >= before, "ascending sizes");
      before = row.from + 1;
    }
  }
  const absl::StatusOr<advisor::Workload> again =
      advisor::ParseWorkload(advisor::FormatWorkload(workload), "in");
  // record_sizes refuses it then.
  if (!again.ok()) return fuzzing::RequireInputError(again.status(), "in");
  fuzzing::Require(
      again->calls() == workload.calls() && again->bytes() == workload.bytes(),
      "the same calls");
}

}  // namespace
}  // namespace recorder

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  recorder::TestOne(fuzzing::Text(data, size));
  return 0;
}
