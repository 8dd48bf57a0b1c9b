// The part of a verdict that is about speed, as text and as JSON.

#ifndef GLIBC_PATCHES_SPEED_RENDERER_H_
#define GLIBC_PATCHES_SPEED_RENDERER_H_

#include <string>

#include "glibc_patches/verdict.h"
#include "nlohmann/json.hpp"

namespace glibc_patches {

// Both of a verdict with a measurement. Lines, each with its end.
std::string SpeedText(const Verdict& verdict);
nlohmann::ordered_json SpeedJson(const Verdict& verdict);

}  // namespace glibc_patches

#endif  // GLIBC_PATCHES_SPEED_RENDERER_H_
