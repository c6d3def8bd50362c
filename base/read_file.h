// SPDX-License-Identifier: Apache-2.0
// Whole files as text, with a limit: a device, a pipe or a damaged file must not take the machine's memory.
#pragma once

#include <cstdint>
#include <string>

namespace weft {

/// Limit for programs of collectives, groups and other files whose size grows with the fabric.
inline constexpr std::uint64_t kMostSideFileBytes = std::uint64_t{256} << 20;

/// Limit for results of this program, which grow with a run.
inline constexpr std::uint64_t kMostResultBytes = std::uint64_t{4} << 30;

/// The contents of a file, or of a pipe with a writer. Throws InputError "cannot read 'PATH': REASON" for a file that
/// is missing or larger than `most_bytes`, a directory, a device and a pipe that nobody writes into.
std::string read_file(const std::string& path, std::uint64_t most_bytes);

}  // namespace weft
