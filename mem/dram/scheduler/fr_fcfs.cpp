// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "mem/dram/scheduler/schedulers.h"

namespace weft::mem {
namespace {

/// Keeps the best of the commands shown to it: the earliest; at one cycle RD and WR before the others, then the oldest.
class Best {
 public:
  Best(const ChannelState& state, Cycle from) : state_(state), from_(from) {}

  void consider(Cycle at, CommandKind kind, std::uint8_t slot) {
    at = std::max(at, from_);
    if (at > choice.at) return;
    const bool is_row = kind == CommandKind::kActivate || kind == CommandKind::kPrecharge;
    const std::uint64_t rank = (std::uint64_t{is_row} << 63) | state_.entry(slot).number;
    if (at == choice.at && rank > rank_) return;
    choice = {at, kind, slot};
    rank_ = rank;
  }

  Choice choice;

 private:
  const ChannelState& state_;
  const Cycle from_;
  std::uint64_t rank_ = ~std::uint64_t{0};
};

}  // namespace

Choice FrFcfs::choose(const ChannelState& state, Cycle from) const {
  Best best(state, from);
  for (std::uint64_t banks = state.busy_banks(); banks != 0; banks &= banks - 1) {
    const ChannelState::Bank& bank = state.bank(static_cast<std::uint32_t>(__builtin_ctzll(banks)));
    if (!bank.is_open) {
      best.consider(state.when_activate(bank), CommandKind::kActivate, bank.oldest);
    } else if (bank.hits == 0) {
      best.consider(state.when_precharge(bank), CommandKind::kPrecharge, bank.oldest);
    } else {
      if (bank.read_hit != ChannelState::kNoSlot)
        best.consider(state.when_read(bank), CommandKind::kRead, bank.read_hit);
      if (bank.write_hit != ChannelState::kNoSlot)
        best.consider(state.when_write(bank), CommandKind::kWrite, bank.write_hit);
    }
  }
  const QueueEntry& oldest = state.entry(state.oldest());
  if (best.choice.at - oldest.entered <= age_limit_) return best.choice;
  const NextCommand next = state.next_command(oldest);
  return {std::max(from, next.at), next.kind, state.oldest()};
}

}  // namespace weft::mem
