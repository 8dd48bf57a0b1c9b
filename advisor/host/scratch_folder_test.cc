#include "advisor/host/scratch_folder.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

namespace fs = std::filesystem;

bool IsGoneSoon(const std::string& path) {
  for (int i = 0; i < 3000; ++i) {
    if (!fs::exists(path)) return true;
    absl::SleepFor(absl::Milliseconds(10));
  }
  return false;
}

TEST(ScratchFolderTest, IsPrivateAndRemoved) {
  std::string path;
  {
    const absl::StatusOr<ScratchFolder> folder =
        ScratchFolder::Create(::testing::TempDir(), "scratch");
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = folder->path();
    EXPECT_TRUE(absl::StrContains(path, "/scratch.")) << path;
    struct stat status;
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0700u);
    EXPECT_EQ(status.st_uid, geteuid());
    fs::create_directories(path + "/a/b");
    std::ofstream(path + "/a/b/c") << "text";
  }
  EXPECT_FALSE(fs::exists(path));
  // No child is left either.
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

TEST(ScratchFolderTest, SaysWhereItCannotBe) {
  const absl::Status status =
      ScratchFolder::Create("/no/such/folder", "scratch").status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_TRUE(absl::StrContains(status.message(), "/no/such/folder/"));
}

// Ctrl-C goes to the whole process group; SIGKILL and SIGSEGV run nothing here.
TEST(ScratchFolderTest, IsRemovedAlsoAfterASignal) {
  for (const int signal : {SIGINT, SIGKILL, SIGSEGV}) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      const absl::StatusOr<ScratchFolder> folder =
          ScratchFolder::Create(::testing::TempDir(), "scratch");
      if (!folder.ok()) _exit(1);
      fs::create_directories(folder->path() + "/a");
      std::ofstream(folder->path() + "/a/b") << "text";
      const ssize_t length = folder->path().size();
      if (write(ends[1], folder->path().data(), length) != length) _exit(2);
      close(ends[1]);
      while (true) pause();
    }
    close(ends[1]);
    char path[4096] = {};
    EXPECT_GT(read(ends[0], path, sizeof(path) - 1), 0);
    close(ends[0]);
    EXPECT_TRUE(fs::exists(path)) << path;
    kill(-child, signal);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFEXITED(status) && signal != SIGSEGV);
    EXPECT_TRUE(IsGoneSoon(path)) << path << " after signal " << signal;
  }
}

}  // namespace
}  // namespace advisor
