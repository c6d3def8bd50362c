// SPDX-License-Identifier: Apache-2.0
// A node of a workload in a checkpoint.
#pragma once

#include "base/checkpoint.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// Writes a node into `checkpoint`, or takes it from there.
void keep(Checkpoint& checkpoint, TraceNode& node);

}  // namespace weft::npu
