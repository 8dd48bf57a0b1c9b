#include "advisor/render/prediction_renderer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "advisor/render/prediction_json.h"
#include "advisor/render/prediction_text.h"

namespace advisor {
namespace {

std::string CsvField(absl::string_view text) {
  if (text.find_first_of(",\"\n\r") == absl::string_view::npos) {
    return std::string(text);
  }
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// The columns and names of PredictionCsvHeader; "unknown" for what the input
// cannot tell.
class CsvRenderer : public PredictionRenderer {
 public:
  AnswerDetail detail() const override { return {}; }
  std::string Head() const override {
    return absl::StrCat(PredictionCsvHeader(), "\n");
  }
  std::string Render(
      const PredictionSubject& subject,
      absl::Span<const PredictionAnswer> answers) const override {
    std::string text;
    const std::string dump =
        subject.core.empty() ? subject.dump
                             : absl::StrCat(subject.dump, " ", subject.core);
    for (const PredictionAnswer& answer : answers) {
      absl::StrAppend(&text, CsvField(dump), ",", CsvField(answer.build));
      for (const ThresholdColumn& column : ThresholdColumns()) {
        const std::optional<uint64_t>& value = answer.thresholds.*column.value;
        absl::StrAppend(&text, ",",
                        answer.hangs                     ? "hangs"
                        : value.has_value()              ? absl::StrCat(*value)
                        : IsUnknown(answer, column.name) ? "unknown"
                                                         : "");
      }
      for (const auto& [name, variant] :
           {std::pair("memmove", &answer.memmove),
            std::pair("memset", &answer.memset)}) {
        absl::StrAppend(&text, ",",
                        answer.hangs              ? "hangs"
                        : IsUnknown(answer, name) ? "unknown"
                                                  : *variant);
      }
      text.push_back('\n');
    }
    return text;
  }
};

}  // namespace

bool IsUnknown(const PredictionAnswer& answer, absl::string_view value) {
  for (const std::string& name : answer.unknown_values) {
    if (name == value) return true;
  }
  return false;
}

std::unique_ptr<PredictionRenderer> MakePredictionRenderer(
    absl::string_view format, PredictionScope scope, int columns) {
  if (format == "csv") return std::make_unique<CsvRenderer>();
  if (format == "json") return MakePredictionJsonRenderer(scope);
  if (format == "jsonl") return MakePredictionJsonLinesRenderer();
  if (format == "text") return MakePredictionTextRenderer(scope, columns);
  return nullptr;
}

}  // namespace advisor
