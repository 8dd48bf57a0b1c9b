// Predictions in each output format of `predict`. A renderer writes machine by
// machine, so that any number of them takes no memory.

#ifndef ADVISOR_RENDER_PREDICTION_RENDERER_H_
#define ADVISOR_RENDER_PREDICTION_RENDERER_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advisor/prediction_answer.h"

namespace advisor {

// How much text there is room for.
enum class PredictionScope {
  kOneBuild,    // one machine under one build: the whole chain
  kOneMachine,  // one machine under several builds: a table
  kMany,        // many machines
};

// Methods are const and may be called from several threads.
class PredictionRenderer {
 public:
  virtual ~PredictionRenderer() = default;

  // What the answers must hold for it.
  virtual AnswerDetail detail() const = 0;
  virtual std::string Head() const { return ""; }
  // What stands between two machines.
  virtual std::string Separator() const { return ""; }
  // One machine (or core kind) under each build.
  virtual std::string Render(
      const PredictionSubject& subject,
      absl::Span<const PredictionAnswer> answers) const = 0;
  virtual std::string Tail() const { return ""; }
};

// The value (a threshold, "memmove", "memset") rests on leaves that the input
// lacks.
bool IsUnknown(const PredictionAnswer& answer, absl::string_view value);

// "text", "csv", "json" or "jsonl"; nullptr for another.
std::unique_ptr<PredictionRenderer> MakePredictionRenderer(
    absl::string_view format, PredictionScope scope, int columns);

}  // namespace advisor

#endif  // ADVISOR_RENDER_PREDICTION_RENDERER_H_
