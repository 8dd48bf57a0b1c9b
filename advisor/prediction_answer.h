// The answer of `predict` for one core kind of one machine under one glibc,
// complete before any renderer sees it.

#ifndef ADVISOR_PREDICTION_ANSWER_H_
#define ADVISOR_PREDICTION_ANSWER_H_

#include <string>
#include <vector>

#include "advisor/glibc/loader_listing.h"
#include "advisor/glibc/step.h"
#include "advisor/report.h"

namespace advisor {

struct PredictionAnswer {
  // The input's name without folder and ".txt", and the path as given; "this
  // machine" for both.
  std::string dump;
  std::string path;
  // Of a hybrid CPU: "core (CPU 0-7)". Empty where all CPUs are alike.
  std::string core;
  // As GlibcBuild names it, or the path of a loader that was replayed.
  std::string build;
  // What a reader must know about the build; usually empty.
  std::string build_note;
  // "model", or "replay" of the loader.
  std::string engine = "model";

  // The program never gets to main; thresholds and variants mean nothing then.
  bool hangs = false;
  // False where the input lacks leaves that the numbers rest on; they mean
  // nothing then.
  bool has_thresholds = true;
  bool has_variants = true;
  // In bytes, as the kernels read them; nullopt where the build has no such
  // variable.
  EffectiveThresholds thresholds;
  // What follows "__memmove_" and "__memset_" in the selected symbol.
  std::string memmove;
  std::string memset;

  // The line of reasoning; empty unless asked for.
  std::vector<Step> steps;
  // Most severe first.
  std::vector<Finding> findings;
};

}  // namespace advisor

#endif  // ADVISOR_PREDICTION_ANSWER_H_
