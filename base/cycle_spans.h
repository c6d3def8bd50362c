// SPDX-License-Identifier: Apache-2.0
// Spans of cycles in which a condition held, and the union of several sets of such spans.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/types.h"

namespace weft {

/// Cycles from `begin` up to, but without, `end`.
struct CycleSpan {
  Cycle begin = 0;
  Cycle end = 0;
};

/// Spans in the order of time that do not overlap. Those that touch are one.
class CycleSpans {
 public:
  /// Adds a span that begins at or after the end of the last one.
  void add(CycleSpan span) {
    if (span.begin == span.end) return;
    if (!spans_.empty() && spans_.back().end == span.begin) {
      spans_.back().end = span.end;
    } else {
      spans_.push_back(span);
    }
  }
  /// Cycles of all spans.
  Cycle cycles() const {
    Cycle sum = 0;
    for (const CycleSpan& span : spans_) sum += span.end - span.begin;
    return sum;
  }
  /// Adds what lies from `from` to `to` again, `times` times, each time `period` cycles later, where nothing lies yet.
  void repeat(Cycle from, Cycle to, Cycle period, std::uint64_t times) {
    std::vector<CycleSpan> parts;
    for (const CycleSpan& span : spans_) {
      if (span.end > from && span.begin < to) parts.push_back({std::max(span.begin, from), std::min(span.end, to)});
    }
    for (std::uint64_t time = 1; time <= times; ++time) {
      for (const CycleSpan& part : parts) add({part.begin + time * period, part.end + time * period});
    }
  }
  /// Adds the spans of `other`; afterwards these are the union of both.
  void merge(const CycleSpans& other) {
    std::vector<CycleSpan> all;
    all.reserve(spans_.size() + other.spans_.size());
    std::merge(spans_.begin(), spans_.end(), other.spans_.begin(), other.spans_.end(), std::back_inserter(all),
               [](const CycleSpan& a, const CycleSpan& b) { return a.begin < b.begin; });
    spans_.clear();
    for (const CycleSpan& span : all) {
      if (!spans_.empty() && span.begin <= spans_.back().end) {
        spans_.back().end = std::max(spans_.back().end, span.end);
      } else {
        spans_.push_back(span);
      }
    }
  }
  const std::vector<CycleSpan>& all() const { return spans_; }
  std::vector<CycleSpan>& all() { return spans_; }

 private:
  std::vector<CycleSpan> spans_;
};

}  // namespace weft
