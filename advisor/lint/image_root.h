// Where an unpacked image, or any root, sets an environment variable.

#ifndef ADVISOR_LINT_IMAGE_ROOT_H_
#define ADVISOR_LINT_IMAGE_ROOT_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct PlacedValue {
  std::string value;
  std::string place;  // "/etc/environment:3"
  // The program of a unit, as inside the root; empty for other places.
  std::string program;
};

struct ImageSettings {
  // PRETTY_NAME of os-release; empty where there is none.
  std::string system;
  // /etc/environment, environment.d, profile and profile.d, then units.
  std::vector<PlacedValue> values;
  // What cannot be read or was not expanded. Each a line.
  std::vector<std::string> notes;
};

// `files`: of the image, as seen from inside it.
ImageSettings FindImageSettings(const FileReader& files,
                                absl::string_view variable);

}  // namespace advisor

#endif  // ADVISOR_LINT_IMAGE_ROOT_H_
