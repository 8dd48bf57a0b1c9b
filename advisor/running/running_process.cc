#include "advisor/running/running_process.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/tunables.h"
#include "advisor/host/rooted_file_reader.h"
#include "advisor/lint/program.h"
#include "advisor/running/memory_map.h"
#include "advisor/running/value_slots.h"

namespace advisor {
namespace {

constexpr absl::string_view kStop = "rep_movsb_stop_threshold";
constexpr int kMostAncestors = 64;

using E = EffectiveThresholds;

struct Row {
  Tunable tunable;
  std::optional<uint64_t> E::*listed;
};
constexpr Row kRows[] = {
    {Tunable::kX86DataCacheSize, &E::data_cache_size},
    {Tunable::kX86SharedCacheSize, &E::shared_cache_size},
    {Tunable::kX86NonTemporalThreshold, &E::non_temporal_threshold},
    {Tunable::kX86RepMovsbThreshold, &E::rep_movsb_threshold},
    {Tunable::kX86RepStosbThreshold, &E::rep_stosb_threshold},
    {Tunable::kX86MemsetNonTemporalThreshold,
     &E::memset_non_temporal_threshold},
};

std::optional<int> ParentOf(const FileReader& files, int pid) {
  const absl::StatusOr<std::string> status =
      files.Read(absl::StrCat("/proc/", pid, "/status"));
  if (!status.ok()) return std::nullopt;
  for (absl::string_view line : absl::StrSplit(*status, '\n')) {
    int parent = 0;
    if (absl::ConsumePrefix(&line, "PPid:") &&
        absl::SimpleAtoi(absl::StripAsciiWhitespace(line), &parent) &&
        parent > 0) {
      return parent;
    }
  }
  return std::nullopt;
}

std::string BaseName(absl::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

class Inspector {
 public:
  Inspector(const RunningDoors& doors, int pid, bool run_its_loader)
      : doors_(doors), run_its_loader_(run_its_loader) {
    process_.pid = pid;
  }

  absl::StatusOr<RunningProcess> Inspect() {
    const absl::StatusOr<ProcessFacts> facts =
        ReadProcess(doors_.files, doors_.processes, process_.pid);
    if (!facts.ok()) return facts.status();
    process_.program = facts->program;
    process_.secure = facts->secure;
    process_.glibc_tunables = facts->glibc_tunables;
    FindAncestors();
    FindDropped();
    FindValues();
    return std::move(process_);
  }

 private:
  void FindAncestors() {
    std::optional<int> pid = ParentOf(doors_.files, process_.pid);
    while (pid.has_value() && process_.ancestors.size() < kMostAncestors) {
      RunningAncestor ancestor;
      ancestor.pid = *pid;
      const absl::StatusOr<ProcessFacts> facts =
          ReadProcess(doors_.files, doors_.processes, *pid);
      if (facts.ok()) {
        ancestor.program = facts->program;
        ancestor.glibc_tunables = facts->glibc_tunables;
      } else {
        ancestor.readable = false;
      }
      process_.ancestors.push_back(std::move(ancestor));
      pid = ParentOf(doors_.files, *pid);
    }
  }

  void FindDropped() {
    if (process_.glibc_tunables.has_value()) return;
    int without = process_.pid;
    std::string program = process_.program;
    for (const RunningAncestor& ancestor : process_.ancestors) {
      if (!ancestor.readable) return;
      if (ancestor.glibc_tunables.has_value()) {
        process_.dropped = absl::StrCat(
            "process ", ancestor.pid, " (", ancestor.program,
            ") has GLIBC_TUNABLES=", *ancestor.glibc_tunables, "; process ",
            without, " (", program,
            "), which it started, has not: one of the two dropped it (an "
            "emptied environment, sudo, a set-uid program), or it was set "
            "later");
        return;
      }
      without = ancestor.pid;
      program = ancestor.program;
    }
  }

  void FindValues() {
    const absl::StatusOr<std::string> maps =
        doors_.files.Read(absl::StrCat("/proc/", process_.pid, "/maps"));
    if (!maps.ok()) return Problem(maps.status());
    modules_ = ParseMemoryMap(*maps);
    const MemoryModule* const libc = FindModule(modules_, "libc.so.6");
    const MemoryModule* loader = FindModule(modules_, "ld-linux-x86-64.so.2");
    // Up to 2.33 the files had the release in their names.
    const MemoryModule* const old_libc =
        libc != nullptr ? libc : FindVersioned("libc-2.");
    if (loader == nullptr) loader = FindVersioned("ld-2.");
    if (old_libc == nullptr || loader == nullptr) {
      return Problem(absl::NotFoundError(absl::StrCat(
          process_.program,
          ": has no libc.so.6 of glibc in its memory (linked statically, "
          "another libc, or a kernel thread)")));
    }
    process_.libc = old_libc->path;
    if (!ChooseFiles(*loader, *old_libc)) return;
    AskItsLoader();
    ReadItsMemory(*loader, *old_libc);
  }

  const MemoryModule* FindVersioned(absl::string_view prefix) const {
    for (const MemoryModule& module : modules_) {
      if (absl::StartsWith(BaseName(module.path), prefix)) return &module;
    }
    return nullptr;
  }

  RootedFileReader Root() const {
    return RootedFileReader(absl::StrCat("/proc/", process_.pid, "/root"));
  }

  // The loader and libc to be run, and the build that they are; problems where
  // there are none.
  bool ChooseFiles(const MemoryModule& loader, const MemoryModule& libc) {
    for (const MemoryModule* const module : {&loader, &libc}) {
      if (!module->is_deleted) continue;
      Problem(absl::FailedPreconditionError(
          absl::StrCat(module->path,
                       ": was replaced since the process was started; what is "
                       "in its memory is another build")));
      return false;
    }
    const absl::StatusOr<InstalledLibc> ours =
        FindInstalledLibc(doors_.files, Environment());
    const absl::StatusOr<bool> are_ours = AreOurs(loader, libc, ours);
    if (!are_ours.ok()) {
      Problem(are_ours.status());
      return false;
    }
    if (*are_ours) {
      // Never at the path that the process has them at: who owns it may put
      // another file there.
      loader_ = ours->loader_path;
      libc_ = *ours->libc_path;
      return FindBuild(doors_.files, *ours);
    }
    if (!run_its_loader_) {
      Problem(absl::FailedPreconditionError(absl::StrCat(
          loader.path, ", ", libc.path,
          ": are not this system's loader and libc (a container's, or "
          "somebody's own); finding their values means to run them: "
          "--run-its-loader allows that")));
      return false;
    }
    const RootedFileReader root = Root();
    const absl::StatusOr<std::string> its_loader = root.Resolve(loader.path);
    const absl::StatusOr<std::string> its_libc = root.Resolve(libc.path);
    const absl::StatusOr<InstalledLibc> its =
        FindInstalledLibc(root, Environment());
    for (const absl::Status& status :
         {its_loader.status(), its_libc.status(), its.status()}) {
      if (status.ok()) continue;
      Problem(status);
      return false;
    }
    loader_ = root.Outside(*its_loader);
    libc_ = root.Outside(*its_libc);
    return FindBuild(root, *its);
  }

  // Byte for byte: they are read, and nothing of them is run.
  absl::StatusOr<bool> AreOurs(
      const MemoryModule& loader, const MemoryModule& libc,
      const absl::StatusOr<InstalledLibc>& ours) const {
    const RootedFileReader root = Root();
    const absl::StatusOr<std::string> its_loader = root.Read(loader.path);
    if (!its_loader.ok()) return its_loader.status();
    const absl::StatusOr<std::string> its_libc = root.Read(libc.path);
    if (!its_libc.ok()) return its_libc.status();
    if (!ours.ok() || !ours->libc_path.has_value()) return false;
    const absl::StatusOr<std::string> our_loader =
        doors_.files.Read(ours->loader_path);
    const absl::StatusOr<std::string> our_libc =
        doors_.files.Read(*ours->libc_path);
    return our_loader.ok() && our_libc.ok() && *our_loader == *its_loader &&
           *our_libc == *its_libc;
  }

  bool FindBuild(const FileReader& files, const InstalledLibc& libc) {
    const absl::StatusOr<GlibcBuild> build = BuildOf(files, libc);
    if (!build.ok()) {
      Problem(build.status());
      return false;
    }
    build_ = std::make_unique<GlibcBuild>(*build);
    process_.build = build->name();
    process_.build_note = build->note();
    for (const Row& row : kRows) {
      if (!HasTunable(*build_, row.tunable)) continue;
      RunningValue value;
      value.name = std::string(TunableRowOf(row.tunable).name);
      process_.values.push_back(std::move(value));
    }
    if (build_->Has(Change::kRepMovsbStop)) {
      RunningValue value;
      value.name = std::string(kStop);
      process_.values.push_back(std::move(value));
    }
    return true;
  }

  void AskItsLoader() {
    if (!build_->Has(Change::kListTunables)) {
      return Problem(absl::FailedPreconditionError(
          absl::StrCat(loader_, ": a loader before 2.33 lists no tunables")));
    }
    Environment environment;
    // A set-uid program read nothing of it.
    if (process_.glibc_tunables.has_value() && process_.secure != true) {
      environment =
          environment.With("GLIBC_TUNABLES", *process_.glibc_tunables);
    }
    const absl::StatusOr<LoaderAnswer> answer =
        AskLoader(doors_.subprocess, loader_, environment);
    if (!answer.ok()) return Problem(answer.status());
    size_t i = 0;
    for (const Row& row : kRows) {
      if (!HasTunable(*build_, row.tunable)) continue;
      process_.values[i++].listed =
          answer->tunables.Size(TunableName(*build_, row.tunable));
    }
    if (i < process_.values.size()) {
      process_.values[i].listed = answer->thresholds.rep_movsb_stop_threshold;
    }
  }

  // What is in memory is the file that the offsets were found in.
  absl::Status CheckSameFile(const MemoryModule& module) const {
    constexpr size_t kHead = 1024;  // ELF and program headers, the build ID.
    const absl::StatusOr<std::string> memory =
        doors_.processes.ReadMemory(process_.pid, module.base, kHead);
    if (!memory.ok()) return memory.status();
    const absl::StatusOr<std::string> file =
        Root().ReadFront(module.path, kHead);
    if (!file.ok()) return file.status();
    if (*memory != *file) {
      return absl::FailedPreconditionError(absl::StrCat(
          module.path, ": the file is not what the process has loaded"));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint64_t> ReadWord(uint64_t address) const {
    const absl::StatusOr<std::string> bytes =
        doors_.processes.ReadMemory(process_.pid, address, sizeof(uint64_t));
    if (!bytes.ok()) return bytes.status();
    uint64_t word;
    std::memcpy(&word, bytes->data(), sizeof(word));
    return word;
  }

  void ReadItsMemory(const MemoryModule& loader, const MemoryModule& libc) {
    absl::Status status = CheckSameFile(libc);
    if (status.ok()) status = CheckSameFile(loader);
    if (!status.ok()) return NoWay(status);
    const absl::StatusOr<ValueSlots> slots =
        FindValueSlots(doors_.files, doors_.processes, *build_, loader_, libc_);
    if (!slots.ok()) return NoWay(slots.status());
    size_t i = 0;
    for (const Row& row : kRows) {
      if (!HasTunable(*build_, row.tunable)) continue;
      const auto found = slots->in_libc.find(row.tunable);
      RunningValue& value = process_.values[i++];
      if (found == slots->in_libc.end()) {
        value.way = "its place was not found by planted values";
      } else {
        ReadSlots(libc, found->second, value);
      }
    }
    if (i == process_.values.size()) return;
    RunningValue& stop = process_.values[i];
    if (slots->stop_in_loader.has_value()) {
      ReadSlots(loader, {*slots->stop_in_loader}, stop);
    } else {
      stop.way = "its place was not found by planted values";
    }
  }

  void ReadSlots(const MemoryModule& module,
                 const std::vector<uint64_t>& offsets,
                 RunningValue& value) const {
    std::set<uint64_t> words;
    std::vector<std::string> places;
    for (const uint64_t offset : offsets) {
      const absl::StatusOr<uint64_t> word = ReadWord(module.base + offset);
      if (!word.ok()) {
        value.way = Reason(word.status());
        return;
      }
      words.insert(*word);
      places.push_back(absl::StrFormat("0x%x", offset));
    }
    value.way =
        absl::StrCat(BaseName(module.path), "+", absl::StrJoin(places, ","));
    if (words.size() == 1) {
      value.effective = *words.begin();
    } else {
      absl::StrAppend(&value.way,
                      ": they differ: ", absl::StrJoin(words, ", "));
    }
  }

  static std::string Reason(const absl::Status& status) {
    return absl::IsPermissionDenied(status)
               ? "its memory may not be read (run as its user or as root, or "
                 "see ptrace(2), \"Ptrace access mode checking\")"
               : std::string(status.message());
  }

  void NoWay(const absl::Status& status) {
    for (RunningValue& value : process_.values) value.way = Reason(status);
  }

  void Problem(const absl::Status& status) {
    process_.problems.push_back(std::string(status.message()));
  }

  const RunningDoors& doors_;
  const bool run_its_loader_;
  RunningProcess process_;
  std::vector<MemoryModule> modules_;
  // Files to be run.
  std::string loader_;
  std::string libc_;
  std::unique_ptr<GlibcBuild> build_;
};

}  // namespace

absl::StatusOr<RunningProcess> InspectProcess(const RunningDoors& doors,
                                              int pid, bool run_its_loader) {
  return Inspector(doors, pid, run_its_loader).Inspect();
}

}  // namespace advisor
