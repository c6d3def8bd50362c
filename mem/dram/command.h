// SPDX-License-Identifier: Apache-2.0
// What goes over the command pins of one channel.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/types.h"

namespace weft::mem {

enum class CommandKind : std::uint8_t { kActivate, kRead, kWrite, kPrecharge, kPrechargeAll, kRefresh };

/// "ACT", "RD", ...
constexpr std::string_view command_name(CommandKind kind) {
  constexpr std::string_view kNames[] = {"ACT", "RD", "WR", "PRE", "PREA", "REF"};
  return kNames[static_cast<int>(kind)];
}

/// One command. Banks are numbered through all groups: group * banks_per_group + bank. Of PREA and REF only the cycle
/// counts.
struct DramCommand {
  Cycle at = 0;
  CommandKind kind = CommandKind::kActivate;
  std::uint32_t bank = 0;
  std::uint64_t row = 0;
  std::uint32_t column = 0;  ///< burst within the row

  friend bool operator==(const DramCommand& a, const DramCommand& b) {
    return a.at == b.at && a.kind == b.kind && a.bank == b.bank && a.row == b.row && a.column == b.column;
  }
};

/// Sees the command log of a channel, in order.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void command(const DramCommand& command) = 0;
};

}  // namespace weft::mem
