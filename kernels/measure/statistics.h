// The statistics of paired measurements. Samples are log ratios: the natural
// logarithm of (candidate time / base time), so 0 means equal, and a median is
// the same whichever side is called the base.

#ifndef KERNELS_MEASURE_STATISTICS_H_
#define KERNELS_MEASURE_STATISTICS_H_

#include <vector>

#include "absl/types/span.h"

namespace kernels {

// The middle value; the mean of the two middle ones for an even count. The
// samples must not be empty.
double Median(absl::Span<const double> samples);

// The value below which a share `q` (0..1) of the samples lies, with linear
// interpolation. The samples must not be empty.
double Quantile(absl::Span<const double> samples, double q);

struct Interval {
  double low;
  double middle;
  double high;
};

// Student's t interval of the mean of independent samples, one a process: few
// (4 to 40), each itself a median of many pairs and so close to normal. With
// fewer than two samples the interval is unbounded.
Interval MeanInterval(absl::Span<const double> samples, double confidence);

// The two-sided p-value of Student's t test that the mean is `mean`. 1 where
// there are fewer than two samples.
double MeanPValue(absl::Span<const double> samples, double mean = 0);

// A share of `trials` (at least 1): what was seen, with the exact interval of
// Clopper and Pearson (1934).
Interval ShareInterval(int successes, int trials, double confidence);

// Distribution-free interval of the median, from the binomial distribution of
// the order statistics. Its coverage is at least `confidence` when there are
// enough samples for that (6 for 95 %), else it is the range of the samples.
Interval MedianInterval(absl::Span<const double> samples, double confidence);

// Benjamini and Hochberg (1995): adjusted p-values, in the order given. A set
// of claims with adjusted p <= q has an expected share of false ones <= q.
std::vector<double> BenjaminiHochberg(absl::Span<const double> p_values);

enum class Comparison { kFaster, kSlower, kEquivalent, kCannotTell };

// What an interval (of log ratios) says: faster or slower when it lies wholly
// beyond `noise_floor` (a log ratio >= 0) on that side; equivalent when it lies
// wholly inside +-`band` (two one-sided tests at the interval's level).
Comparison Compare(const Interval& interval, double noise_floor, double band);

}  // namespace kernels

#endif  // KERNELS_MEASURE_STATISTICS_H_
