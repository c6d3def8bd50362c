// SPDX-License-Identifier: Apache-2.0
// One line at the bottom of a terminal that is written over and over; nothing when output is not a terminal.
#pragma once

#include <chrono>
#include <string>

#include "config/config.h"
#include "sc_models/run_control.h"

namespace weft::cli {

/// Whether escapes move the cursor there: a terminal, and not a dumb one (TERM).
bool is_terminal(int descriptor);
/// True when a person watches: standard output and standard error are both terminals.
bool on_terminal();

/// Shows `text` in place of what it showed before.
class ProgressLine {
 public:
  ProgressLine() = default;
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  /// Removes the line.
  void clear();

 private:
  bool enabled_ = on_terminal();
  bool shown_ = false;
};

/// "12.3 us simulated, 25 % done"
std::string share_text(const sc_models::RunProgress& progress, const ClockSpec& clock);
/// "2.00 M flit-hops/s, about 30 s left"; empty where no time has passed.
std::string speed_text(const sc_models::RunProgress& progress, std::chrono::duration<double> elapsed);
/// "12.3 us simulated, 45 % done, 8.10 M flit-hops/s, about 12 s left": time by `clock`, speed and estimate by the
/// `elapsed` wall time.
std::string progress_text(const sc_models::RunProgress& progress, const ClockSpec& clock,
                          std::chrono::duration<double> elapsed);

}  // namespace weft::cli
