// SPDX-License-Identifier: Apache-2.0
// What the log has to be told to speak of a run: who sits where, and what numbers in tags and timers mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/types.h"
#include "config/config.h"

namespace weft::log {

/// What the time on the critical path is spent on.
enum class PathKind : std::uint8_t {
  kCompute,    ///< accelerator
  kHost,       ///< host core
  kMemory,     ///< loads, stores, and what they wait for
  kEndpoint,   ///< endpoint delays and reductions of an NPU
  kInjection,  ///< the NPU's own link carries other packets
  kCredit,     ///< the NPU's own link has no credit
  kLink,       ///< on links and through routers or switches, as if nothing else were there
  kSwitch,     ///< waiting in routers or switches
  kOther,
};
inline constexpr int kPathKinds = 9;
const char* path_kind_name(PathKind kind);

/// What a message is for; numbers that do not apply are those of "nothing".
struct MessageMeaning {
  const char* what = "message";  ///< "collective", "send", "load", "store", ...
  std::uint32_t group = ~0u;     ///< process group of a collective
  std::uint32_t signature = 0;
  std::uint32_t instance = 0;
  std::uint32_t chunk = 0;
  std::uint32_t step = 0;
};

struct LogNames {
  ClockSpec clock;                           ///< that activities and messages count in
  std::vector<std::string> nodes;            ///< "npu[3]", "io[0]", by NodeId
  std::vector<std::optional<RankId>> ranks;  ///< by NodeId
  std::vector<std::string> groups;           ///< by number; "all" = all ranks
  std::vector<std::string> phases;           ///< training phases of the groups; "" = nobody says
  std::uint32_t instances = 1;               ///< tags tell instances of collectives apart modulo this
  std::function<MessageMeaning(std::uint64_t tag)> message;
  std::function<PathKind(std::uint64_t cookie)> timer;
};

}  // namespace weft::log
