// SPDX-License-Identifier: Apache-2.0
#include "cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "sc_models/results_units.h"

namespace weft::cli {
namespace {

std::string readable_seconds(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 90 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

bool is_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return isatty(descriptor) == 1 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool on_terminal() { return is_terminal(STDOUT_FILENO) && is_terminal(STDERR_FILENO); }

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

std::string share_text(const sc_models::RunProgress& progress, const ClockSpec& clock) {
  return fmt::format("{} simulated, {:.0f} % done",
                     sc_models::readable_time(sc_models::cycles_to_ns(progress.cycle, clock)), 100 * progress.share);
}

std::string speed_text(const sc_models::RunProgress& progress, std::chrono::duration<double> elapsed) {
  const double seconds = elapsed.count();
  if (seconds <= 0) return "";
  std::string text = fmt::format("{:.2f} M flit-hops/s", static_cast<double>(progress.flit_hops) / seconds / 1e6);
  // An estimate from less than one per cent would be noise.
  if (progress.share >= 0.01 && progress.share < 1) {
    text += fmt::format(", about {} left", readable_seconds(seconds * (1 - progress.share) / progress.share));
  }
  return text;
}

std::string progress_text(const sc_models::RunProgress& progress, const ClockSpec& clock,
                          std::chrono::duration<double> elapsed) {
  const std::string speed = speed_text(progress, elapsed);
  return share_text(progress, clock) + (speed.empty() ? "" : ", " + speed);
}

}  // namespace weft::cli
