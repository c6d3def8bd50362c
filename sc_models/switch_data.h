// SPDX-License-Identifier: Apache-2.0
// What the switches of a run compute with.
#pragma once

#include "config/config.h"
#include "switch/arith/lane_format.h"

namespace weft::sc_models {

/// What the workload says of it.
struct SwitchData {
  bool values = false;  ///< operands carry data
  fred::LaneFormat format;
  ReduceOp op = ReduceOp::kSum;
};
SwitchData switch_data(const Config& config);

}  // namespace weft::sc_models
