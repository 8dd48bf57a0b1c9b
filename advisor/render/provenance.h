// Why a setting is there, how far it reaches and when it may go: the comment of
// every file that holds one, for whoever finds it in some years.

#ifndef ADVISOR_RENDER_PROVENANCE_H_
#define ADVISOR_RENDER_PROVENANCE_H_

#include <string>

#include "absl/strings/string_view.h"
#include "advisor/report.h"

namespace advisor {

// `text` in lines of at most 80 columns that begin with "# ". ASCII alone:
// other bytes become "?", for the parsers of these files.
std::string CommentLines(absl::string_view text);

// "with glibc 2.33, which ...; after an upgrade from glibc 2.28, or when ...":
// when a setting is to be dropped.
std::string WhenToDrop(const Report& report);

// What is set and why, glibc and machine, date, tool, how it was found, and
// when to drop it. For a report without a setting: why there is none. Whole
// lines, each a comment.
std::string ProvenanceComment(const Report& report);

// What anyone must know before setting it for more than one service.
std::string SystemWideWarning();

}  // namespace advisor

#endif  // ADVISOR_RENDER_PROVENANCE_H_
