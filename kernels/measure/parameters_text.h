// KernelParameters as one word, for the pipe to a worker and for a study's
// file: "non_temporal_threshold=65536,rep_movsb_threshold=2112".

#ifndef KERNELS_MEASURE_PARAMETERS_TEXT_H_
#define KERNELS_MEASURE_PARAMETERS_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kernels/variant.h"

namespace kernels {

// Fields that are nullopt are left out; "-" when all are.
std::string FormatParameters(const KernelParameters& parameters);

absl::StatusOr<KernelParameters> ParseParameters(absl::string_view text);

}  // namespace kernels

#endif  // KERNELS_MEASURE_PARAMETERS_TEXT_H_
