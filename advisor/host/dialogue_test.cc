#include "advisor/host/dialogue.h"

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Dialogue> Start(const std::string& script,
                                absl::Duration limit = absl::Seconds(20)) {
  Command command;
  command.argv = {"/bin/sh", "-c", script};
  command.time_limit = limit;
  return *RealDialogueStarter().Start(command);
}

TEST(DialogueTest, AnswersLineByLine) {
  const auto dialogue = Start("while read -r line; do echo \"<$line>\"; done");
  EXPECT_EQ(*dialogue->Ask("one"), "<one>");
  EXPECT_EQ(*dialogue->Ask("two words"), "<two words>");
  EXPECT_EQ(*dialogue->Ask(""), "<>");
}

TEST(DialogueTest, KeepsWhatCameEarly) {
  const auto dialogue = Start("read -r x; echo a; echo b; read -r y; cat");
  EXPECT_EQ(*dialogue->Ask("1"), "a");
  EXPECT_EQ(*dialogue->Ask("2"), "b");
}

TEST(DialogueTest, TellsHowTheChildEnded) {
  const auto exits = Start("read -r x; echo no memory >&2; exit 3");
  const absl::Status status = exits->Ask("go").status();
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(status.message(), HasSubstr("exit status 3: no memory"));
  // And again, after it is known to be gone.
  EXPECT_TRUE(absl::IsUnavailable(exits->Ask("go").status()));
  EXPECT_THAT(Start("kill -SEGV $$")->Ask("go").status().message(),
              HasSubstr("SIGSEGV"));
}

TEST(DialogueTest, DoesNotWaitForEver) {
  const auto dialogue = Start("sleep 100", absl::Milliseconds(100));
  EXPECT_TRUE(absl::IsDeadlineExceeded(dialogue->Ask("hello?").status()));
}

TEST(DialogueTest, SaysWhatCannotBeStarted) {
  Command command;
  command.argv = {"/no/such/program"};
  EXPECT_TRUE(absl::IsNotFound(RealDialogueStarter().Start(command).status()));
}

}  // namespace
}  // namespace advisor
