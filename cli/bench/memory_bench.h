// SPDX-License-Identifier: Apache-2.0
// `weft bench memory`: TLM transactions per CPU second through a memory port and one DRAM channel.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "cli/bench/bench.h"

namespace weft::cli {

struct MemoryBenchRequest {
  std::uint64_t transactions = 2'000'000;  ///< transactions per run
  std::uint64_t seed = 1;
  std::size_t repeats = 3;
};

/// One kind of traffic: accesses of 64 bytes by an ordinary TLM initiator. CPU time is the median of the repeats, the
/// rest that of the last one.
struct MemoryBenchFigures {
  std::string name;
  std::uint64_t transactions = 0;
  std::uint64_t cycles = 0;  ///< cycles of the memory's clock that a run took
  double share_of_peak = 0;  ///< bandwidth used, as a share of the channel's peak
  double row_hit_share = 0;  ///< share of the bursts whose row was open
  double cpu_s = 0;
  double transactions_per_cpu_s() const { return static_cast<double>(transactions) / cpu_s; }
};

/// Runs all kinds one after the other. Once per process, since SystemC elaborates once. Returns how many failed.
std::size_t run_memory_bench(const MemoryBenchRequest& request, const BenchListener<MemoryBenchFigures>& listener);

/// The table: its head, a row per kind, and what the columns mean.
void print_memory_bench_head(std::ostream& out);
void print_memory_bench(const MemoryBenchFigures& figures, std::ostream& out);
void print_memory_bench_legend(const MemoryBenchRequest& request, std::ostream& out);
nlohmann::ordered_json memory_bench_json(const MemoryBenchFigures& figures);

}  // namespace weft::cli
