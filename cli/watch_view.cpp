// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_view.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/progress_line.h"
#include "wafer/results_units.h"

namespace weft::cli {
namespace {

constexpr int kBarCells = 24;

bool error_is_terminal() { return isatty(STDERR_FILENO) == 1; }

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 20) return 80;
  return size.ws_col;
}

std::string bar(double share, int cells) {
  const int full = std::clamp(static_cast<int>(std::lround(share * cells)), 0, cells);
  return std::string(static_cast<std::size_t>(full), '#') + std::string(static_cast<std::size_t>(cells - full), '.');
}

/// Names from traces may hold anything; a terminal gets what can be printed.
std::string printable(const std::string& text) {
  std::string safe = text;
  std::replace_if(
      safe.begin(), safe.end(), [](unsigned char c) { return c < ' ' || c > '~'; }, '?');
  return safe;
}

std::string collective_text(const Config& config, const wafer::RunningCollective& collective) {
  return fmt::format("  {}  {}, {}, {}, since {}", printable(collective.name), collective.algorithm,
                     wafer::readable_bytes(collective.bytes),
                     collective.group == "all" ? "all ranks" : "group " + printable(collective.group),
                     wafer::readable_time(wafer::cycles_to_ns(collective.start_cycle, wafer::npu_clock(config))));
}

}  // namespace

std::vector<std::string> watch_lines(const Config& config, const wafer::RunProgress& progress,
                                     std::chrono::duration<double> elapsed, std::size_t columns) {
  std::vector<std::string> lines{fmt::format("{} [{}] {}", config.name, bar(progress.share, kBarCells),
                                             progress_text(progress, config.clock, elapsed))};
  if (progress.details != nullptr) {
    const wafer::RunDetails& details = *progress.details;
    lines.emplace_back(details.links.empty() ? "no flit has moved since the last look" : "busiest links just now");
    for (const wafer::BusyLink& link : details.links) {
      lines.push_back(fmt::format("  {:5.1f} % [{}] {}", 100 * link.utilisation, bar(link.utilisation, 12), link.name));
    }
    if (details.all_collectives > 0) {
      lines.push_back(fmt::format("collectives under way: {}", wafer::with_separators(details.all_collectives)));
    }
    for (const wafer::RunningCollective& collective : details.collectives) {
      lines.push_back(collective_text(config, collective));
    }
  }
  for (std::string& line : lines) line.resize(std::min(line.size(), columns));
  return lines;
}

std::string watch_line(const Config& config, const wafer::RunProgress& progress,
                       std::chrono::duration<double> elapsed) {
  std::string text = fmt::format("{}: {}", config.name, progress_text(progress, config.clock, elapsed));
  if (progress.details == nullptr) return text;
  if (!progress.details->links.empty()) {
    const wafer::BusyLink& link = progress.details->links.front();
    text += fmt::format("; {} {:.0f} % busy", link.name, 100 * link.utilisation);
  }
  if (progress.details->all_collectives > 0) {
    const std::size_t more = progress.details->all_collectives - 1;
    text += fmt::format("; {}{} under way", printable(progress.details->collectives.front().name),
                        more == 0 ? "" : fmt::format(" and {} more", more));
  }
  return text;
}

std::chrono::milliseconds WatchView::period() { return std::chrono::milliseconds(error_is_terminal() ? 200 : 2000); }

void WatchView::show(const Config& config, const wafer::RunProgress& progress, std::chrono::duration<double> elapsed) {
  if (!error_is_terminal()) {
    fmt::print(stderr, "{}\n", watch_line(config, progress, elapsed));
    return;
  }
  // Back to the first line, each line with its rest erased, then everything below: one write, so that nothing flickers.
  std::string text = shown_ > 0 ? fmt::format("\x1b[{}F", shown_) : "";
  const std::vector<std::string> lines = watch_lines(config, progress, elapsed, terminal_columns() - 1);
  for (const std::string& line : lines) text += line + "\x1b[K\n";
  fmt::print(stderr, "{}\x1b[J", text);
  std::fflush(stderr);
  shown_ = lines.size();
}

void WatchView::clear() {
  if (shown_ > 0) {
    fmt::print(stderr, "\x1b[{}F\x1b[J", shown_);
    std::fflush(stderr);
  }
  shown_ = 0;
}

}  // namespace weft::cli
