// Many processes' recordings as one workload.

#ifndef TOOLS_RECORDER_MERGE_H_
#define TOOLS_RECORDER_MERGE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"
#include "advisor/workload/workload.h"
#include "tools/recorder/recording.h"

namespace recorder {

class Merger {
 public:
  Merger();

  // Adds every recording of `folder`. A file that is none (its process ended
  // before it was made whole) is left out. InvalidArgument, or what reading
  // says.
  absl::Status AddFolder(const advisor::FileReader& files,
                         absl::string_view folder);

  // Adds the front of a recording, as much of it as its header says.
  absl::Status Add(absl::string_view content, absl::string_view name);

  // Everything but provenance and name; programs and processes are there.
  advisor::Workload Result() const;

  // The processes that made files.
  const std::vector<uint64_t>& processes() const { return processes_; }

 private:
  std::unique_ptr<RecordingBlock> sum_;
  std::vector<uint64_t> processes_;
  uint64_t process_count_ = 0;
  std::map<std::string, advisor::WorkloadProvenance::Program> programs_;
};

// Bytes of a recording that are in use.
size_t UsedBytes(const RecordingHeader& header);

}  // namespace recorder

#endif  // TOOLS_RECORDER_MERGE_H_
