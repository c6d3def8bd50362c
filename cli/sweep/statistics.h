// SPDX-License-Identifier: Apache-2.0
// Means over seeds with their 95 % intervals.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace weft::cli {

/// The 0.975 quantile of Student's t distribution; `degrees` >= 1. Good to 5 digits.
double student_t_975(std::size_t degrees);

/// A mean and half the width of its two-sided 95 % t-interval; none for a single sample.
struct MeanInterval {
  double mean = 0;
  std::optional<double> half_width;
};

/// Mean of `samples` (at least one).
MeanInterval mean_interval(const std::vector<double>& samples);

}  // namespace weft::cli
