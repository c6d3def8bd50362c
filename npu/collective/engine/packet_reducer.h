// SPDX-License-Identifier: Apache-2.0
// The data of packets that routers copy or merge.
#pragma once

#include <memory>

#include "base/packet.h"
#include "config/config.h"

namespace weft::npu {

/// Does to the data of packets what the workload's collectives ask for; null where packets carry none (timing mode,
/// synthetic traffic). May be used by several threads.
std::unique_ptr<PacketData> make_packet_data(const Config& config);

}  // namespace weft::npu
