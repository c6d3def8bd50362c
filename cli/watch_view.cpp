// SPDX-License-Identifier: Apache-2.0
#include "cli/watch_view.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/progress_line.h"
#include "sc_models/results_units.h"

namespace weft::cli {
namespace {

constexpr std::size_t kBarCells = 24;

/// What the longest share_text and speed_text take.
constexpr std::size_t kShareRoom = 30;
constexpr std::size_t kSpeedRoom = 42;
constexpr std::size_t kLeastBar = 8;

bool error_is_terminal() { return is_terminal(STDERR_FILENO); }

WatchRoom terminal_room() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  // The cursor stands behind the last line, and a full line would wrap on some terminals.
  return {known && size.ws_col >= 20 ? size.ws_col - 1U : 79U, known && size.ws_row >= 3 ? size.ws_row - 1U : 23U};
}

std::string bar(double share, std::size_t width) {
  const int cells = static_cast<int>(width);
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

std::string collective_text(const Config& config, const sc_models::RunningCollective& collective) {
  return fmt::format(
      "  {}  {}, {}, {}, since {}", printable(collective.name), collective.algorithm,
      sc_models::readable_bytes(collective.bytes),
      collective.group == "all" ? "all ranks" : "group " + printable(collective.group),
      sc_models::readable_time(sc_models::cycles_to_ns(collective.start_cycle, sc_models::npu_clock(config))));
}

/// How far the run is: one line where there is room, else two. The bar's length does not depend on the progress.
std::vector<std::string> head_lines(const Config& config, const sc_models::RunProgress& progress,
                                    std::chrono::duration<double> elapsed, std::size_t columns) {
  const std::size_t around = config.name.size() + 4;
  const std::string speed = speed_text(progress, elapsed);
  if (around + kBarCells + kShareRoom + kSpeedRoom <= columns) {
    return {fmt::format("{} [{}] {}", config.name, bar(progress.share, kBarCells),
                        progress_text(progress, config.clock, elapsed))};
  }
  const std::size_t used = std::min(columns, around + kShareRoom);
  const std::size_t cells = std::clamp(columns - used, kLeastBar, kBarCells);
  std::vector<std::string> lines{
      fmt::format("{} [{}] {}", config.name, bar(progress.share, cells), share_text(progress, config.clock))};
  if (!speed.empty()) lines.push_back("  " + speed);
  return lines;
}

std::vector<std::string> link_lines(const sc_models::RunDetails& details) {
  std::vector<std::string> lines{details.links.empty() ? "no flit has moved since the last look"
                                                       : "busiest links just now"};
  for (const sc_models::BusyLink& link : details.links) {
    lines.push_back(fmt::format("  {:5.1f} % [{}] {}", 100 * link.utilisation, bar(link.utilisation, 12), link.name));
  }
  return lines;
}

std::vector<std::string> collective_lines(const Config& config, const sc_models::RunDetails& details) {
  std::vector<std::string> lines;
  if (details.all_collectives > 0) {
    lines.push_back(fmt::format("collectives under way: {}", sc_models::with_separators(details.all_collectives)));
  }
  for (const sc_models::RunningCollective& collective : details.collectives) {
    lines.push_back(collective_text(config, collective));
  }
  return lines;
}

}  // namespace

std::vector<std::string> watch_lines(const Config& config, const sc_models::RunProgress& progress,
                                     std::chrono::duration<double> elapsed, WatchRoom room) {
  std::vector<std::string> lines = head_lines(config, progress, elapsed, room.columns);
  if (progress.details != nullptr) {
    std::vector<std::string> links = link_lines(*progress.details);
    std::vector<std::string> collectives = collective_lines(config, *progress.details);
    // Where both do not fit each gets half of the rows, or what the other leaves.
    const std::size_t rows = room.rows > lines.size() ? room.rows - lines.size() : 0;
    const std::size_t for_links = std::max(rows - rows / 2, rows - std::min(rows, collectives.size()));
    links.resize(std::min(links.size(), for_links));
    collectives.resize(std::min(collectives.size(), rows - links.size()));
    lines.insert(lines.end(), links.begin(), links.end());
    lines.insert(lines.end(), collectives.begin(), collectives.end());
  }
  lines.resize(std::min(lines.size(), room.rows));
  for (std::string& line : lines) line.resize(std::min(line.size(), room.columns));
  return lines;
}

std::string watch_line(const Config& config, const sc_models::RunProgress& progress,
                       std::chrono::duration<double> elapsed) {
  std::string text = fmt::format("{}: {}", config.name, progress_text(progress, config.clock, elapsed));
  if (progress.details == nullptr) return text;
  if (!progress.details->links.empty()) {
    const sc_models::BusyLink& link = progress.details->links.front();
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

void WatchView::show(const Config& config, const sc_models::RunProgress& progress,
                     std::chrono::duration<double> elapsed) {
  if (!error_is_terminal()) {
    fmt::print(stderr, "{}\n", watch_line(config, progress, elapsed));
    return;
  }
  // Back to the first line, each line with its rest erased, then everything below: one write, so that nothing flickers.
  std::string text = shown_ > 0 ? fmt::format("\x1b[{}F", shown_) : "";
  const std::vector<std::string> lines = watch_lines(config, progress, elapsed, terminal_room());
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
