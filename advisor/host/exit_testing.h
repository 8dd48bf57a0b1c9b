// How tests of whole programs see them end.

#ifndef ADVISOR_HOST_EXIT_TESTING_H_
#define ADVISOR_HOST_EXIT_TESTING_H_

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "advisor/host/child_process.h"
#include "advisor/host/file_reader.h"
#include "advisor/host/subprocess.h"
#include "gtest/gtest.h"

namespace advisor {

// Its standard error is one printable line in the program's name, with `needle`
// in it. `words` stand in the test's message.
inline void ExpectOneLine(const CommandResult& result,
                          absl::string_view program, const std::string& words,
                          absl::string_view needle) {
  const std::string& line = result.standard_error;
  EXPECT_TRUE(absl::StartsWith(line, absl::StrCat(program, ": ")))
      << words << ": " << line;
  EXPECT_EQ(absl::c_count(line, '\n'), 1) << words << ": " << line;
  EXPECT_TRUE(absl::EndsWith(line, "\n")) << words << ": " << line;
  EXPECT_EQ(
      absl::c_count_if(line.substr(0, line.size() - 1), absl::ascii_iscntrl), 0)
      << words << ": " << line;
  EXPECT_TRUE(absl::StrContains(line, needle))
      << words << ": expected " << needle << " in " << line;
}

// Runs it with that standard output.
inline CommandResult RunInto(const Command& command, int standard_output) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ChildOptions options;
  options.standard_output = standard_output;
  options.standard_error = ends[1];
  CommandResult result;
  absl::StatusOr<ChildProcess> child = StartProcess(command, options);
  close(ends[1]);
  EXPECT_TRUE(child.ok()) << child.status();
  if (child.ok()) {
    const int status = child->WaitForChange().value_or(0);
    if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  }
  char text[4096];
  const ssize_t length = read(ends[0], text, sizeof(text));
  close(ends[0]);
  result.standard_error.assign(text, length > 0 ? length : 0);
  return result;
}

inline std::string StatusFile(pid_t pid) {
  return RealFileReader()
      .Read(absl::StrCat("/proc/", pid, "/status"))
      .value_or("");
}

// It catches SIGINT and sleeps (or has a child, where it works).
inline bool IsAtWork(pid_t pid, bool has_child) {
  const std::string status = StatusFile(pid);
  const size_t caught = status.find("SigCgt:\t");
  if (caught == std::string::npos) return false;
  const uint64_t mask = strtoull(status.c_str() + caught + 8, nullptr, 16);
  if ((mask >> (SIGINT - 1) & 1) == 0) return false;
  if (!has_child) return absl::StrContains(status, "State:\tS");
  const std::string children =
      RealFileReader()
          .Read(absl::StrCat("/proc/", pid, "/task/", pid, "/children"))
          .value_or("");
  return !children.empty();
}

// Sends `signal` to the program as soon as it is at work.
inline CommandResult RunAndSignal(const Command& command, int signal,
                                  bool has_child) {
  CommandResult result;
  absl::StatusOr<StartedChild> child = StartChild(command, ChildInput::kPipe);
  EXPECT_TRUE(child.ok()) << child.status();
  if (!child.ok()) return result;
  const pid_t pid = child->process.pid();
  bool at_work = false;
  for (int i = 0; i < 6000 && !at_work; ++i) {
    absl::SleepFor(absl::Milliseconds(10));
    at_work = IsAtWork(pid, has_child);
  }
  EXPECT_TRUE(at_work) << StatusFile(pid);
  // It may have slept for another reason the moment before.
  absl::SleepFor(absl::Milliseconds(100));
  kill(pid, signal);
  for (int i = 0; i < 6000 && !child->process.HasEnded(); ++i) {
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_TRUE(child->process.HasEnded()) << "it goes on after the signal";
  const int status = child->process.KillAndReap();
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  char text[4096];
  ssize_t length = read(child->standard_error.get(), text, sizeof(text));
  result.standard_error.assign(text, length > 0 ? length : 0);
  length = read(child->standard_output.get(), text, sizeof(text));
  result.standard_output.assign(text, length > 0 ? length : 0);
  return result;
}

}  // namespace advisor

#endif  // ADVISOR_HOST_EXIT_TESTING_H_
