// Which libc a measurement is about, from what was found on this machine.

#ifndef ADVISOR_MEASURED_LIBC_H_
#define ADVISOR_MEASURED_LIBC_H_

#include "advisor/measurement.h"
#include "advisor/system.h"

namespace advisor {

// `system` must have an installed libc with a banner (InspectThisMachine).
MeasuredLibc LibcToMeasure(const System& system);

}  // namespace advisor

#endif  // ADVISOR_MEASURED_LIBC_H_
