// The model against a replayed loader over a corpus of CPUID dumps.

#ifndef TOOLS_CHECK_CORPUS_REPORT_H_
#define TOOLS_CHECK_CORPUS_REPORT_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "advisor/glibc/build.h"
#include "advisor/glibc/replay.h"
#include "advisor/host/file_reader.h"

namespace advisor {

struct CorpusReport {
  // CPUs compared: of a dump with several, those that the model tells apart.
  int cpus = 0;
  int differing = 0;
  // Files that are no CPUID dump, and replays that failed.
  int unusable = 0;
};

// The files under `folder`, with those of its folders, in order of path.
// `folder` may be a file.
std::vector<std::string> FilesUnder(const FileReader& files,
                                    absl::string_view folder);

// Disagreements go to `out`; `tell` gets a line about each CPU or file that
// could not be compared. A loader that does not end within two seconds agrees
// with a model that says so.
CorpusReport CheckCorpus(const FileReader& files,
                         const std::vector<std::string>& paths,
                         const LoaderReplay& replay, const GlibcBuild& build,
                         const std::string& glibc_tunables, std::ostream& out,
                         const std::function<void(absl::string_view)>& tell);

}  // namespace advisor

#endif  // TOOLS_CHECK_CORPUS_REPORT_H_
