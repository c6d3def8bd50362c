// SPDX-License-Identifier: Apache-2.0
// Makes whole files of those whose program was killed.
#pragma once

#include <filesystem>
#include <string>

namespace weft::waves {

/// Repairs a wave file in place: of a VCD file what follows the last whole instant is cut off, an FST file is written
/// anew from what was flushed and the names in `<file>.hier`. Returns what was done and what is lost, in words. Throws
/// InputError for a file of which nothing can be read.
std::string repair_wave_file(const std::filesystem::path& path);

}  // namespace weft::waves
