// SPDX-License-Identifier: Apache-2.0
// The memory that a run is going to take, added up part by part.
#pragma once

#include <fmt/format.h>

#include <string>

#include "config/run_estimate.h"

namespace weft {

/// Adds up bytes and says how.
class MemorySum {
 public:
  void add(double bytes, const std::string& text) {
    bytes_ += bytes;
    text_ += (text_.empty() ? "" : " + ") + text;
  }
  /// Nothing is said of nothing.
  void add(double count, const std::string& what, double each) {
    if (count > 0) add(count * each, fmt::format("{} {} x {:g}", short_number(count), what, each));
  }
  double bytes() const { return bytes_; }
  const std::string& text() const { return text_; }

 private:
  double bytes_ = 0;
  std::string text_;
};

}  // namespace weft
