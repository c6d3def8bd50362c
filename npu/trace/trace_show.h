// SPDX-License-Identifier: Apache-2.0
// `weft trace show`: the graph of one rank as Graphviz DOT.
#pragma once

#include <ostream>
#include <string>

#include "base/types.h"

namespace weft::npu {

/// Prints the nodes and edges of one rank; control edges are dashed, absent nodes are grey. InputError if the trace has
/// no such rank or cannot be read.
void trace_show(const std::string& prefix, RankId rank, std::ostream& out);

}  // namespace weft::npu
