// SPDX-License-Identifier: Apache-2.0
// Messages of a trace that were sent and never received, with the nodes that sent them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.h"
#include "npu/player/group_table.h"

namespace weft::npu {

/// So many messages from one rank to another that cannot be told apart.
struct UnreceivedMessages {
  RankId from{};
  RankId to{};
  std::uint64_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t count = 0;
};

/// A sentence for each of `messages`, which names their sends; for that the traces of the senders are read once more.
std::vector<std::string> describe_unreceived(const TraceWorkload& trace, const GroupTable& groups,
                                             const std::vector<UnreceivedMessages>& messages);

}  // namespace weft::npu
