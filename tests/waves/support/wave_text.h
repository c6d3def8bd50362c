// SPDX-License-Identifier: Apache-2.0
// Everything that a wave file says, through the readers of the library, as text that can be compared.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "waves/wave_reader.h"

namespace weft::waves::test {

/// Changes per signal, by its name in the viewer: "TIME VALUE" in words. Values that change nothing are left out.
inline std::map<std::string, std::vector<std::string>> changes_of(const std::filesystem::path& path) {
  const auto reader = open_wave_file(path);
  const std::vector<WaveSignal>& signals = reader->header().signals;
  std::map<std::string, std::vector<std::string>> result;
  std::vector<std::string> last(signals.size());
  for (const WaveSignal& signal : signals) result[signal.viewer_name()];
  reader->read([&](std::uint64_t time, std::size_t n, std::string_view value) {
    std::string text = value_text(signals[n], value);
    if (text != last[n]) result[signals[n].viewer_name()].push_back(std::to_string(time) + " " + text);
    last[n] = std::move(text);
    return true;
  });
  return result;
}

}  // namespace weft::waves::test
