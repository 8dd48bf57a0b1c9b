#include "advisor/input/folder.h"

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "advisor/cpu/cpu_model.h"
#include "advisor/cpu/feature_table.h"
#include "advisor/input/core_kinds.h"
#include "advisor/input/input_format.h"
#include "advisor/input/input_text.h"
#include "advisor/input/linux_cpu.h"

namespace advisor {
namespace {

constexpr int kContradictionsShown = 3;

class Walk {
 public:
  Walk(const FileReader& files, const FolderLimits& limits)
      : files_(files), limits_(limits) {}

  absl::Status Enter(const std::string& folder, int depth) {
    const absl::StatusOr<std::vector<std::string>> names = files_.List(folder);
    if (!names.ok()) return names.status();
    if (depth > limits_.depth) {
      Warn(absl::StrCat(folder, ": left out, deeper than ", limits_.depth,
                        " folders"));
      return absl::OkStatus();
    }
    // Links back up, or a folder that is there twice.
    const absl::StatusOr<std::string> real = files_.Resolve(folder);
    if (!real.ok() || !IsInside(*real) || !entered_.insert(*real).second) {
      return absl::OkStatus();
    }
    for (const std::string& name : *names) {
      const std::string path =
          absl::StrCat(absl::StripSuffix(folder, "/"), "/", name);
      if (files_.List(path).ok()) {
        Enter(path, depth + 1).IgnoreError();
      } else {
        Look(path);
      }
      if (is_full_) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  std::vector<MachineInput> TakeInputs() { return std::move(inputs_); }
  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }
  const std::optional<absl::Status>& first_error() const {
    return first_error_;
  }

 private:
  void Warn(absl::string_view text) { warnings_.push_back(OnOneLine(text)); }

  // The first folder that is entered is the root.
  bool IsInside(const std::string& real) {
    if (entered_.empty()) root_ = real;
    return real == root_ ||
           absl::StartsWith(real,
                            absl::StrCat(absl::StripSuffix(root_, "/"), "/"));
  }

  void Look(const std::string& path) {
    if (seen_ == limits_.files) {
      Warn(absl::StrCat(path, " and all after it: left out, more than ",
                        limits_.files, " files"));
      is_full_ = true;
      return;
    }
    ++seen_;
    const absl::StatusOr<std::string> real = files_.Resolve(path);
    if (!real.ok() || !IsInside(*real)) return;
    const absl::StatusOr<std::string> front =
        files_.ReadFront(path, kDetectionBytes);
    if (!front.ok()) {
      // Devices and pipes are no files to read; what is locked could matter.
      if (absl::IsPermissionDenied(front.status())) {
        Warn(std::string(front.status().message()));
      }
      return;
    }
    const InputFormat* const format = DetectInputFormat(*front);
    if (format != nullptr) Parse(path, *format);
  }

  void Parse(const std::string& path, const InputFormat& format) {
    const absl::StatusOr<std::string> text =
        files_.ReadFront(path, limits_.file_bytes + 1);
    if (!text.ok()) return;
    if (text->size() > limits_.file_bytes) {
      Warn(absl::StrCat(path, ": left out, larger than ", limits_.file_bytes,
                        " bytes"));
      return;
    }
    read_bytes_ += text->size();
    if (read_bytes_ > limits_.total_bytes) {
      Warn(absl::StrCat(path, " and all after it: left out, more than ",
                        limits_.total_bytes, " bytes in all"));
      is_full_ = true;
      return;
    }
    absl::StatusOr<MachineInput> input = ParseMachineInput(*text, path);
    if (input.ok()) {
      inputs_.push_back(*std::move(input));
      return;
    }
    if (!first_error_.has_value()) first_error_ = input.status();
    Warn(absl::StrCat(input.status().message(), " (", format.name,
                      "; left out)"));
  }

  const FileReader& files_;
  const FolderLimits limits_;
  std::string root_;
  std::set<std::string> entered_;
  size_t seen_ = 0;
  size_t read_bytes_ = 0;
  bool is_full_ = false;
  std::vector<MachineInput> inputs_;
  std::vector<std::string> warnings_;
  std::optional<absl::Status> first_error_;
};

size_t RankOfFormat(absl::string_view name) {
  const absl::Span<const InputFormat> rows = InputFormats();
  return std::find_if(
             rows.begin(), rows.end(),
             [&](const InputFormat& row) { return row.name == name; }) -
         rows.begin();
}

// Less is better.
auto RankOfCpuid(const MachineInput& input) {
  // What a hypervisor is asked for is no witness of what a machine has.
  const bool is_template = input.cpu_template.has_value();
  return std::make_tuple(input.cores.empty(), is_template,
                         !input.has_cache_leaves, !input.has_features,
                         RankOfFormat(input.format));
}

std::string SignatureOf(const CpuidTable& cpu) {
  const CpuModel model = DecodeCpuModel(cpu);
  return absl::StrCat(model.vendor, " ", model.architectural.family, "/",
                      model.architectural.model, "/",
                      model.architectural.stepping);
}

std::string FeaturesThatDiffer(const CpuidTable& taken,
                               const CpuidTable& other) {
  const std::vector<FeatureState> one = DecodeFeatures(taken);
  const std::vector<FeatureState> two = DecodeFeatures(other);
  std::vector<std::string> names;
  for (size_t i = 0; i < one.size(); ++i) {
    if (one[i].cpuid != two[i].cpuid) {
      names.push_back(absl::StrCat(one[i].cpuid ? "-" : "+", one[i].name()));
    }
  }
  return absl::StrJoin(names, " ");
}

// Features that Linux may not show are no contradiction.
std::string Contradiction(const MachineInput& taken,
                          const MachineInput& other) {
  const CpuidTable& one = taken.cores[0].cpuid;
  const CpuidTable& two = other.cores[0].cpuid;
  if (SignatureOf(one) != SignatureOf(two)) {
    return absl::StrCat("another CPU, ", SignatureOf(two), " instead of ",
                        SignatureOf(one));
  }
  if (!taken.has_features || !other.has_features) return "";
  if (taken.has_cache_leaves && other.has_cache_leaves) {
    std::vector<NumberedCpu> both = {{0, one}, {1, two}};
    MachineInput joined;
    AddCores(std::move(both), &joined);
    return joined.cores.size() == 1 ? "" : "other leaves of CPUID";
  }
  // From flags or a listing: only what both formats can tell.
  CpuidTable shown = one;
  CpuidTable told = two;
  for (CpuidTable* const table : {&shown, &told}) {
    for (const FeatureRow& row : FeatureTable()) {
      if (IsShownByEveryLinux(row.name)) continue;
      CpuidRegisters registers = table->Execute(row.leaf, row.subleaf);
      if (registers == CpuidRegisters{}) continue;
      uint32_t* const fields[] = {&registers.eax, &registers.ebx,
                                  &registers.ecx, &registers.edx};
      *fields[static_cast<int>(row.reg)] &= ~(uint32_t{1} << row.bit);
      table->Set(row.leaf, row.subleaf, registers);
    }
  }
  const std::string features = FeaturesThatDiffer(shown, told);
  return features.empty() ? "" : absl::StrCat("other features, ", features);
}

bool SameTunables(const TunablesListing& one, const TunablesListing& other) {
  return ThresholdsOf(one) == ThresholdsOf(other);
}

}  // namespace

MachineInput JoinInputs(std::vector<MachineInput> inputs, std::string name) {
  MachineInput joined;
  joined.name = std::move(name);
  joined.format = "folder";
  std::vector<bool> used(inputs.size(), false);

  // CPUID.
  const auto best = std::min_element(
      inputs.begin(), inputs.end(), [](const auto& one, const auto& other) {
        return RankOfCpuid(one) < RankOfCpuid(other);
      });
  const bool has_cpuid = best != inputs.end() && !best->cores.empty();
  if (has_cpuid) {
    used[best - inputs.begin()] = true;
    joined.cores = best->cores;
    joined.unknown = best->unknown;
    joined.has_cache_leaves = best->has_cache_leaves;
    joined.has_features = best->has_features;
  }
  int contradictions = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const MachineInput& input = inputs[i];
    if (has_cpuid && &input != &*best && !input.cores.empty() &&
        !input.cpu_template.has_value()) {
      const std::string difference = Contradiction(*best, input);
      if (!difference.empty() && ++contradictions <= kContradictionsShown) {
        joined.warnings.push_back(absl::StrCat(input.name, " tells of ",
                                               difference, " (", best->name,
                                               " was taken)"));
      }
    }
    // Listings: the first of each kind.
    if (input.diagnostics.has_value()) {
      if (!joined.diagnostics.has_value()) {
        joined.diagnostics = input.diagnostics;
        used[i] = true;
      } else if (ThresholdsOf(*joined.diagnostics) !=
                 ThresholdsOf(*input.diagnostics)) {
        joined.warnings.push_back(absl::StrCat(
            input.name, " lists other sizes than the diagnostics taken"));
      }
    }
    if (input.tunables.has_value()) {
      if (!joined.tunables.has_value()) {
        joined.tunables = input.tunables;
        used[i] = true;
      } else if (!SameTunables(*joined.tunables, *input.tunables)) {
        joined.warnings.push_back(absl::StrCat(
            input.name, " lists other values than the tunables taken"));
      }
    }
    if (input.cpu_template.has_value() && !joined.cpu_template.has_value()) {
      joined.cpu_template = input.cpu_template;
      used[i] = true;
    } else if (input.cpu_template.has_value()) {
      joined.warnings.push_back(absl::StrCat(
          input.name, " is a second CPU template and was not applied"));
    }
    for (const std::string& warning : input.warnings) {
      joined.warnings.push_back(absl::StrCat(input.name, ": ", warning));
    }
    for (const std::string& note : input.notes) {
      joined.notes.push_back(absl::StrCat(input.name, ": ", note));
    }
    joined.files.push_back({input.name, input.format, used[i]});
  }
  if (contradictions > kContradictionsShown) {
    joined.warnings.push_back(absl::StrCat(
        contradictions - kContradictionsShown, " more files contradict ",
        best->name, ": the folder seems to hold several machines"));
  }
  if (!has_cpuid) {
    for (const MachineInput& input : inputs) {
      for (const UnknownFact& fact : input.unknown) {
        const bool is_new = std::none_of(
            joined.unknown.begin(), joined.unknown.end(),
            [&](const UnknownFact& known) { return known.what == fact.what; });
        if (is_new) joined.unknown.push_back(fact);
      }
    }
  }
  if (joined.diagnostics.has_value()) {
    joined.unknown.erase(
        std::remove_if(joined.unknown.begin(), joined.unknown.end(),
                       [](const UnknownFact& fact) {
                         return fact.command == "ld.so --list-diagnostics";
                       }),
        joined.unknown.end());
  }
  if (has_cpuid && joined.cpu_template.has_value() &&
      !best->cpu_template.has_value()) {
    const CpuTemplate cpu_template = *joined.cpu_template;
    joined = ApplyCpuTemplate(std::move(joined), cpu_template);
  }
  return joined;
}

absl::StatusOr<MachineInput> ReadFolder(const FileReader& files,
                                        absl::string_view path,
                                        const FolderLimits& limits) {
  Walk walk(files, limits);
  const absl::Status status = walk.Enter(std::string(path), 0);
  if (!status.ok()) return status;
  std::vector<MachineInput> inputs = walk.TakeInputs();
  if (inputs.empty()) {
    if (walk.first_error().has_value()) return *walk.first_error();
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": expected a folder with files of one of these: ",
                     InputFormatNames(), "; found none"));
  }
  const std::string prefix =
      OnOneLine(absl::StrCat(absl::StripSuffix(path, "/"), "/"));
  for (MachineInput& input : inputs) {
    input.name = std::string(absl::StripPrefix(input.name, prefix));
  }
  MachineInput joined = JoinInputs(std::move(inputs), std::string(path));
  for (std::string& warning : walk.TakeWarnings()) {
    joined.warnings.push_back(std::move(warning));
  }
  return joined;
}

}  // namespace advisor
