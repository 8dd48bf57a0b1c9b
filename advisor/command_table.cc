#include "advisor/command_table.h"

#include "advisor/command_compare.h"
#include "advisor/command_help.h"
#include "advisor/command_inspect.h"
#include "advisor/command_lint.h"
#include "advisor/command_mask.h"
#include "advisor/command_merge.h"
#include "advisor/command_predict.h"
#include "advisor/command_recommend.h"
#include "advisor/command_verify.h"
#include "advisor/command_version.h"

namespace advisor {
namespace {

// One row a command; sorted by name.
constexpr const CommandRow* kCommands[] = {
    &kCompareCommand, &kHelpCommand,    &kInspectCommand, &kLintCommand,
    &kMaskCommand,    &kMergeCommand,   &kPredictCommand, &kRecommendCommand,
    &kVerifyCommand,  &kVersionCommand,
};

}  // namespace

absl::Span<const CommandRow* const> AllCommands() { return kCommands; }

}  // namespace advisor
