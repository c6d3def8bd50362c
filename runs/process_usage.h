// SPDX-License-Identifier: Apache-2.0
// What this process has used of the machine.
#pragma once

#include <cstdint>

namespace weft::runs {

/// CPU time of all threads of this process since its start, seconds.
double process_cpu_s();

/// Largest resident set of this process since it began to run its program, bytes.
std::uint64_t peak_rss_bytes();

}  // namespace weft::runs
