// SPDX-License-Identifier: Apache-2.0
// A GTKWave save file: which signals are shown, in which groups and how.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::waves {

/// How GTKWave shows a value; the number is its flag word (hexadecimal in the file).
enum class GtkwFormat : std::uint64_t {
  kBinary = 0x28,
  kHex = 0x22,
  kDecimal = 0x24,
  kText = 0x820,
  kEnum = 0x100000028,  ///< names from the FST file
  kFilter = 0x2022,     ///< names from a file beside it
};

/// Colours of traces.
enum class GtkwColour : std::uint8_t { kNormal = 0, kRed, kOrange, kYellow, kGreen, kBlue, kIndigo, kViolet };

/// One line of a layout.
struct GtkwSignal {
  std::string name;  ///< as GTKWave calls it: scopes and name with dots, `[msb:lsb]` behind a wider wire
  GtkwFormat format = GtkwFormat::kBinary;
  bool detail = false;  ///< belongs into the folded part of its group
  GtkwColour colour = GtkwColour::kNormal;
  std::string filter;  ///< with kFilter: the file
};

/// Signals under one heading.
struct GtkwGroup {
  std::string title;
  std::string remark;  ///< shown under the title; may be empty
  std::vector<GtkwSignal> signals;
  bool folded = false;  ///< closed at first
};

/// What is in sight at first.
struct GtkwView {
  std::uint64_t start = 0;              ///< first time shown, in units of the file
  double units_per_pixel = 1;           ///< zoom
  std::optional<std::uint64_t> marker;  ///< the time that is marked
};

/// A layout for one wave file.
struct GtkwLayout {
  std::vector<GtkwGroup> groups;
  GtkwView view;
};

/// Writes `layout` for the wave file `wave` to `file`; both in the same folder can be moved together. Throws
/// std::runtime_error if it cannot be written.
void write_gtkw(const std::filesystem::path& file, const std::filesystem::path& wave, const GtkwLayout& layout);

/// Changes what a layout that is there shows at first. Throws as `write_gtkw`.
void set_gtkw_view(const std::filesystem::path& file, const GtkwView& view);

}  // namespace weft::waves
