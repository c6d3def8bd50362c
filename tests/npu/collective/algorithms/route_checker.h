// SPDX-License-Identifier: Apache-2.0
// Proves that a program's messages can follow their colours: at every router the messages of one colour pass in the
// order of their tags, each after the one before has passed whole.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"
#include "npu/collective/form/program.h"

namespace weft::npu::testing {

/// The first thing that is wrong, "" if nothing is: two messages of one colour and tag at one router, or a circle of
/// waiting between messages (of `nodes` on a wafer `size_x` wide, routes along x first, no buffers anywhere).
/// Messages without a colour are not looked at as routes.
std::string check_routes(const Program& program, const std::vector<NodeId>& nodes, int size_x);

}  // namespace weft::npu::testing
