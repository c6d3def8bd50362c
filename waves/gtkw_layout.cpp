// SPDX-License-Identifier: Apache-2.0
#include "waves/gtkw_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

namespace weft::waves {
namespace {

// GTKWave's flag words for lines that are no signals.
constexpr std::uint32_t kGroupBegin = 0x800200;
constexpr std::uint32_t kGroupEnd = 0x1000200;
constexpr std::uint32_t kFoldedBegin = 0xc00200;
constexpr std::uint32_t kFoldedEnd = 0x1401200;
constexpr std::uint32_t kRemark = 0x200;

void write_line(std::ostream& out, std::uint32_t flags, const std::string& text) {
  out << fmt::format("@{:x}\n{}\n", flags, text);
}

void write_signals(std::ostream& out, const GtkwGroup& group, bool detail) {
  for (const GtkwSignal& signal : group.signals) {
    if (signal.detail == detail) write_line(out, static_cast<std::uint32_t>(signal.format), signal.name);
  }
}

void write_group(std::ostream& out, const GtkwGroup& group) {
  const bool folded = std::any_of(group.signals.begin(), group.signals.end(), [](const auto& s) { return s.detail; });
  write_line(out, kGroupBegin, "-" + group.title);
  if (!group.remark.empty()) write_line(out, kRemark, "-" + group.remark);
  write_signals(out, group, false);
  if (folded) {
    write_line(out, kFoldedBegin, "-" + group.title + " credits");
    write_signals(out, group, true);
    write_line(out, kFoldedEnd, "-" + group.title + " credits");
  }
  write_line(out, kGroupEnd, "-" + group.title);
}

}  // namespace

void write_gtkw(const std::filesystem::path& file, const std::filesystem::path& wave, const GtkwLayout& layout) {
  std::ofstream out(file);
  // Relative names: GTKWave looks beside the save file.
  out << fmt::format("[dumpfile] \"{}\"\n[savefile] \"{}\"\n", wave.filename().string(), file.filename().string());
  out << fmt::format("[timestart] {}\n", layout.start);
  constexpr double kFramePixels = 200;  // GTKWave's zoom is minus the logarithm of the time in one frame
  out << fmt::format("*{:.6f} {}", -std::log2(layout.units_per_pixel * kFramePixels), layout.start);
  constexpr int kMarkers = 26;  // GTKWave's named markers, all unset
  for (int i = 0; i < kMarkers; ++i) out << " -1";
  out << "\n[signals_width] 260\n[sst_expanded] 1\n";
  for (const GtkwGroup& group : layout.groups) write_group(out, group);
  out.close();
  if (!out) throw std::runtime_error(fmt::format("cannot write '{}'", file.string()));
}

}  // namespace weft::waves
