// SPDX-License-Identifier: Apache-2.0
// `weft bench access`: what checking, protecting and hiding accesses of a memory pool costs in simulated time and
// bytes.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/bench/bench.h"

namespace weft::cli {

struct AccessBenchRequest {
  std::uint64_t accesses = 20'480;  ///< accesses per measurement; a multiple of those between two shuffles
  std::uint64_t seed = 1;
};

/// A stream of accesses: useful bytes per ns, and bytes that the memory moved for each useful one.
struct AccessStream {
  double gigabytes_per_second = 0;
  double moved_ratio = 0;
};

/// The features in use, and the figures of one I/O controller with them. The clock has 1 GHz.
struct AccessBenchFigures {
  std::string name;
  double read_ns = 0;   ///< mean latency of a 64-byte read with nothing else under way
  double write_ns = 0;  ///< the same
  AccessStream random_reads;
  AccessStream random_writes;
  AccessStream long_reads;  ///< reads of 4 KiB, in the order of addresses
};

/// Measures all rows one after the other; the same figures each time. Returns how many failed.
std::size_t run_access_bench(const AccessBenchRequest& request, const BenchListener<AccessBenchFigures>& listener);

/// The table: its head, a row per set of features, and what the columns mean.
void print_access_bench_head(std::ostream& out);
void print_access_bench(const AccessBenchFigures& figures, std::ostream& out);
void print_access_bench_legend(std::ostream& out);
nlohmann::ordered_json access_bench_json(const AccessBenchFigures& figures);

}  // namespace weft::cli
