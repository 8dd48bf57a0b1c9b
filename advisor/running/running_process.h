// What a running process got in GLIBC_TUNABLES, and the numbers that its libc
// works with.

#ifndef ADVISOR_RUNNING_RUNNING_PROCESS_H_
#define ADVISOR_RUNNING_RUNNING_PROCESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/process_door.h"
#include "advisor/host/subprocess.h"

namespace advisor {

// One number of the memory functions.
struct RunningValue {
  std::string name;  // "x86_non_temporal_threshold", "rep_movsb_stop_threshold"
  // As the loader lists it under the process's GLIBC_TUNABLES; nullopt: it
  // cannot be asked.
  std::optional<uint64_t> listed;
  // In the process's memory.
  std::optional<uint64_t> effective;
  // How `effective` was found ("libc.so.6+0x1d2368"), or why it was not.
  std::string way;
};

struct RunningAncestor {
  int pid = 0;
  std::string program;
  // nullopt: not set; `readable` false: not known.
  std::optional<std::string> glibc_tunables;
  bool readable = true;
};

struct RunningProcess {
  int pid = 0;
  std::string program;
  std::string libc;  // path, in the process's own root
  std::string build;
  std::string build_note;
  std::optional<bool> secure;
  // Its environment when it was started.
  std::optional<std::string> glibc_tunables;
  std::vector<RunningValue> values;
  // Why nothing is told of loader or memory. Each a line.
  std::vector<std::string> problems;
  // From its parent on.
  std::vector<RunningAncestor> ancestors;
  // "process 12 (/usr/bin/sudo) does not have what process 11 (...) has";
  // empty: nobody dropped it.
  std::string dropped;
};

struct RunningDoors {
  const FileReader& files;
  const Subprocess& subprocess;
  const ProcessDoor& processes;
};

// To find the values, loader and libc are run (with --list-tunables, and as in
// value_slots.h): this system's own, where the process's are the same byte for
// byte. The process's, which are another's files, and this process may have
// more rights, only with `run_its_loader`; then as this user and outside of the
// process's namespaces.
absl::StatusOr<RunningProcess> InspectProcess(const RunningDoors& doors,
                                              int pid, bool run_its_loader);

}  // namespace advisor

#endif  // ADVISOR_RUNNING_RUNNING_PROCESS_H_
