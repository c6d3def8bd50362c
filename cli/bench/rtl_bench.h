// SPDX-License-Identifier: Apache-2.0
// `weft bench rtl`: what a cycle of a FRED switch costs as RTL, as model and in lockstep.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/bench/bench.h"

namespace weft::cli {

struct RtlBenchRequest {
  int m = 3;
  int ports = 12;
  std::vector<std::uint32_t> lanes = {4, 16, 64};
  bool accumulate_fp32 = false;
  std::uint64_t cycles = 0;  ///< cycles per run; 0 = 400,000 by the lanes
  std::uint64_t seed = 1;
  std::size_t repeats = 3;
  bool waves = false;     ///< also RTL that can write waves, without and with them
  bool coverage = false;  ///< also RTL that counts lines and toggles
  std::string build_dir;  ///< empty: tb::default_build_dir()
};

/// One width. Microseconds of CPU time per cycle, medians of the repeats.
struct RtlBenchFigures {
  /// RTL built for more, over fewer cycles.
  struct Observed {
    std::uint64_t cycles = 0;
    double bare_us = 0;
    double rtl_us = 0;
    double ratio() const { return rtl_us / bare_us; }
  };
  std::uint32_t lanes = 0;
  std::uint64_t cycles = 0;
  double flits_per_cycle = 0;  ///< sent
  double added_per_cycle = 0;  ///< pairs of beats
  double bare_us = 0;
  double rtl_us = 0;
  double model_us = 0;
  double lockstep_us = 0;
  std::optional<Observed> waves_off, waves;  ///< built for waves: none written, all written
  std::optional<Observed> coverage;          ///< lines and toggles counted
  /// The harness against the bare loop.
  double ratio() const { return rtl_us / bare_us; }
  double comparison_us() const { return lockstep_us - rtl_us - model_us; }
};

/// Width after width, also when some fail: a switch that cannot be built, or RTL, model and bare loop that do not do
/// the same. Builds what is missing. Returns how many failed; throws InputError for requests that fit no switch.
std::size_t run_rtl_bench(const RtlBenchRequest& request, const BenchListener<RtlBenchFigures>& listener);

/// The table: its head, the rows of a width, and what the columns mean.
void print_rtl_bench_head(const RtlBenchRequest& request, std::ostream& out);
void print_rtl_bench(const RtlBenchFigures& figures, std::ostream& out);
void print_rtl_bench_legend(const RtlBenchRequest& request, std::ostream& out);
nlohmann::ordered_json rtl_bench_json(const RtlBenchFigures& figures);

}  // namespace weft::cli
