#include "glibc_patches/mutation/score.h"

#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace glibc_patches {
namespace {

constexpr int kFates = 3;

using Counts = std::array<int, kFates>;

std::string Percent(const Counts& counts) {
  const int of = counts[0] + counts[1];
  if (of == 0) return "-";
  // Rounded down: 100 % means all.
  return absl::StrFormat("%.1f %%", counts[0] * 1000 / of / 10.0);
}

std::string Table(const char* title,
                  const std::map<std::string, Counts>& rows) {
  std::string text =
      absl::StrFormat("%-32s %8s %9s %11s %8s\n", title, "killed", "survived",
                      "equivalent", "score");
  for (const auto& [name, counts] : rows) {
    absl::StrAppend(&text,
                    absl::StrFormat("%-32s %8d %9d %11d %8s\n", name, counts[0],
                                    counts[1], counts[2], Percent(counts)));
  }
  return text;
}

std::string Describe(const JudgedMutant& judged) {
  const Mutant& mutant = judged.mutant;
  std::string text =
      absl::StrCat(mutant.file, ":", mutant.line, ": ", mutant.rule, " in ",
                   mutant.source, ", ", mutant.function, "\n    ",
                   mutant.before, "\n -> ", mutant.after, "\n");
  if (!judged.reason.empty()) {
    absl::StrAppend(&text, "    ", judged.reason, "\n");
  }
  return text;
}

}  // namespace

int Score::Count(Fate fate) const {
  return static_cast<int>(
      std::count_if(faults.begin(), faults.end(),
                    [&](const JudgedMutant& m) { return m.fate == fate; }));
}

int Score::Failures() const {
  return Count(Fate::kSurvived) +
         static_cast<int>(std::count_if(
             preserving.begin(), preserving.end(),
             [](const JudgedMutant& m) { return m.fate == Fate::kKilled; }));
}

std::string RenderScore(const Score& score) {
  std::map<std::string, Counts> by_rule, by_file, by_check;
  Counts all = {};
  int not_planted = 0;
  std::map<std::string, int> killers;
  for (const JudgedMutant& judged : score.faults) {
    if (judged.fate == Fate::kNotPlanted) {
      ++not_planted;
      continue;
    }
    const int fate = static_cast<int>(judged.fate);
    ++by_rule[judged.mutant.rule][fate];
    ++by_file[judged.mutant.source][fate];
    ++all[fate];
    if (judged.fate == Fate::kKilled) ++killers[judged.judgement.check];
  }
  std::string text = Table("rule", by_rule);
  absl::StrAppend(&text, "\n", Table("file", by_file), "\nkilled by");
  for (const auto& [check, count] : killers) {
    absl::StrAppend(&text, " ", check, " ", count, ",");
  }
  if (text.back() == ',') text.pop_back();
  absl::StrAppend(&text, "\n");
  for (const Fate fate : {Fate::kEquivalent, Fate::kSurvived}) {
    const bool survived = fate == Fate::kSurvived;
    if (score.Count(fate) == 0) continue;
    absl::StrAppend(&text, survived ? "\nsurvivors:\n" : "\nequivalent:\n");
    for (const JudgedMutant& judged : score.faults) {
      if (judged.fate == fate) absl::StrAppend(&text, Describe(judged));
    }
  }
  int accepted = 0, rejected = 0;
  for (const JudgedMutant& judged : score.preserving) {
    if (judged.fate == Fate::kKilled) {
      ++rejected;
      absl::StrAppend(
          &text, "\nREJECTED although it changes nothing: ", Describe(judged),
          "    ", judged.judgement.check, ": ", judged.judgement.what, "\n");
    } else if (judged.fate != Fate::kNotPlanted) {
      ++accepted;
    }
  }
  for (const std::string& check : score.excused) {
    absl::StrAppend(
        &text, "\nnot counted, since the base fails it too: ", check, "\n");
  }
  absl::StrAppend(
      &text, "\nglibc ", score.release, ": ", all[0] + all[1] + all[2],
      " faults of ", score.candidates, " possible ones: ", all[0], " killed, ",
      all[1], " survived, ", all[2], " equivalent; score ", Percent(all), "\n",
      accepted + rejected, " edits that change nothing: ", accepted,
      " accepted, ", rejected, " rejected\n",
      absl::StrFormat("%.0f s; %d not planted (the same code as another, or "
                      "not to be assembled)\n",
                      score.seconds, not_planted));
  return text;
}

}  // namespace glibc_patches
