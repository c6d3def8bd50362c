// SPDX-License-Identifier: Apache-2.0
#include "waves/gtkw_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "base/output_file.h"

namespace weft::waves {
namespace {

// GTKWave's flag words for lines that are no signals.
constexpr std::uint64_t kGroupBegin = 0x800200;
constexpr std::uint64_t kGroupEnd = 0x1000200;
constexpr std::uint64_t kFoldedBegin = 0xc00200;
constexpr std::uint64_t kFoldedEnd = 0x1401200;
constexpr std::uint64_t kRemark = 0x200;

/// The line with the zoom, the marker and the 26 named markers, which are not used.
std::string view_line(const GtkwView& view) {
  constexpr double kFramePixels = 200;  // GTKWave's zoom is minus the logarithm of the time in one frame
  constexpr int kMarkers = 26;
  std::string line = fmt::format("*{:.6f} {}", -std::log2(view.units_per_pixel * kFramePixels),
                                 view.marker ? static_cast<std::int64_t>(*view.marker) : -1);
  for (int i = 0; i < kMarkers; ++i) line += " -1";
  return line;
}

std::string start_line(const GtkwView& view) { return fmt::format("[timestart] {}", view.start); }

void write_line(std::ostream& out, std::uint64_t flags, const std::string& text) {
  out << fmt::format("@{:x}\n{}\n", flags, text);
}

void write_signal(std::ostream& out, const GtkwSignal& signal) {
  if (signal.colour != GtkwColour::kNormal) out << fmt::format("[color] {}\n", static_cast<int>(signal.colour));
  out << fmt::format("@{:x}\n", static_cast<std::uint64_t>(signal.format));
  if (signal.format == GtkwFormat::kFilter) out << "^1 " << signal.filter << "\n";
  out << signal.name << "\n";
}

void write_signals(std::ostream& out, const GtkwGroup& group, bool detail) {
  for (const GtkwSignal& signal : group.signals) {
    if (signal.detail == detail) write_signal(out, signal);
  }
}

void write_group(std::ostream& out, const GtkwGroup& group) {
  const bool details = std::any_of(group.signals.begin(), group.signals.end(), [](const auto& s) { return s.detail; });
  write_line(out, group.folded ? kFoldedBegin : kGroupBegin, "-" + group.title);
  if (!group.remark.empty()) write_line(out, kRemark, "-" + group.remark);
  write_signals(out, group, false);
  if (details) {
    write_line(out, kFoldedBegin, "-" + group.title + " details");
    write_signals(out, group, true);
    write_line(out, kFoldedEnd, "-" + group.title + " details");
  }
  write_line(out, group.folded ? kFoldedEnd : kGroupEnd, "-" + group.title);
}

}  // namespace

void write_gtkw(const std::filesystem::path& file, const std::filesystem::path& wave, const GtkwLayout& layout) {
  std::ostringstream out;
  // Relative names: GTKWave looks beside the save file.
  out << fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", wave.filename().string(), file.filename().string());
  out << start_line(layout.view) << "\n[size] 1400 800\n[pos] -1 -1\n" << view_line(layout.view) << "\n";
  out << "[sst_width] 200\n[signals_width] 330\n[sst_expanded] 1\n";
  for (const GtkwGroup& group : layout.groups) write_group(out, group);
  write_output(file, out.str());
}

void set_gtkw_view(const std::filesystem::path& file, const GtkwView& view) {
  std::vector<std::string> lines;
  {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  }
  std::ostringstream out;
  for (std::string& line : lines) {
    if (line.rfind("[timestart] ", 0) == 0) line = start_line(view);
    if (!line.empty() && line[0] == '*') line = view_line(view);
    out << line << '\n';
  }
  write_output(file, out.str());
}

}  // namespace weft::waves
