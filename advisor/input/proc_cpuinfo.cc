// /proc/cpuinfo of x86 Linux (arch/x86/kernel/cpu/proc.c): one block of
// "name<TAB>: value" for each logical CPU, blank lines between.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/formats.h"
#include "advisor/input/input_text.h"
#include "advisor/input/linux_cpu.h"

namespace advisor {
namespace {

std::string Shown(std::optional<uint32_t> number) {
  return number.has_value() ? absl::StrCat(*number) : "-";
}

// Equal for CPUs of which Linux tells the same.
std::string KeyOf(const LinuxCpu& cpu) {
  return absl::StrJoin(
      {cpu.vendor, cpu.model_name, Shown(cpu.family), Shown(cpu.model),
       Shown(cpu.stepping), Shown(cpu.cpuid_level), cpu.flags.value_or("-")},
      "|");
}

class Parser {
 public:
  explicit Parser(absl::string_view name) : name_(name) {}

  absl::StatusOr<MachineInput> Parse(absl::string_view text) {
    LineReader lines(text);
    for (TextLine line; lines.Next(&line);) {
      const absl::Status status = ParseLine(line);
      if (!status.ok()) return status;
    }
    EndCpu();
    return Finish();
  }

 private:
  absl::Status ParseLine(const TextLine& line) {
    const absl::string_view stripped = StripBlanks(line.text);
    if (stripped.empty() || stripped[0] == '#') return absl::OkStatus();
    const size_t colon = stripped.find(':');
    if (colon == absl::string_view::npos) {
      // Cut, or a shell's command before the listing.
      if (!line.whole || !is_in_cpu_) return absl::OkStatus();
      return InputError(name_, line.number, "\"name : value\" of /proc/cpuinfo",
                        QuotedInput(stripped));
    }
    const absl::string_view key = StripBlanks(stripped.substr(0, colon));
    const absl::string_view value = StripBlanks(stripped.substr(colon + 1));
    if (key == "processor") EndCpu();
    // Its end is not known.
    if (!line.whole) return absl::OkStatus();
    return Set(key, value, line.number);
  }

  absl::Status Set(absl::string_view key, absl::string_view value, int line) {
    const std::pair<absl::string_view, std::optional<uint32_t>*> kNumbers[] = {
        {"processor", &number_},
        {"cpu family", &cpu_.family},
        {"model", &cpu_.model},
        {"stepping", &cpu_.stepping},
        {"cpuid level", &cpu_.cpuid_level},
    };
    is_in_cpu_ = is_in_cpu_ || key == "processor" || key == "vendor_id";
    for (const auto& [name, target] : kNumbers) {
      if (key != name) continue;
      // A kernel that does not know says so.
      if (value == "unknown") return absl::OkStatus();
      const std::optional<uint32_t> number = ParseInputNumber(value);
      if (!number.has_value()) {
        return InputError(name_, line, absl::StrCat("\"", key, " : NUMBER\""),
                          QuotedInput(value));
      }
      *target = *number;
      return absl::OkStatus();
    }
    if (key == "vendor_id") {
      cpu_.vendor = std::string(value);
    } else if (key == "model name") {
      cpu_.model_name = std::string(value);
    } else if (key == "flags") {
      cpu_.flags = std::string(value);
    } else if (key == "CPU implementer" || key == "hart") {
      return InputError(name_, line, "/proc/cpuinfo of an x86 machine",
                        QuotedInput(key));
    }
    return absl::OkStatus();
  }

  void EndCpu() {
    if (is_in_cpu_) {
      std::string key = KeyOf(cpu_);
      const auto [place, is_new] = index_of_.emplace(key, kinds_.size());
      if (is_new) kinds_.push_back({cpu_, {}});
      kinds_[place->second].cpus.push_back(number_.value_or(count_));
      ++count_;
    }
    is_in_cpu_ = false;
    cpu_ = LinuxCpu();
    number_.reset();
  }

  absl::StatusOr<MachineInput> Finish() {
    MachineInput input;
    input.name = std::string(name_);
    // The block in which a text was cut tells less than those before it.
    if (kinds_.size() > 1 && !TellsFeatures(kinds_.back().cpu) &&
        kinds_.back().cpus.size() == 1) {
      input.warnings.push_back(
          absl::StrCat(name_, ": CPU ", kinds_.back().cpus[0],
                       " is left out: the text ends before its flags"));
      kinds_.pop_back();
    }
    if (kinds_.empty()) {
      return InputError(name_, 1, "\"processor : 0\" and what follows it",
                        "none");
    }
    input.has_features = true;
    std::vector<NumberedCpu> cpus;
    for (const Kind& kind : kinds_) {
      input.has_features = input.has_features && TellsFeatures(kind.cpu);
      const std::optional<CpuidTable> table = CpuidOfLinuxCpu(kind.cpu);
      if (!table.has_value()) continue;
      for (const uint32_t number : kind.cpus) cpus.push_back({number, *table});
    }
    AddCores(std::move(cpus), &input);
    input.unknown = UnknownOfLinuxCpu(kinds_[0].cpu);
    return input;
  }

  struct Kind {
    LinuxCpu cpu;
    std::vector<uint32_t> cpus;
  };

  absl::string_view name_;
  bool is_in_cpu_ = false;
  LinuxCpu cpu_;
  std::optional<uint32_t> number_;
  uint32_t count_ = 0;
  std::vector<Kind> kinds_;
  std::map<std::string, size_t> index_of_;
};

bool IsProcessorLine(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return false;
  const absl::string_view key = StripBlanks(line.substr(0, colon));
  return (key == "processor" || key == "vendor_id") &&
         !StripBlanks(line.substr(colon + 1)).empty();
}

}  // namespace

bool LooksLikeProcCpuinfo(absl::string_view front) {
  return AnyLine(front, IsProcessorLine);
}

absl::StatusOr<MachineInput> ParseProcCpuinfo(absl::string_view text,
                                              absl::string_view name) {
  return Parser(name).Parse(text);
}

}  // namespace advisor
