// SPDX-License-Identifier: Apache-2.0
// From cycles to ns, from bytes and ns to bandwidths, and numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// `cycles` of `clock` in ns; one rounding, at the end.
double cycles_to_ns(Cycle cycles, const ClockSpec& clock);

/// The clock in which collectives and ranks are counted: the NPUs' own, or the fabric's.
const ClockSpec& npu_clock(const Config& config);

/// Bandwidth of a collective in GB/s (10^9 bytes per second).
struct CollectiveBandwidth {
  double algbw_gbps = 0;  ///< total bytes / time
  double busbw_gbps = 0;  ///< algbw times the kind's share of bytes that must cross each rank's links
};

/// Total bytes of a collective over `members` ranks of which each says `bytes` (Chakra's comm_size): what rank's
/// largest buffer holds. All-gather and gather say the contribution of one rank, so theirs is members * bytes.
UInt128 total_bytes(CollectiveKind kind, std::uint64_t bytes, std::uint32_t members);

/// Bandwidth of a collective of `ns`, with the factors that the field's collective benchmarks use:
/// all-reduce 2(n-1)/n; reduce-scatter, all-gather, all-to-all, gather, scatter (n-1)/n; broadcast, reduce 1.
/// None for barriers, for no bytes and for no time.
std::optional<CollectiveBandwidth> collective_bandwidth(CollectiveKind kind, std::uint64_t bytes, std::uint32_t members,
                                                        double ns);

/// Bandwidth of the line of one I/O controller in GB/s.
double io_line_gbps(const Config& config);

/// 1234567 as "1,234,567".
std::string with_separators(std::uint64_t number);
/// 1234.5 ns as "1.2345 us"; four to five significant digits.
std::string readable_time(double ns);
/// 65536 as "64 KiB"; four significant digits.
std::string readable_bytes(std::uint64_t bytes);

}  // namespace weft::sc_models
