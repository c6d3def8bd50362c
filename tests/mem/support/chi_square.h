// SPDX-License-Identifier: Apache-2.0
// Pearson's test whether counts come from equally likely bins.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace weft::mem::test {

/// Upper tail of the chi-square distribution with `freedom` degrees at `x`: the regularised incomplete gamma function
/// Q(freedom/2, x/2), by its series below the mean and by its continued fraction above.
inline double chi_square_tail(double x, double freedom) {
  const double a = freedom / 2;
  const double z = x / 2;
  if (z <= 0) return 1;
  const double scale = std::exp(a * std::log(z) - z - std::lgamma(a));
  if (z < a + 1) {
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < 10000 && term > sum * 1e-16; ++n) sum += term *= z / (a + n);
    return 1 - scale * sum;
  }
  double b = z + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double fraction = d;
  for (int n = 1; n < 10000; ++n) {
    const double step = n * (a - n);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    fraction *= d * c;
    if (std::fabs(d * c - 1) < 1e-15) break;
  }
  return scale * fraction;
}

/// Probability of counts at least as uneven as these if all bins are equally likely.
inline double uniform_p_value(const std::vector<std::uint64_t>& counts) {
  double total = 0;
  for (const std::uint64_t count : counts) total += static_cast<double>(count);
  const double expected = total / static_cast<double>(counts.size());
  double statistic = 0;
  for (const std::uint64_t count : counts) {
    const double off = static_cast<double>(count) - expected;
    statistic += off * off / expected;
  }
  return chi_square_tail(statistic, static_cast<double>(counts.size() - 1));
}

}  // namespace weft::mem::test
