// What a proof study says of the proposals: which are kept, and why.

#ifndef ADVISOR_MEASUREMENT_CONCLUSION_H_
#define ADVISOR_MEASUREMENT_CONCLUSION_H_

#include <cstddef>
#include <string>
#include <vector>

#include "advisor/measurement/part.h"
#include "advisor/report.h"
#include "kernels/measure/study.h"

namespace advisor {

struct Conclusion {
  // Sorted by name; empty where nothing held.
  std::vector<TunableSetting> proved;
  // Which parts held, as indexes.
  std::vector<size_t> held;
  // Of what held; of what failed where nothing did.
  Proof proof;
  std::vector<Finding> findings;
  std::string reason;
};

// Each part stands or falls alone. One that harms the sizes next to its new
// place is moved back (back_off.h): `parts` then have the new value.
Conclusion Conclude(const kernels::Study& study, std::vector<Part>& parts);

}  // namespace advisor

#endif  // ADVISOR_MEASUREMENT_CONCLUSION_H_
