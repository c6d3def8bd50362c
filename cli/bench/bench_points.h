// SPDX-License-Identifier: Apache-2.0
// The named points of `weft bench`: what is run, and what each is compared with.
#pragma once

#include <string>
#include <vector>

namespace weft::cli {

/// One benchmark: a mesh with the reference router (4 VCs x 8 flits, no speculation) and synthetic traffic, or a
/// configuration of its own.
struct BenchPoint {
  std::string name;
  std::string purpose;  ///< one line for people
  int size = 8;         ///< routers per side
  std::string pattern = "uniform";
  std::string rate = "0.1";        ///< flits per node and cycle
  unsigned long cycles = 100'000;  ///< measured; a tenth of it warms up
  int threads = 1;
  std::string compare_wall_with;  ///< name of the point whose wall time this one's is compared with; empty = none
  std::string config;             ///< YAML after name and seed; the numbers above do not count
};

/// All points, in the order in which they run. The first is a single router, whose memory is subtracted from the
/// others'.
const std::vector<BenchPoint>& bench_points();

/// A point with a configuration of its own.
BenchPoint configured(const std::string& name, const std::string& purpose, std::string config);
/// Collectives on wafers, real_points.cpp.
std::vector<BenchPoint> real_points();

/// The configuration of `point` as YAML.
std::string bench_yaml(const BenchPoint& point);

}  // namespace weft::cli
