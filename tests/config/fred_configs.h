// SPDX-License-Identifier: Apache-2.0
// A fabric of FRED switches for tests of the configuration, with round numbers: a flit per cycle is 32 GB/s.
#pragma once

namespace weft {

/// 12 NPUs at 4 x 3, two planes; a trunk of 2 uplinks x 2 planes x 1/4 flit per cycle.
inline const char* const kFredConfig =
    "fabric:\n"
    "  kind: fred\n"
    "  levels:\n"
    "    - {groups: 4, planes: 2, uplinks: 2, bandwidth: 32 GB/s, latency: 10}\n"
    "    - {groups: 1}\n"
    "npu: {count: 12, packet_bytes: 128}\n"
    "workload: {collective: {size: 1 MiB}}\n";

}  // namespace weft
