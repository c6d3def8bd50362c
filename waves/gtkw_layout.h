// SPDX-License-Identifier: Apache-2.0
// A GTKWave save file: which signals are shown, in which groups and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace weft::waves {

/// How GTKWave shows a value; the number is its flag word (hexadecimal in the file).
enum class GtkwFormat : std::uint32_t {
  kBinary = 0x28,
  kHex = 0x22,
  kDecimal = 0x24,
  kText = 0x820,
};

/// One line of a layout.
struct GtkwSignal {
  std::string name;  ///< as GTKWave calls it: scopes and name with dots, `[msb:0]` behind a wider wire
  GtkwFormat format = GtkwFormat::kBinary;
  bool detail = false;  ///< belongs into the folded part of its group
};

/// Signals under one heading.
struct GtkwGroup {
  std::string title;
  std::string remark;  ///< shown under the title; may be empty
  std::vector<GtkwSignal> signals;
};

/// A layout for one wave file.
struct GtkwLayout {
  std::vector<GtkwGroup> groups;
  std::uint64_t start = 0;     ///< first time shown, in units of the file
  double units_per_pixel = 1;  ///< zoom
};

/// Writes `layout` for the wave file `wave` to `file`; both in the same folder can be moved together. Throws
/// std::runtime_error if it cannot be written.
void write_gtkw(const std::filesystem::path& file, const std::filesystem::path& wave, const GtkwLayout& layout);

}  // namespace weft::waves
