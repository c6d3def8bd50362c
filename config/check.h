// SPDX-License-Identifier: Apache-2.0
// What `weft check` and `weft run` warn of in a configuration that is legal.
#pragma once

#include <string>
#include <vector>

#include "config/config.h"

namespace weft {

/// Sentences about legal but suspicious settings: credit-starved links, more offered than a local link carries, ...
std::vector<std::string> config_warnings(const Config& config);

}  // namespace weft
