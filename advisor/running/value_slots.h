// Where a libc keeps the numbers that its memory functions read.
//
// They are local variables without symbols. Two short-lived children of the
// same loader and libc get distinctive values through GLIBC_TUNABLES; the words
// of the libc's data that hold the first child's value in the one and the
// second's in the other are the places, relative to where the libc is loaded.
// Nothing of the process in question is run or changed.

#ifndef ADVISOR_RUNNING_VALUE_SLOTS_H_
#define ADVISOR_RUNNING_VALUE_SLOTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/tunables.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/process_door.h"
#include "advisor/running/memory_map.h"

namespace advisor {

struct ValueSlots {
  // By tunable: offsets from the libc's base, ascending. More than one holds
  // the same number by construction (rep_movsb_stop_threshold follows the
  // non-temporal one in most releases).
  std::map<Tunable, std::vector<uint64_t>> in_libc;
  // rep_movsb_stop_threshold, which is no tunable: offset from the loader's
  // base; nullopt where its neighbours do not frame it.
  std::optional<uint64_t> stop_in_loader;
};

// `loader` and `libc` are paths of files that may be run. Errors are one line:
// those of ProcessDoor::RunToExit, and Internal where the children tell
// nothing.
absl::StatusOr<ValueSlots> FindValueSlots(const FileReader& files,
                                          const ProcessDoor& door,
                                          const GlibcBuild& build,
                                          absl::string_view loader,
                                          absl::string_view libc);

// The module of that file name ("libc.so.6", "ld-linux-x86-64.so.2"), or of
// `path`; nullptr: none.
const MemoryModule* FindModule(const std::vector<MemoryModule>& modules,
                               absl::string_view path);

}  // namespace advisor

#endif  // ADVISOR_RUNNING_VALUE_SLOTS_H_
