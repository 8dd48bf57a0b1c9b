// See record_sizes.

#include <signal.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/flags.h"
#include "advisor/glibc/installed_libc.h"
#include "advisor/host/environment.h"
#include "advisor/host/file_reader.h"
#include "advisor/program_end.h"
#include "advisor/workload/workload.h"
#include "tools/recorder/merge.h"
#include "tools/recorder/program.h"
#include "tools/recorder/recording.h"

namespace recorder {
namespace {

using ::advisor::Environment;
using ::advisor::FileReader;
using ::advisor::Workload;

constexpr int kUsage = 2;
constexpr int kNothingSeen = 3;

constexpr char kUsageText[] =
    "Usage: record_sizes [--output=FILE] [--name=NAME] [--load=TEXT] "
    "[--program_version=TEXT] -- PROGRAM ARGS\n";

// Files are sparse: what a process uses of its own is some 50 KiB.
constexpr uint64_t kNeededSpace = uint64_t{256} << 20;

constexpr advisor::FlagRow kFlags[] = {
    {"load", "TEXT", "what the program was made to do, for the provenance"},
    {"name", "NAME", "the workload's name; default: the program's"},
    {"output", "FILE", "where to write it; default: PROGRAM.sizes.json"},
    {"program_version", "TEXT", "the program's version, for the provenance"},
};

constexpr const char* kNotSeen[] = {
    "calls that the compiler inlined",
    "calls inside libc (stdio, qsort, strdup, ...)",
    "statically linked programs, and those that bring their own functions",
    "set-uid programs, and programs started without LD_PRELOAD or under "
    "another user",
    "whether the program's own loads read a destination back: read_back counts "
    "only copies from it",
};

int Refuse(absl::string_view message) {
  advisor::PrintError(std::cerr, "record_sizes", message);
  return kUsage;
}

// Asked before the program has run for hours.
absl::Status CanBeWritten(const std::string& path) {
  std::error_code error;
  const bool is_there = std::filesystem::exists(path, error);
  if (is_there && std::filesystem::is_directory(path, error)) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is a directory"));
  }
  std::string place = path;
  if (!is_there) {
    place = std::filesystem::path(path).parent_path();
    if (place.empty()) place = ".";
  }
  if (access(place.c_str(), W_OK) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat(path, ": cannot be written"));
}

// "Intel(R) Xeon(R) Processor, guest, kernel 6.1": one line.
std::string Machine(const FileReader& files) {
  std::string text = "x86-64 CPU";
  bool is_guest = false;
  const std::string cpus = files.Read("/proc/cpuinfo").value_or("");
  for (const absl::string_view line : absl::StrSplit(cpus, '\n')) {
    const size_t colon = line.find(':');
    if (colon == absl::string_view::npos) continue;
    const absl::string_view key =
        absl::StripAsciiWhitespace(line.substr(0, colon));
    const absl::string_view value =
        absl::StripAsciiWhitespace(line.substr(colon + 1));
    if (key == "model name") text = std::string(value);
    if (key == "flags") is_guest = absl::StrContains(value, " hypervisor");
  }
  utsname system;
  return absl::StrCat(text, is_guest ? ", guest" : "",
                      uname(&system) == 0 ? ", kernel " : "",
                      uname(&system) == 0 ? system.release : "");
}

std::string Glibc(const FileReader& files, const Environment& environment) {
  const absl::StatusOr<advisor::InstalledLibc> libc =
      advisor::FindInstalledLibc(files, environment);
  if (!libc.ok() || !libc->banner.has_value()) return "unknown";
  return libc->banner->revision.value_or(libc->banner->release);
}

// Daemons that went on are merged with what they had done so far.
size_t StillRunning(const std::vector<uint64_t>& processes) {
  return std::count_if(processes.begin(), processes.end(), [](uint64_t id) {
    return kill(static_cast<pid_t>(id), 0) == 0;
  });
}

absl::StatusOr<std::string> Preloaded(const FileReader& files) {
  absl::StatusOr<std::string> self = files.Resolve("/proc/self/exe");
  if (!self.ok()) return self.status();
  const std::string path =
      absl::StrCat(self->substr(0, self->rfind('/')), "/libsize_recorder.so");
  // LD_PRELOAD has no way to quote these.
  if (absl::StrContains(path, ' ') || absl::StrContains(path, ':')) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, ": expected a path without spaces and colons"));
  }
  return files.Resolve(path);
}

int Record(const advisor::Flags& flags, const std::vector<std::string>& argv) {
  const advisor::RealFileReader files;
  const Environment environment = Environment::OfThisProcess();
  const absl::StatusOr<std::string> program = FindProgram(argv[0], environment);
  if (!program.ok()) return Refuse(program.status().message());
  if (absl::Status status = CanBeSeen(files, *program); !status.ok()) {
    return Refuse(status.message());
  }
  const std::string base = argv[0].substr(argv[0].rfind('/') + 1);
  const std::string output =
      flags.Get("output").value_or(absl::StrCat(base, ".sizes.json"));
  if (absl::Status status = CanBeWritten(output); !status.ok()) {
    return Refuse(status.message());
  }
  const absl::StatusOr<std::string> object = Preloaded(files);
  if (!object.ok()) return Refuse(object.status().message());
  const absl::StatusOr<advisor::ScratchFolder> folder =
      MakePrivateFolder(environment, kNeededSpace);
  if (!folder.ok()) return Refuse(folder.status().message());

  const std::string others = environment.Get("LD_PRELOAD").value_or("");
  const absl::StatusOr<ProgramEnd> end = RunProgram(
      *program, argv,
      environment
          .With("LD_PRELOAD",
                absl::StrCat(*object, others.empty() ? "" : ":", others))
          .With(RECORDING_DIRECTORY_VARIABLE, folder->path()));
  if (!end.ok()) return Refuse(end.status().message());

  Merger merger;
  if (absl::Status status = merger.AddFolder(files, folder->path());
      !status.ok()) {
    return Refuse(status.message());
  }
  Workload workload = merger.Result();
  if (workload.calls() == 0) {
    std::cerr << "record_sizes: no call was seen in "
              << workload.provenance.processes << " processes\n";
    return end->exit_status != 0 ? end->exit_status : kNothingSeen;
  }
  workload.name = flags.Get("name").value_or(base);
  advisor::WorkloadProvenance& provenance = workload.provenance;
  provenance.program = base;
  provenance.version = flags.Get("program_version").value_or("");
  provenance.arguments = absl::StrJoin(argv.begin() + 1, argv.end(), " ");
  provenance.source = flags.Get("load").value_or("");
  provenance.machine = Machine(files);
  provenance.glibc = Glibc(files, environment);
  provenance.date =
      absl::FormatTime("%Y-%m-%d", absl::Now(), absl::UTCTimeZone());
  provenance.not_seen.assign(std::begin(kNotSeen), std::end(kNotSeen));
  const std::string text = advisor::FormatWorkload(workload);
  // A program may have written over its counters.
  if (const auto read = advisor::ParseWorkload(text, "recording"); !read.ok()) {
    return Refuse(read.status().message());
  }
  std::ofstream file(output);
  file << text;
  file.close();
  if (!file) return Refuse(absl::StrCat(output, ": cannot be written"));
  std::cerr << "record_sizes: " << workload.calls() << " calls of "
            << workload.bytes() << " bytes in " << provenance.processes
            << " processes; written to " << output
            << ". Not seen: calls that are inlined or inside libc, static and "
               "set-uid programs\n";
  if (const size_t running = StillRunning(merger.processes()); running != 0) {
    std::cerr << "record_sizes: " << running
              << " processes are still running; what they do from now on is "
                 "not counted\n";
  }
  return end->exit_status;
}

int Main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const std::vector<std::string> own(words.begin(), dashes);
  if (own == std::vector<std::string>{"--help"}) {
    std::cout << kUsageText;
    const absl::Status status = advisor::Flush(std::cout);
    return status.ok() ? 0
                       : advisor::EndProgram(std::cerr, "record_sizes", status);
  }
  const absl::StatusOr<advisor::Flags> flags =
      advisor::Flags::Parse(own, kFlags);
  if (!flags.ok()) return Refuse(flags.status().message());
  if (!flags->arguments().empty() || words.end() - dashes < 2) {
    return Refuse("expected [--output=FILE] -- PROGRAM ARGS");
  }
  return Record(*flags, {dashes + 1, words.end()});
}

}  // namespace
}  // namespace recorder

int main(int argc, char** argv) { return recorder::Main(argc, argv); }
