// SPDX-License-Identifier: Apache-2.0
// What a program's result must be, bit for bit: a plain execution of the program without network, time or chunks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "npu/collective/form/program.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// Outputs of all ranks of a collective with comm_size `elements` elements, from the inputs of all ranks (empty where
/// the kind gives a rank none), added in exactly the program's order. Ranks that get no output have an empty one.
/// `fp32_flows`: switches add the 16-bit elements of flows in FP32 and round where a sum leaves a switch
/// (Program::flow_borders). ViolationError if the program deadlocks.
std::vector<Payload> expected_results(const Program& program, ReduceOp op, DataType dtype, std::uint64_t elements,
                                      const std::vector<Payload>& inputs, bool fp32_flows = false);

/// Compares what each rank has got with expected_results. ViolationError names the collective, the first rank and
/// element that differ, and both values.
void verify_results(const std::string& name, const Program& program, ReduceOp op, DataType dtype,
                    std::uint64_t elements, const std::vector<Payload>& inputs, const std::vector<Payload>& results,
                    bool fp32_flows = false);

}  // namespace weft::npu
