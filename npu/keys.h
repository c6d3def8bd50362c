// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace weft {
struct ConfigKey;
}

namespace weft::npu {

/// Appends the keys of the NPUs and their network interfaces: `npu`. Their values stand in the Config that
/// configurations are resolved to.
void add_keys(std::vector<ConfigKey>& keys);

}  // namespace weft::npu
