// SPDX-License-Identifier: Apache-2.0
#include "npu/trace/text_format.h"

#include <fmt/format.h>

#include <array>

namespace weft::npu {

std::string shorten(std::string_view text, std::size_t longest) {
  if (text.size() <= longest) return std::string(text);
  std::size_t cut = longest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
  return std::string(text.substr(0, cut)) + "...";
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 6> kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} B ({:.4g} {})", bytes, value, kUnits[unit]);
}

}  // namespace weft::npu
