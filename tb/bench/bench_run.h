// SPDX-License-Identifier: Apache-2.0
// One run of a block's bench.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tb/bench/block.h"

namespace weft::tb {

struct BenchRequest {
  const Block* block = nullptr;
  Shape shape;
  std::uint64_t seed = 1;
  std::uint64_t cycles = 100000;
  double stall = 0.2;
  Compare compare = Compare::kCycle;
  std::map<std::string, std::uint64_t> more_inputs;  ///< fixed values of inputs that the RTL has beside the block's
};

/// Cycles whose waves are wanted, and the file.
struct WaveWindow {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::filesystem::path file;
};

struct BenchResult {
  std::uint64_t cycles = 0;      ///< that were run, those at the end that empty the block included
  std::uint64_t mismatches = 0;  ///< blocks with a state stop at the first
  std::optional<Mismatch> first;
  std::map<std::string, std::uint64_t> bins;
};

/// Runs the bench; the same request and library give the same result. With `waves` the run ends after its last cycle
/// and the file holds RTL and model. `pause` is called now and then and may end the run by an exception. Throws
/// InputError for a library without the block's ports.
BenchResult run_bench(const BenchRequest& request, const std::shared_ptr<const RtlLibrary>& library,
                      const std::optional<WaveWindow>& waves = std::nullopt, const std::function<void()>& pause = {});

}  // namespace weft::tb
