// SPDX-License-Identifier: Apache-2.0
// What fabrics are built of, in lines for people.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "config/config.h"

namespace weft::sc_models {

/// Levels of FRED switches, as FabricSketch::text says it. `chiplets` has the number of chiplets by their ports.
std::string describe_switches(const Config& config, const std::map<int, std::size_t>& chiplets);

}  // namespace weft::sc_models
