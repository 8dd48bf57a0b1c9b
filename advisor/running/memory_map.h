// Where a process has its libraries: the text of /proc/N/maps.

#ifndef ADVISOR_RUNNING_MEMORY_MAP_H_
#define ADVISOR_RUNNING_MEMORY_MAP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace advisor {

struct MemoryModule {
  std::string path;
  // The file is no longer there under that name.
  bool is_deleted = false;
  // Where offset 0 of the file is.
  uint64_t base = 0;
  // Its data: readable, not executable, behind the code, with the zeroed part
  // that has no file. Ascending.
  struct Range {
    uint64_t begin;
    uint64_t end;
  };
  std::vector<Range> data;
};

// Files that are mapped to be executed, in the order of their addresses. Lines
// of another form are skipped.
std::vector<MemoryModule> ParseMemoryMap(absl::string_view text);

}  // namespace advisor

#endif  // ADVISOR_RUNNING_MEMORY_MAP_H_
