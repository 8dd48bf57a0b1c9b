#include "glibc_patches/mutation/rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace glibc_patches {
namespace {

// Bytes between two instructions that a rule changes together.
constexpr size_t kNearby = 64;

// One line, blanks squeezed.
std::string OneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\t' || c == ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return std::string(absl::StripSuffix(line, " "));
}

}  // namespace

std::string Apply(absl::string_view text, const std::vector<TextEdit>& edits) {
  std::string result;
  size_t at = 0;
  for (const TextEdit& edit : edits) {
    absl::StrAppend(&result, text.substr(at, edit.begin - at),
                    edit.replacement);
    at = edit.begin + edit.size;
  }
  absl::StrAppend(&result, text.substr(at));
  return result;
}

RuleContext RuleContext::Of(const Listing& listing, std::string source) {
  RuleContext context{listing, std::move(source), {}, 0, {}};
  std::set<std::string> variables;
  for (size_t i = 0; i < listing.instructions.size(); ++i) {
    const AssemblyInstruction& instruction = listing.instructions[i];
    for (const std::string& label : instruction.labels) {
      context.targets.emplace(label, i);
    }
    for (const Operand& operand : instruction.operands) {
      for (const RegisterUse& use : RegistersIn(operand.text)) {
        const int bytes = RegisterBytes(use.name);
        if (bytes >= 16) {
          context.vector_bytes = std::max(context.vector_bytes, bytes);
        }
      }
      const absl::string_view text = operand.text;
      const size_t begin = text.find("__x86_");
      const size_t end = text.find("(%rip)");
      if (begin != absl::string_view::npos && end > begin &&
          end != absl::string_view::npos) {
        variables.emplace(text.substr(begin, end - begin));
      }
    }
  }
  context.variables.assign(variables.begin(), variables.end());
  return context;
}

std::vector<Mutant> Plant(const RuleContext& context,
                          absl::Span<const Rule> rules) {
  std::vector<Mutant> mutants;
  const Listing& listing = context.listing;
  for (const Rule& rule : rules) {
    for (size_t i = 0; i < listing.instructions.size(); ++i) {
      rule.plant(context, i, [&](std::vector<TextEdit> edits) {
        const AssemblyInstruction& instruction = listing.instructions[i];
        Mutant mutant;
        mutant.rule = std::string(rule.name);
        mutant.source = context.source;
        mutant.file = instruction.file;
        mutant.line = instruction.line;
        mutant.function = instruction.function;
        // Of the instruction, and its successor where that changes too; of a
        // label, which has other uses, the first.
        const absl::string_view text = listing.text;
        size_t begin = instruction.begin;
        size_t end = instruction.begin + instruction.size;
        std::vector<TextEdit> shown;
        for (const TextEdit& edit : edits) {
          if (edit.begin < begin || edit.begin > end + kNearby) continue;
          end = std::max(end, edit.begin + edit.size);
          shown.push_back(edit);
        }
        if (shown.empty()) {
          begin = text.rfind('\n', edits.front().begin - 1) + 1;
          end = edits.front().begin;
          shown.push_back(edits.front());
        }
        for (TextEdit& edit : shown) edit.begin -= begin;
        mutant.before = OneLine(text.substr(begin, end - begin));
        mutant.after = OneLine(Apply(text.substr(begin, end - begin), shown));
        if (mutant.after.empty()) mutant.after = "(nothing)";
        mutant.edits = std::move(edits);
        mutants.push_back(std::move(mutant));
      });
    }
  }
  return mutants;
}

}  // namespace glibc_patches
