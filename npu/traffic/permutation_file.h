// SPDX-License-Identifier: Apache-2.0
// File of fixed destinations for synthetic traffic.
#pragma once

#include <string>
#include <vector>

#include "base/types.h"

namespace weft::npu {

/// Reads `path`: one line `source destination` per node, `#` starts a comment. Every node from 0 to `nodes` - 1 must
/// occur once as a source. Throws InputError with file and line.
std::vector<NodeId> read_permutation(const std::string& path, std::uint32_t nodes);

}  // namespace weft::npu
