// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "wafer/results_units.h"

namespace weft::cli {
namespace {

std::string readable_seconds(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

bool on_terminal() { return isatty(STDOUT_FILENO) == 1 && isatty(STDERR_FILENO) == 1; }

void ProgressLine::show(const std::string& text) {
  if (!enabled_) return;
  // Back to the start, the text, then erase to the end of the line.
  fmt::print(stderr, "\r{}\x1b[K", text);
  std::fflush(stderr);
  shown_ = true;
}

void ProgressLine::clear() {
  if (shown_) {
    fmt::print(stderr, "\r\x1b[K");
    std::fflush(stderr);
  }
  shown_ = false;
}

std::string progress_text(const wafer::RunProgress& progress, const ClockSpec& clock,
                          std::chrono::duration<double> elapsed) {
  const double seconds = elapsed.count();
  std::string text =
      fmt::format("{} simulated, {:.0f} % done", wafer::readable_time(wafer::cycles_to_ns(progress.cycle, clock)),
                  100 * progress.share);
  if (seconds <= 0) return text;
  text += fmt::format(", {:.2f} M flit-hops/s", static_cast<double>(progress.flit_hops) / seconds / 1e6);
  // An estimate from less than one per cent would be noise.
  if (progress.share >= 0.01 && progress.share < 1) {
    text += fmt::format(", about {} left", readable_seconds(seconds * (1 - progress.share) / progress.share));
  }
  return text;
}

}  // namespace weft::cli
