// The command line of one command. Each command has its own table of flags,
// from which parsing, error messages and help are made. (Abseil's flags are
// global to the program: help for one command, and errors in one line with our
// exit status, are not to be had from them.)

#ifndef ADVISOR_FLAGS_H_
#define ADVISOR_FLAGS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace advisor {

struct FlagRow {
  // Without the dashes.
  absl::string_view name;
  // What follows "=": "FILE"; "" for a flag without a value. Lower-case words
  // with "|" between ("off|quick|full") are the only values then accepted.
  absl::string_view value;
  // In lower case, no full stop: "where to write the study". Says the default.
  absl::string_view description;
  // May be given more than once (GetAll).
  bool repeated = false;
};

// The words of a "off|quick|full" value; empty where any value goes.
std::vector<absl::string_view> Choices(const FlagRow& flag);

class Flags {
 public:
  // `words` are "--name=value", "--name value", "--name" for flags without a
  // value, and arguments; after "--" there are only arguments. InvalidArgument
  // in one line for an unknown flag (with a suggestion), a flag given twice, a
  // value that is missing, empty, superfluous or not one of the choices.
  static absl::StatusOr<Flags> Parse(absl::Span<const std::string> words,
                                     absl::Span<const FlagRow> rows);

  // The value ("" for a flag without one), the last of several; nullopt when it
  // was not given.
  std::optional<std::string> Get(absl::string_view name) const;
  // In the order given.
  std::vector<std::string> GetAll(absl::string_view name) const;
  bool Has(absl::string_view name) const { return Get(name).has_value(); }

  // The words that are no flags.
  const std::vector<std::string>& arguments() const { return arguments_; }
  // Those of them that stand before "--".
  size_t plain_arguments() const { return plain_arguments_; }

 private:
  std::map<std::string, std::vector<std::string>> values_;
  std::vector<std::string> arguments_;
  size_t plain_arguments_ = 0;
};

}  // namespace advisor

#endif  // ADVISOR_FLAGS_H_
