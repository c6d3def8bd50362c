// SPDX-License-Identifier: Apache-2.0
// `weft advise reduce`: which algorithm reduces fastest on a row or rectangle of a wafer's cores, by simulation, with
// the closed forms beside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/advise/point_runner.h"
#include "config/config.h"
#include "npu/collective/algorithms/wafer_cost.h"

namespace weft::cli {

/// What `weft advise reduce` was asked for.
struct AdviceRequest {
  std::string program;  ///< called as `program run CONFIG --quiet --out DIR --set ...`
  std::string config;
  std::vector<std::string> settings;  ///< `path=value`
  CollectiveKind kind = CollectiveKind::kReduce;
  std::uint32_t columns = 64;
  std::uint32_t rows = 1;
  std::uint64_t elements = 256;  ///< B, wavelets of 4 bytes
  std::size_t jobs = 1;
};

/// One algorithm.
struct AdvicePoint : CollectivePoint {
  std::string algorithm;
  std::optional<double> form;  ///< cycles by the closed form, where there is one
  bool fastest = false;        ///< several are, where they take the same time
};

/// An algorithm that was not simulated, and why.
struct LeftOut {
  std::string algorithm;
  std::string reason;
};

/// What is, or was, simulated.
struct Advice {
  npu::WaferCost cost;                ///< what ramps, hops and changes of dimension cost in the configuration, cycles
  std::string no_forms;               ///< why the closed forms do not hold for it; empty = they do
  std::optional<double> lower_bound;  ///< cycles that a reduction on a row takes at least
  std::vector<AdvicePoint> points;
  std::vector<LeftOut> left_out;
};

/// The cores of `--p`: "64" or "8x8" (columns x rows). InputError where that is not legal.
void parse_cores(const std::string& text, AdviceRequest& request);

/// What has to be simulated. InputError for a configuration that cannot be loaded or whose routers have too few
/// colours, for settings of what the command sets itself, and for numbers out of range.
Advice plan_advice(const AdviceRequest& request);

/// plan_advice, then simulates each point; `watch` is told how far it is. InputError and ViolationError as the runs end
/// with, with the algorithm's name; RunFailed where a run fails otherwise; Interrupted on Ctrl-C.
Advice advise_reduce(const AdviceRequest& request, const std::function<void(const std::string&)>& watch);

void print_advice(const AdviceRequest& request, const Advice& advice, std::ostream& out);
nlohmann::ordered_json advice_json(const AdviceRequest& request, const Advice& advice);

}  // namespace weft::cli
