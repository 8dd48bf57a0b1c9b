#include "advisor/program_end.h"

#include <cerrno>
#include <sstream>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

TEST(ExitStatusTest, InputIsNotOurMistake) {
  EXPECT_EQ(ExitStatusOf(absl::OkStatus()), ExitStatus::kAnswered);
  EXPECT_EQ(ExitStatusOf(absl::ErrnoToStatus(EIO, "x")), ExitStatus::kUsage);
  EXPECT_EQ(ExitStatusOf(absl::DataLossError("x")), ExitStatus::kUsage);
  EXPECT_EQ(ExitStatusOf(absl::InternalError("x")), ExitStatus::kInternalError);
}

TEST(ExitStatusTest, WhatBrokeOffLeavesItOpen) {
  EXPECT_EQ(ExitStatusOf(absl::DeadlineExceededError("x")),
            ExitStatus::kInconclusive);
  EXPECT_EQ(ExitStatusOf(absl::UnavailableError("x")),
            ExitStatus::kInconclusive);
  EXPECT_EQ(ExitStatusOf(absl::ErrnoToStatus(ENOSPC, "x")),
            ExitStatus::kInconclusive);
}

struct End {
  int exit_status = 0;
  std::string line;
};

End EndOf(const absl::StatusOr<ExitStatus>& result) {
  std::ostringstream err;
  End end;
  end.exit_status = EndProgram(err, "program", result);
  end.line = err.str();
  return end;
}

TEST(EndProgramTest, AnAnswerNeedsNoLine) {
  const End end = EndOf(ExitStatus::kFinding);
  EXPECT_EQ(end.exit_status, 1);
  EXPECT_EQ(end.line, "");
}

TEST(EndProgramTest, AnErrorIsOneLineInTheProgramsName) {
  End end = EndOf(absl::InvalidArgumentError("a\nb\x1b[31m\n"));
  EXPECT_EQ(end.exit_status, 2);
  EXPECT_EQ(end.line, "program: a\\x0ab\\x1b[31m\n");
  end = EndOf(absl::InternalError("c"));
  EXPECT_EQ(end.exit_status, 4);
  EXPECT_EQ(end.line, "program: internal error: c\n");
}

TEST(FlushTest, LostOutputIsAnError) {
  std::ostringstream out;
  EXPECT_TRUE(Flush(out).ok());
  out.setstate(std::ios::badbit);
  EXPECT_TRUE(absl::IsInternal(Flush(out)));
}

}  // namespace
}  // namespace advisor
