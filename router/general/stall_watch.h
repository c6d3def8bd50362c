// SPDX-License-Identifier: Apache-2.0
// What general routers keep where somebody wants to know why their links carry nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "router/general/general_routers.h"

namespace weft::router {

struct GeneralRouters::StallWatch {
  std::vector<bool> wanted;            ///< by port
  std::vector<bool> watched;           ///< by router: one of its ports is wanted
  std::vector<StallReason> reported;   ///< by port
  std::vector<std::uint32_t> touched;  ///< routers, watched ones only, in which something happens in this cycle
  std::vector<Mask> asking;            ///< by entry of `touched`: input VCs that may ask for the switch in this cycle
};

}  // namespace weft::router
