// SPDX-License-Identifier: Apache-2.0
// FST for those who choose a format: made by fst_writer.cpp and fst_reader.cpp, or refused where the sources of fstapi
// were not there when this program was built.
#pragma once

#include <filesystem>
#include <memory>

#include "waves/wave_reader.h"
#include "waves/wave_writer.h"

namespace weft::waves {

/// Throws InputError if the file cannot be created, or if this program was built without FST.
std::unique_ptr<WaveWriter> make_fst_writer(const std::filesystem::path& path, TimeUnit unit);
/// Throws InputError if the file cannot be read or is damaged, or if this program was built without FST.
std::unique_ptr<WaveReader> make_fst_reader(const std::filesystem::path& path);
/// Whether this program has FST.
bool has_fst();
/// What is to be said where it is not.
inline constexpr const char* kNoFst =
    "this program was built without FST, because GTKWave's fstapi was not found; install Debian's package verilator, "
    "configure again (cmake --preset release) and build, or use VCD: a name that ends in .vcd";

}  // namespace weft::waves
