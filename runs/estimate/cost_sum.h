// SPDX-License-Identifier: Apache-2.0
// What a run is going to take, added up part by part.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/units.h"

namespace weft::runs {

/// Adds up bytes, or what else something costs, and says how.
class CostSum {
 public:
  /// `unit`: behind each cost of one, " ns"; `scale`: what it is worth.
  explicit CostSum(std::string unit = "", double scale = 1) : unit_(std::move(unit)), scale_(scale) {}
  void add(double cost, const std::string& text) {
    total_ += cost;
    text_ += (text_.empty() ? "" : " + ") + text;
  }
  /// Nothing is said of nothing.
  void add(double count, const std::string& what, double each) {
    if (count > 0) add(count * each * scale_, fmt::format("{} {} x {:g}{}", short_number(count), what, each, unit_));
  }
  double total() const { return total_; }
  const std::string& text() const { return text_; }

 private:
  std::string unit_;
  double scale_;
  double total_ = 0;
  std::string text_;
};

}  // namespace weft::runs
