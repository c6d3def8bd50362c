// SPDX-License-Identifier: Apache-2.0
// Bandwidth of links that run in all planes of a fabric side by side, and the rate of one of them.
#pragma once

#include <string>

#include "base/rational.h"
#include "config/config.h"

namespace weft {

/// The rate of one of `links` links in each plane that carry `bandwidth` together, in flits per cycle. Throws
/// InputError where one plane would have to carry more than a flit per cycle; `what` names the links there.
Rational rate_in_plane(const Config& c, Rational bandwidth, int links, const std::string& what);

/// As YAML: the bandwidth of `links` links of that rate in all planes together. Throws InputError where it does not
/// fit.
std::string bandwidth_in_all_planes(const Config& c, Rational rate, int links);

/// Why `links` links in all planes cannot carry that bandwidth, and what could: "12 TB/s over 4 uplinks x 4 planes is
/// 750 GB/s each; ...".
std::string too_wide_text(const Config& config, Rational bandwidth, int links, const std::string& what);

}  // namespace weft
