// The words of a command line, one a line, and the same written out again.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "advisor/flags.h"
#include "tools/fuzzing/fuzzing.h"

namespace advisor {
namespace {

constexpr FlagRow kFlags[] = {
    {"cpuid", "FILE", "a dump", true},
    {"format", "text|json", "how to write"},
    {"glibc", "BUILD", "which glibc"},
    {"quiet", "", "without progress"},
};

void TestOne(absl::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(text, '\n');
  const absl::StatusOr<Flags> flags = Flags::Parse(words, kFlags);
  if (!flags.ok()) {
    fuzzing::Require(absl::IsInvalidArgument(flags.status()) &&
                         !absl::StrContains(flags.status().message(), "\n"),
                     flags.status().ToString());
    return;
  }
  fuzzing::Require(flags->plain_arguments() <= flags->arguments().size(),
                   "arguments before --");
  const std::string format = flags->Get("format").value_or("text");
  fuzzing::Require(format == "text" || format == "json", "one of the choices");
  std::vector<std::string> written;
  size_t count = 0;
  for (const FlagRow& row : kFlags) {
    const std::vector<std::string> values = flags->GetAll(row.name);
    fuzzing::Require(row.repeated || values.size() <= 1, "a flag given once");
    fuzzing::Require(flags->Has(row.name) == !values.empty(), "a given flag");
    for (const std::string& value : values) {
      fuzzing::Require(value.empty() == row.value.empty(), "a flag's value");
      written.push_back(value.empty()
                            ? absl::StrCat("--", row.name)
                            : absl::StrCat("--", row.name, "=", value));
      ++count;
    }
  }
  fuzzing::Require(count + flags->arguments().size() <= words.size(),
                   "each word is used once");
  written.push_back("--");
  written.insert(written.end(), flags->arguments().begin(),
                 flags->arguments().end());
  const absl::StatusOr<Flags> again = Flags::Parse(written, kFlags);
  fuzzing::Require(again.ok(), again.status().ToString());
  fuzzing::Require(again->arguments() == flags->arguments(),
                   "the same arguments");
  for (const FlagRow& row : kFlags) {
    fuzzing::Require(again->GetAll(row.name) == flags->GetAll(row.name),
                     "the same values");
  }
}

}  // namespace
}  // namespace advisor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  advisor::TestOne(fuzzing::Text(data, size));
  return 0;
}
