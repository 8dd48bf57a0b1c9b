// What a check of the code says where there is no graph of it.

#ifndef GLIBC_PATCHES_CHECKS_NO_GRAPH_H_
#define GLIBC_PATCHES_CHECKS_NO_GRAPH_H_

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "glibc_patches/checks/session.h"

namespace glibc_patches {

// Code that is none is a finding; code of unknown bounds is not.
inline void TellNoGraph(const absl::Status& status, CheckSession& session) {
  if (absl::IsUnimplemented(status)) {
    session.Note(absl::StrCat("the code was not followed: ", status.message()));
  } else {
    session.FailCode(status.message());
  }
}

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_CHECKS_NO_GRAPH_H_
