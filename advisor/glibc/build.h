// A glibc build: a release as tagged, the tip of its stable branch, or a
// distribution's package, resolved to the set of changes that it carries.

#ifndef ADVISOR_GLIBC_BUILD_H_
#define ADVISOR_GLIBC_BUILD_H_

#include <bitset>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/glibc/change.h"

namespace advisor {

inline constexpr int kFirstRelease = 26;  // 2.26
inline constexpr int kLastRelease = 42;   // 2.42

class GlibcBuild {
 public:
  // "2.36": the release as tagged. 26 to 42.
  static GlibcBuild Tag(int release);
  // "2.36+branch": the tip of release/2.36/master, January 2026.
  static GlibcBuild BranchTip(int release);

  // As asked for: "2.36", "2.36+branch", "2.36-9+deb12u14".
  const std::string& name() const { return name_; }
  // The NN of 2.NN.
  int release() const { return release_; }

  // YYYY-MM-DD: what the stable branch took up to then is in it; empty for a
  // release as tagged, after every date for a branch's tip.
  const std::string& branch_date() const { return branch_date_; }

  bool Has(Change change) const {
    return changes_[static_cast<size_t>(change)];
  }

  // False where the package's patches are not known well enough; the values
  // are then a guess, and note() says which one.
  bool certain() const { return certain_; }
  // What a reader must know about the build; empty for releases and branches.
  const std::string& note() const { return note_; }

  // "glibc.tune." or "glibc.cpu.".
  absl::string_view tunable_namespace() const {
    return Has(Change::kCpuNamespace) ? "glibc.cpu." : "glibc.tune.";
  }

 private:
  friend absl::StatusOr<GlibcBuild> ParseGlibcBuild(absl::string_view text);

  // The release as tagged, and what its branch took up to `branch_date`
  // (YYYY-MM-DD, empty for none).
  GlibcBuild(std::string name, int release, absl::string_view branch_date);

  std::string name_;
  int release_;
  std::string branch_date_;
  std::bitset<kChangeCount> changes_;
  bool certain_ = true;
  std::string note_;
};

// Takes "2.36", "2.36+branch", or a package's version as the distribution
// writes it ("2.36-9+deb12u14", "2.28-251.el8_10.2", "2.35-0ubuntu3.8").
// InvalidArgument for another form, OutOfRange for a release that the model
// does not cover.
absl::StatusOr<GlibcBuild> ParseGlibcBuild(absl::string_view text);

// 2.26 to 2.42 as tagged, then the same releases' branch tips.
absl::Span<const GlibcBuild> UpstreamBuilds();

}  // namespace advisor

#endif  // ADVISOR_GLIBC_BUILD_H_
