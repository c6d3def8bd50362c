// SPDX-License-Identifier: Apache-2.0
// Where two recordings begin to differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "waves/scope_pattern.h"
#include "waves/wave_reader.h"

namespace weft::waves {

/// A signal that is not the same in two files.
struct SignalDifference {
  std::string signal;
  std::string first;  ///< value in the first file, in words
  std::string second;
};

/// What two files have in common and where they part.
struct WaveDifference {
  std::size_t compared = 0;             ///< signals that both have
  std::vector<std::string> only_first;  ///< signals
  std::vector<std::string> only_second;
  bool differ = false;
  double time_ns = 0;                     ///< time of the first difference, or the last time that both have
  std::vector<SignalDifference> signals;  ///< that differ then, in the order of the first file
  double first_end_ns = 0;
  double second_end_ns = 0;
};

/// Compares the signals that both files have and that one of `patterns` selects (all, if there are none), value by
/// value in order of time, up to the end of the shorter file. Values that change nothing do not count, nor does the
/// unit of time, nor the `cycle` of a clock unless a pattern names it or its clock: whether it counts on while nothing
/// happens depends on what else is recorded. Takes two readings of
/// each file and 16 bytes per instant. Throws InputError for a damaged file, or if the files have no such signal in
/// common.
WaveDifference first_difference(WaveReader& first, WaveReader& second, const std::vector<ScopePattern>& patterns);

/// Nanoseconds of a unit like "1ps" or "10ns". Throws InputError for anything else.
double unit_ns(const std::string& unit);

}  // namespace weft::waves
