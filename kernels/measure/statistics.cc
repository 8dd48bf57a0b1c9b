#include "kernels/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "boost/math/distributions/binomial.hpp"
#include "boost/math/distributions/students_t.hpp"

namespace kernels {
namespace {

struct Moments {
  double mean;
  double standard_error;
};

Moments MomentsOf(absl::Span<const double> samples) {
  const double count = static_cast<double>(samples.size());
  const double mean =
      std::accumulate(samples.begin(), samples.end(), 0.0) / count;
  double squares = 0;
  for (const double sample : samples)
    squares += (sample - mean) * (sample - mean);
  return {mean, std::sqrt(squares / (count - 1) / count)};
}

}  // namespace

double Quantile(absl::Span<const double> samples, double q) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

double Median(absl::Span<const double> samples) {
  return Quantile(samples, 0.5);
}

Interval MeanInterval(absl::Span<const double> samples, double confidence) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (samples.empty()) return {-kInfinity, 0, kInfinity};
  if (samples.size() == 1) return {-kInfinity, samples[0], kInfinity};
  const Moments moments = MomentsOf(samples);
  const boost::math::students_t distribution(
      static_cast<double>(samples.size() - 1));
  const double half_width =
      moments.standard_error *
      boost::math::quantile(distribution, 0.5 + confidence / 2);
  return {moments.mean - half_width, moments.mean, moments.mean + half_width};
}

double MeanPValue(absl::Span<const double> samples, double mean) {
  if (samples.size() < 2) return 1;
  const Moments moments = MomentsOf(samples);
  const double distance = std::abs(moments.mean - mean);
  if (moments.standard_error == 0) return distance == 0 ? 1 : 0;
  const boost::math::students_t distribution(
      static_cast<double>(samples.size() - 1));
  return 2 * boost::math::cdf(boost::math::complement(
                 distribution, distance / moments.standard_error));
}

Interval ShareInterval(int successes, int trials, double confidence) {
  using Distribution = boost::math::binomial;
  const double error = (1 - confidence) / 2;
  return {Distribution::find_lower_bound_on_p(trials, successes, error),
          static_cast<double>(successes) / trials,
          Distribution::find_upper_bound_on_p(trials, successes, error)};
}

Interval MedianInterval(absl::Span<const double> samples, double confidence) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const boost::math::binomial distribution(static_cast<double>(sorted.size()),
                                           0.5);
  // The k smallest and the k largest samples may be left out as long as the
  // median is below or above them with at most half of the permitted error.
  size_t left_out = 0;
  while (2 * (left_out + 1) < sorted.size() &&
         boost::math::cdf(distribution, static_cast<double>(left_out)) <=
             (1 - confidence) / 2) {
    ++left_out;
  }
  const size_t low = left_out == 0 ? 0 : left_out - 1;
  return {sorted[low], Median(samples), sorted[sorted.size() - 1 - low]};
}

std::vector<double> BenjaminiHochberg(absl::Span<const double> p_values) {
  std::vector<size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return p_values[a] > p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double smallest = 1;
  const double count = static_cast<double>(p_values.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const double rank = count - static_cast<double>(i);
    smallest = std::min(smallest, p_values[order[i]] * count / rank);
    adjusted[order[i]] = smallest;
  }
  return adjusted;
}

Comparison Compare(const Interval& interval, double noise_floor, double band) {
  if (interval.high < -noise_floor) return Comparison::kFaster;
  if (interval.low > noise_floor) return Comparison::kSlower;
  if (interval.low > -band && interval.high < band) {
    return Comparison::kEquivalent;
  }
  return Comparison::kCannotTell;
}

}  // namespace kernels
