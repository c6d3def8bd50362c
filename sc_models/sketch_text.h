// SPDX-License-Identifier: Apache-2.0
// What fabrics are built of, in lines for people.
#pragma once

#include <string>

#include "config/config.h"

namespace weft::sc_models {

/// Levels of FRED switches that are `chiplets` chiplets, as FabricSketch::text says it.
std::string describe_switches(const Config& config, std::size_t chiplets);

}  // namespace weft::sc_models
