// SPDX-License-Identifier: Apache-2.0
// What `weft run --watch` shows while a run goes on.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "config/config.h"
#include "sc_models/run_control.h"

namespace weft::cli {

/// What there is room for on a terminal.
struct WatchRoom {
  std::size_t columns = 79;
  std::size_t rows = 23;
};

/// Several lines about a run: how far it is, the busiest links, collectives under way; no more and no longer ones than
/// there is room for.
std::vector<std::string> watch_lines(const Config& config, const sc_models::RunProgress& progress,
                                     std::chrono::duration<double> elapsed, WatchRoom room);
/// The same as one line, for a log.
std::string watch_line(const Config& config, const sc_models::RunProgress& progress,
                       std::chrono::duration<double> elapsed);

/// A view on standard error: lines that are written over and over on a terminal, else a plain line now and then.
class WatchView {
 public:
  /// Between two reports.
  static std::chrono::milliseconds period();
  /// Links and collectives that are shown.
  static constexpr std::size_t kShown = 6;

  WatchView() = default;
  ~WatchView() { clear(); }
  WatchView(const WatchView&) = delete;
  WatchView& operator=(const WatchView&) = delete;

  void show(const Config& config, const sc_models::RunProgress& progress, std::chrono::duration<double> elapsed);
  /// Removes the lines from the terminal.
  void clear();

 private:
  std::size_t shown_ = 0;  ///< lines on the terminal
};

}  // namespace weft::cli
