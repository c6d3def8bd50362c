// SPDX-License-Identifier: Apache-2.0
// `weft bench`: runs the named points, each repeat in a process of its own, and reports medians.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/bench/bench_points.h"

namespace weft::cli {

/// What one repeat measured, from its summary.json.
struct BenchSample {
  std::uint64_t nodes = 0;
  std::uint64_t cycles = 0;
  std::uint64_t flit_hops = 0;  ///< through routers or chiplets
  std::optional<std::uint64_t> uswitch_hops;
  double cpu_s = 0;
  double setup_cpu_s = 0;
  double wall_s = 0;
  std::uint64_t peak_rss_bytes = 0;
};

/// A point with the medians of its repeats. Rates are per CPU second of the simulation loop.
struct BenchFigures {
  std::string name;
  std::size_t repeats = 0;
  BenchSample median;  ///< each figure's own median
  double flit_hops_per_cpu_s = 0;
  std::optional<double> uswitch_hops_per_cpu_s;  ///< fabrics of FRED switches only
  double router_cycles_per_cpu_s = 0;
  std::optional<double> bytes_per_router;  ///< above the 1x1 run; none for 1x1 and where it is noise
  std::optional<double> wall_speedup;      ///< against `compare_wall_with`
};

/// What `weft bench` was asked for.
struct BenchRequest {
  std::string program;  ///< called as `program run CONFIG --quiet --out DIR`
  std::string filter;   ///< only points whose name holds this text; 1x1 runs always
  std::size_t repeats = 3;
};

/// A benchmark that did not come to figures.
struct BenchFailure {
  std::string name;
  std::string what;  ///< a sentence
  int status = 0;    ///< exit status for it
};
BenchFailure failure_of(const std::string& name, const std::exception& error);

/// Who is told while benchmarks run.
template <typename Figures>
struct BenchListener {
  std::function<void(const std::string&)> runs;     ///< what runs now
  std::function<void(const Figures&)> done;         ///< as soon as they are there
  std::function<void(const BenchFailure&)> failed;  ///< the others run all the same
};

/// Runs the points one after the other, also when some fail. A point fails when a run does, when two repeats of it
/// differ in their results, and when its results are not those of the point that it is compared with. Returns how many
/// failed. Throws InputError when the filter fits no point.
std::size_t run_bench(const BenchRequest& request, const BenchListener<BenchFigures>& listener);

/// The figures of `point` from its samples (at least one).
BenchFigures summarise(const BenchPoint& point, const std::vector<BenchSample>& samples);

/// The table: its head, a row per point, and what the columns mean.
void print_bench_head(std::ostream& out);
void print_bench(const BenchFigures& figures, std::ostream& out);
void print_bench_legend(const BenchRequest& request, std::ostream& out);
nlohmann::ordered_json bench_json(const BenchFigures& figures);
/// [{name, error}]
nlohmann::ordered_json bench_json(const std::vector<BenchFailure>& failures);

}  // namespace weft::cli
