// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace weft {
struct ConfigKey;
}

namespace weft::router {

/// Appends the keys of the router: `fabric.router`. Their values stand in the Config that configurations are
/// resolved to.
void add_keys(std::vector<ConfigKey>& keys);

}  // namespace weft::router
