// SPDX-License-Identifier: Apache-2.0
// The watchdog's text: who waits for whom in the fabric.
#pragma once

#include <string>
#include <vector>

#include "router/region.h"

namespace weft::sc_models {

/// Most waiting VCs that a report looks at per region.
inline constexpr std::size_t kMaxWaiting = 100000;

/// Sentences about the waiting input VCs: a circle of VCs that wait for each other if there is one, else the first few
/// of them.
std::string describe_waiting(const router::Grid& grid, const std::vector<router::Waiting>& waiting);

}  // namespace weft::sc_models
