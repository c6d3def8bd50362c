// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace weft {
struct ConfigKey;
}

namespace weft::fred {

/// Appends the keys of FRED switches and of the fabric that they form: `fabric.levels` and what they need beside
/// it. Their values stand in the Config that configurations are resolved to.
void add_keys(std::vector<ConfigKey>& keys);

}  // namespace weft::fred
