// The environment that a systemd unit gives to its program.
//
// Source: systemd.exec(5), systemd.unit(5).

#ifndef ADVISOR_LINT_SYSTEMD_UNIT_H_
#define ADVISOR_LINT_SYSTEMD_UNIT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct UnitVariable {
  std::string value;
  // "/etc/systemd/system/x.service:12"
  std::string place;
};

struct SystemdUnit {
  std::string name;  // "x.service"
  // The unit file first, then its drop-ins in the order that they count in.
  std::vector<std::string> files;
  // The program of the first ExecStart=; empty where there is none.
  std::string program;
  // The variable asked for, as the program gets it; nullopt: not from here.
  std::optional<UnitVariable> variable;
  // Earlier assignments of it that do not count, what the unit takes over from
  // its manager, files that cannot be read, and words that systemd refuses.
  // Each a line.
  std::vector<std::string> notes;
};

// `file_or_name`: a path, or a name that is looked for where systemd looks
// ("x" is "x.service"). NotFound: there is no such unit; FailedPrecondition: it
// is masked.
absl::StatusOr<SystemdUnit> ReadSystemdUnit(const FileReader& files,
                                            absl::string_view file_or_name,
                                            absl::string_view variable);

// Names of the services that unit files or drop-ins of this root mention
// `text` in. Sorted.
std::vector<std::string> UnitsThatMention(const FileReader& files,
                                          absl::string_view text);

}  // namespace advisor

#endif  // ADVISOR_LINT_SYSTEMD_UNIT_H_
