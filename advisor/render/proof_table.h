// The cells of a proof as a table: a row for each function and size, a column
// for each condition.

#ifndef ADVISOR_RENDER_PROOF_TABLE_H_
#define ADVISOR_RENDER_PROOF_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "advisor/report.h"

namespace advisor {

// Ratios, with their intervals where all conditions then fit side by side into
// `columns`, else without; conditions that do not fit even so follow in further
// blocks. Whole lines; "" without cells. "-" where a condition was not measured
// at a size; a block has no rows of that alone. Of more rows than a screen
// takes (14, or 20 over all blocks) those with the least effect are left out,
// which a line then says.
std::string ProofTable(const std::vector<ProofCell>& cells, size_t columns);

}  // namespace advisor

#endif  // ADVISOR_RENDER_PROOF_TABLE_H_
