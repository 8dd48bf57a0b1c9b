#include "advisor/glibc/installed_libc.h"

#include <signal.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advisor/host/fake_subprocess.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kLoader[] = "/lib64/ld-linux-x86-64.so.2";
constexpr char kDebian[] =
    "GNU C Library (Debian GLIBC 2.36-9+deb12u14) stable release version "
    "2.36.\nCopyright (C) 2022 ...";

std::string ReadListing(absl::string_view name) {
  return RealFileReader()
      .Read(absl::StrCat("testdata/listings/debian-2.36-9+deb12u14_"
                         "emerald-rapids-guest.",
                         name, ".txt"))
      .value();
}

TEST(LibcBannerTest, ReadsDistributionsAndTheirRevision) {
  const auto debian = FindLibcBanner(absl::StrCat("\177ELF...", kDebian));
  ASSERT_TRUE(debian.has_value());
  EXPECT_EQ(debian->release, "2.36");
  EXPECT_EQ(debian->package, "Debian GLIBC 2.36-9+deb12u14");
  EXPECT_EQ(debian->distribution, "Debian");
  EXPECT_EQ(debian->revision, "2.36-9+deb12u14");
  const auto ubuntu = FindLibcBanner(
      "ld.so (Ubuntu GLIBC 2.35-0ubuntu3.8) stable release version 2.35.\n");
  ASSERT_TRUE(ubuntu.has_value());
  EXPECT_EQ(ubuntu->distribution, "Ubuntu");
  EXPECT_EQ(ubuntu->revision, "2.35-0ubuntu3.8");
}

TEST(LibcBannerTest, ReadsBuildsWithoutAName) {
  const std::pair<const char*, const char*> cases[] = {
      {"GNU C Library (GNU libc) stable release version 2.28.\n", "2.28"},
      {"GNU C Library (GNU libc) stable release version 2.31 (git 9ea3686266)."
       "\n",
       "2.31"},
      {"GNU C Library (GNU libc) development release version 2.38.9000.\n",
       "2.38.9000"},
  };
  for (const auto& [text, release] : cases) {
    const auto banner = FindLibcBanner(text);
    ASSERT_TRUE(banner.has_value()) << text;
    EXPECT_EQ(banner->release, release);
    EXPECT_EQ(banner->package, "GNU libc");
    EXPECT_EQ(banner->distribution, std::nullopt);
    EXPECT_EQ(banner->revision, std::nullopt);
  }
}

TEST(LibcBannerTest, SkipsWhatOnlyLooksLikeOne) {
  EXPECT_EQ(FindLibcBanner(""), std::nullopt);
  EXPECT_EQ(FindLibcBanner("GNU C Library ("), std::nullopt);
  EXPECT_EQ(FindLibcBanner("GNU C Library (x) release version ."),
            std::nullopt);
  EXPECT_EQ(FindLibcBanner("GNU C Library (x)\nstable release version 2.36."),
            std::nullopt);
  const auto second =
      FindLibcBanner(absl::StrCat("GNU C Library (%s) %s\n", kDebian));
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->release, "2.36");
}

TEST(DpkgTest, TakesTheInstalledLibraryOfThisArchitecture) {
  const std::string other =
      "Package: libc6\nStatus: install ok installed\nArchitecture: i386\n"
      "Version: 2.31-13\n\n";
  const std::string removed =
      "Package: libc6\nStatus: deinstall ok config-files\n"
      "Architecture: amd64\nVersion: 2.28-10\n\n";
  const std::string installed =
      "Package: libc6\nStatus: hold ok installed\nArchitecture: amd64\n"
      "Source: glibc\nVersion: 2.36-9+deb12u14\nDepends: libgcc-s1\n\n";
  EXPECT_EQ(FindDpkgLibcVersion(other + removed + installed),
            "2.36-9+deb12u14");
  EXPECT_EQ(FindDpkgLibcVersion(other + removed), std::nullopt);
  EXPECT_EQ(FindDpkgLibcVersion(""), std::nullopt);
}

// The least that is an ELF file with code: no loader asks for more here.
std::string MinimalElf(absl::string_view interpreter,
                       absl::string_view content) {
  const auto put = [](std::string& file, size_t at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) file[at + i] = value >> (8 * i) & 0xff;
  };
  constexpr size_t kHeader = 64;
  constexpr size_t kSegment = 56;
  std::string file(kHeader + 2 * kSegment, '\0');
  file.replace(0, 7, std::string("\177ELF\2\1\1", 7));
  put(file, 16, 3, 2);   // e_type: ET_DYN
  put(file, 18, 62, 2);  // e_machine: EM_X86_64
  put(file, 32, kHeader, 8);
  put(file, 56, interpreter.empty() ? 1 : 2, 2);
  put(file, kHeader, 1, 4);      // PT_LOAD
  put(file, kHeader + 4, 5, 4);  // PF_R | PF_X
  put(file, kHeader + 32, file.size(), 8);
  const size_t second = kHeader + kSegment;
  put(file, second, 3, 4);  // PT_INTERP
  put(file, second + 8, file.size(), 8);
  put(file, second + 32, interpreter.size() + 1, 8);
  return absl::StrCat(file, interpreter, std::string(1, '\0'), content);
}

FakeFileReader Machine() {
  return FakeFileReader({
      {kLoader, MinimalElf("",
                           "ld.so (GNU libc) stable release version "
                           "2.36.\n")},
      {"/lib64/libc.so.6", MinimalElf("", kDebian)},
      {"/opt/ld.so", MinimalElf("", "")},
      {"/lib/ld-musl-x86_64.so.1", MinimalElf("", "musl libc (x86_64)")},
      {"/bin/true", MinimalElf(kLoader, "")},
      {"/bin/own", MinimalElf("/opt/ld.so", "")},
      {"/bin/static", MinimalElf("", "")},
      {"/bin/alpine", MinimalElf("/lib/ld-musl-x86_64.so.1", "")},
      {"/bin/odd", MinimalElf("/lib/ld.so.9", "")},
      {"/bin/script", "#!/bin/sh\n"},
      {"/var/lib/dpkg/status",
       "Package: libc6\nStatus: install ok installed\nArchitecture: amd64\n"
       "Version: 2.36-9+deb12u14\n"},
  });
}

TEST(InstalledLibcTest, FindsTheSystemsLibc) {
  const auto libc = FindInstalledLibc(
      Machine(), Environment({"GLIBC_TUNABLES=a=b", "PATH=/bin"}));
  ASSERT_TRUE(libc.ok()) << libc.status();
  EXPECT_EQ(libc->loader_path, kLoader);
  EXPECT_EQ(libc->libc_path, "/lib64/libc.so.6");
  // The library's banner, not the loader's.
  EXPECT_EQ(libc->banner->revision, "2.36-9+deb12u14");
  EXPECT_EQ(libc->package_version, "2.36-9+deb12u14");
  EXPECT_EQ(libc->glibc_tunables, "a=b");
  EXPECT_EQ(libc->libc_build_id, std::nullopt);
}

TEST(InstalledLibcTest, FollowsAProgramToItsLoader) {
  const Environment environment;
  EXPECT_EQ(
      FindInstalledLibc(Machine(), environment, "/bin/true")->package_version,
      "2.36-9+deb12u14");
  const auto own = FindInstalledLibc(Machine(), environment, "/bin/own");
  ASSERT_TRUE(own.ok()) << own.status();
  EXPECT_EQ(own->interpreter, "/opt/ld.so");
  EXPECT_EQ(own->libc_path, std::nullopt);
  EXPECT_EQ(own->banner, std::nullopt);
  // dpkg's version is that of another loader.
  EXPECT_EQ(own->package_version, std::nullopt);
  EXPECT_EQ(own->glibc_tunables, std::nullopt);
}

TEST(InstalledLibcTest, SaysWhyThereIsNone) {
  const auto status = [](absl::string_view program) {
    return FindInstalledLibc(Machine(), Environment(), program).status();
  };
  EXPECT_TRUE(absl::IsFailedPrecondition(status("/bin/static")));
  EXPECT_TRUE(absl::IsFailedPrecondition(status("/bin/alpine")));
  EXPECT_TRUE(absl::IsNotFound(status("/bin/odd")));
  EXPECT_TRUE(absl::IsNotFound(status("/bin/none")));
  EXPECT_TRUE(absl::IsInvalidArgument(status("/bin/script")));
  EXPECT_TRUE(absl::IsNotFound(
      FindInstalledLibc(FakeFileReader(), Environment()).status()));
}

TEST(InstalledLibcTest, ReadsThisMachine) {
  const RealFileReader files;
  const auto libc = FindInstalledLibc(files, Environment(), "/proc/self/exe");
  ASSERT_TRUE(libc.ok()) << libc.status();
  ASSERT_TRUE(libc->libc_path.has_value());
  ASSERT_TRUE(libc->banner.has_value());
  EXPECT_THAT(libc->banner->release, StartsWith("2."));
  EXPECT_TRUE(libc->loader_build_id.has_value());
  EXPECT_NE(libc->loader_build_id, libc->libc_build_id);
  if (libc->package_version.has_value() && libc->banner->revision.has_value()) {
    EXPECT_EQ(libc->package_version, libc->banner->revision);
  }
}

FakeSubprocess Loader(absl::StatusOr<CommandResult> tunables,
                      absl::StatusOr<CommandResult> diagnostics) {
  FakeSubprocess loader;
  loader.Add({kLoader, "--list-tunables"}, std::move(tunables));
  loader.Add({kLoader, "--list-diagnostics"}, std::move(diagnostics));
  return loader;
}

FakeSubprocess Loader(absl::StatusOr<CommandResult> tunables) {
  return Loader(std::move(tunables), Exited(0));
}

std::string ErrorOf(const Subprocess& loader, absl::StatusCode code) {
  const auto answer = AskLoader(loader, kLoader, Environment());
  EXPECT_EQ(answer.status().code(), code) << answer.status();
  const std::string message(answer.status().message());
  EXPECT_THAT(message, StartsWith(kLoader));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
  return message;
}

TEST(AskLoaderTest, ReadsBothListings) {
  const FakeSubprocess loader =
      Loader(Exited(0, ReadListing("tunables"), "WARNING: ld.so: x\n"),
             Exited(0, ReadListing("diagnostics")));
  const auto answer = AskLoader(
      loader, kLoader, Environment({"LD_PRELOAD=/x.so", "GLIBC_TUNABLES=a=b"}));
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->thresholds.non_temporal_threshold, 0x6300000);
  EXPECT_EQ(answer->thresholds.rep_movsb_stop_threshold, 0x6300000);
  EXPECT_EQ(answer->warnings, "WARNING: ld.so: x\n");
  ASSERT_EQ(loader.commands().size(), 2);
  for (const Command& command : loader.commands()) {
    EXPECT_THAT(command.environment.entries(),
                ElementsAre("GLIBC_TUNABLES=a=b"));
  }
}

TEST(AskLoaderTest, Glibc233HasNoDiagnostics) {
  const FakeSubprocess loader =
      Loader(Exited(0, ReadListing("tunables")),
             Exited(127, "",
                    "--list-diagnostics: error while loading shared libraries: "
                    "--list-diagnostics: cannot open shared object file\n"));
  const auto answer = AskLoader(loader, kLoader, Environment());
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_FALSE(answer->diagnostics.has_value());
  EXPECT_EQ(answer->thresholds.non_temporal_threshold, 0x6300000);
  EXPECT_EQ(answer->thresholds.rep_movsb_stop_threshold, std::nullopt);
  EXPECT_THAT(loader.commands()[0].environment.entries(), IsEmpty());
}

TEST(AskLoaderTest, HasOneErrorForEachReason) {
  EXPECT_EQ(
      ErrorOf(FakeSubprocess(), absl::StatusCode::kNotFound),
      absl::StrCat(kLoader, ": expected a dynamic loader, found no such file"));
  EXPECT_EQ(ErrorOf(Loader(absl::PermissionDeniedError("x")),
                    absl::StatusCode::kPermissionDenied),
            absl::StrCat(kLoader, ": not executable"));
  EXPECT_THAT(
      ErrorOf(Loader(KilledBy(SIGSEGV)), absl::StatusCode::kFailedPrecondition),
      HasSubstr("--list-tunables: killed by SIGSEGV"));
  EXPECT_THAT(ErrorOf(Loader(Exited(127, "",
                                    "Fatal glibc error: CPU does not support "
                                    "x86-64-v3\nmore\n")),
                      absl::StatusCode::kFailedPrecondition),
              HasSubstr("exit status 127: Fatal glibc error: CPU does"));
  EXPECT_THAT(ErrorOf(Loader(TimedOut()), absl::StatusCode::kDeadlineExceeded),
              HasSubstr("no answer within"));
  EXPECT_THAT(ErrorOf(Loader(Exited(1, "", "musl libc (x86_64)\nVersion 1\n")),
                      absl::StatusCode::kFailedPrecondition),
              HasSubstr("musl"));
  EXPECT_THAT(
      ErrorOf(Loader(Exited(127, "",
                            "--list-tunables: error while loading shared "
                            "libraries: --list-tunables: cannot open shared "
                            "object file: No such file or directory\n")),
              absl::StatusCode::kFailedPrecondition),
      HasSubstr("a glibc before 2.33"));
  EXPECT_THAT(
      ErrorOf(Loader(Exited(0, "hello\n")), absl::StatusCode::kInvalidArgument),
      HasSubstr("--list-tunables:1: expected"));
  EXPECT_THAT(
      ErrorOf(Loader(Exited(0, ReadListing("tunables")), KilledBy(SIGBUS)),
              absl::StatusCode::kFailedPrecondition),
      HasSubstr("--list-diagnostics: killed by SIGBUS"));
}

TEST(AskLoaderTest, AsksTheLoaderOfThisMachine) {
  const RealFileReader files;
  const auto libc = FindInstalledLibc(files, Environment());
  if (!libc.ok()) GTEST_SKIP() << libc.status();
  const auto plain =
      AskLoader(RealSubprocess(), libc->loader_path, Environment());
  if (absl::IsFailedPrecondition(plain.status())) {
    GTEST_SKIP() << plain.status();
  }
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_TRUE(plain->thresholds.non_temporal_threshold.has_value());
  const auto set = AskLoader(
      RealSubprocess(), libc->loader_path,
      Environment({"GLIBC_TUNABLES=glibc.cpu.x86_non_temporal_threshold="
                   "0x234500"}));
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->thresholds.non_temporal_threshold, 0x234500);
  EXPECT_EQ(set->thresholds.data_cache_size, plain->thresholds.data_cache_size);
}

TEST(AskLoaderTest, RealErrors) {
  const RealSubprocess subprocess;
  EXPECT_TRUE(absl::IsNotFound(
      AskLoader(subprocess, "/no/such/ld.so", Environment()).status()));
  EXPECT_TRUE(absl::IsPermissionDenied(
      AskLoader(subprocess, "/etc/passwd", Environment()).status()));
}

}  // namespace
}  // namespace advisor
