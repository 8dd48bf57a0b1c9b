// A verdict as text, as JSON, and as JUnit's XML.

#ifndef GLIBC_PATCHES_VERDICT_RENDERER_H_
#define GLIBC_PATCHES_VERDICT_RENDERER_H_

#include <string>

#include "glibc_patches/verdict.h"

namespace glibc_patches {

// "content  patched: __memset_erms  passed, 12345 calls": one line, no end.
std::string RenderCheckLine(const CheckResult& check);

// The verdict comes last, where a reader of a log looks first.
std::string RenderText(const Verdict& verdict);

// As verdict.schema.json says.
std::string RenderJson(const Verdict& verdict);

// One test case a check and one a measured variant.
std::string RenderJunit(const Verdict& verdict);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_VERDICT_RENDERER_H_
