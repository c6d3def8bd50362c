// SPDX-License-Identifier: Apache-2.0
#include "cli/sweep/statistics.h"

#include <array>
#include <cmath>

#include "base/error.h"

namespace weft::cli {

double student_t_975(std::size_t degrees) {
  WEFT_CHECK(degrees >= 1, "Student's t needs at least one degree of freedom");
  static constexpr std::array<double, 10> kExact{12.706205, 4.302653, 3.182446, 2.776445, 2.570582,
                                                 2.446912,  2.364624, 2.306004, 2.262157, 2.228139};
  if (degrees <= kExact.size()) return kExact[degrees - 1];
  // Cornish-Fisher expansion around the normal quantile z; its error is below 1e-5 from eleven degrees on.
  const double z = 1.959963985;
  const double z2 = z * z;
  const auto v = static_cast<double>(degrees);
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double g4 = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + g1 / v + g2 / (v * v) + g3 / (v * v * v) + g4 / (v * v * v * v);
}

MeanInterval mean_interval(const std::vector<double>& samples) {
  WEFT_CHECK(!samples.empty(), "a mean needs at least one sample");
  const auto n = static_cast<double>(samples.size());
  MeanInterval result;
  for (const double sample : samples) result.mean += sample / n;
  if (samples.size() < 2) return result;
  double squares = 0;
  for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
  const double deviation = std::sqrt(squares / (n - 1));
  result.half_width = student_t_975(samples.size() - 1) * deviation / std::sqrt(n);
  return result;
}

}  // namespace weft::cli
