// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/channel_state.h"

#include <algorithm>

#include "base/state_hash.h"

namespace weft::mem {

ChannelState::ChannelState(const DramTiming& timing, std::size_t depth)
    : timing_(timing),
      banks_(timing.banks()),
      groups_(timing.bank_groups * Times{}.size()),
      candidates_(timing.banks()),
      write_candidates_(timing.banks()),
      slots_(depth) {
  for (std::size_t slot = depth; slot > 0; --slot) free_.push_back(static_cast<std::uint8_t>(slot - 1));
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank)
    banks_[bank].group = static_cast<std::uint8_t>(bank / timing.banks_per_group);
}

NextCommand ChannelState::next_command(const QueueEntry& entry) const {
  const Bank& bank = banks_[entry.bank];
  const auto when = [&](Cycle bank_time, CommandKind kind) {
    const Cycle group = groups_[group_index(entry.group, kind)];
    return NextCommand{std::max({bank_time, group, channel_times()[index(kind)]}), kind};
  };
  if (!bank.is_open) return when(bank.activate, CommandKind::kActivate);
  if (bank.row != entry.row) return when(bank.precharge, CommandKind::kPrecharge);
  return when(bank.column, entry.is_write ? CommandKind::kWrite : CommandKind::kRead);
}

void ChannelState::take_row_bus(Cycle at) {
  row_bus_ = at + 1;
  if (timing_.command_buses == 1) column_bus_ = at + 1;
}

void ChannelState::take_column_bus(Cycle at) {
  column_bus_ = at + 1;
  if (timing_.command_buses == 1) row_bus_ = at + 1;
}

void ChannelState::activate(const QueueEntry& entry, Cycle at) {
  take_row_bus(at);
  Bank& bank = banks_[entry.bank];
  bank.is_open = true;
  bank.row = entry.row;
  bank.column = at + timing_.t_rcd;
  bank.precharge = at + timing_.t_ras;
  bank.activate = at + timing_.t_rc;
  find_hits(bank);
  set_candidates(entry.bank);
  raise(group_time(entry.group, CommandKind::kActivate), at + timing_.t_rrd_l);
  raise(activate_, at + timing_.t_rrd_s);
  activates_[activate_count_++ % 4] = at;
  if (activate_count_ >= 4) raise(activate_, activates_[activate_count_ % 4] + timing_.t_faw);
}

void ChannelState::precharge(std::uint32_t number, Cycle at) {
  take_row_bus(at);
  Bank& bank = banks_[number];
  bank.is_open = false;
  bank.hits = 0;
  bank.read_hit = bank.write_hit = kNoSlot;
  raise(bank.activate, at + timing_.t_rp);
  set_candidates(number);
}

void ChannelState::read_or_write(const QueueEntry& entry, Cycle at) {
  take_column_bus(at);
  Bank& bank = banks_[entry.bank];
  if (entry.is_write) {
    const Cycle last_data = at + timing_.t_cwl + timing_.t_bl;
    raise(write_, at + timing_.t_ccd_s);
    raise(group_time(entry.group, CommandKind::kWrite), at + timing_.t_ccd_l_wr);
    raise(read_, last_data + timing_.t_wtr_s);
    raise(group_time(entry.group, CommandKind::kRead), last_data + timing_.t_wtr_l);
    raise(bank.precharge, last_data + timing_.t_wr);
  } else {
    raise(read_, at + timing_.t_ccd_s);
    raise(group_time(entry.group, CommandKind::kRead), at + timing_.t_ccd_l);
    raise(write_, at + timing_.t_rtw);
    raise(bank.precharge, at + timing_.t_rtp);
  }
}

std::pair<Cycle, Cycle> ChannelState::refresh(Cycle due) {
  Cycle close = std::max(due, row_bus_);
  bool any_open = false;
  for (const Bank& bank : banks_) {
    if (!bank.is_open) continue;
    any_open = true;
    raise(close, bank.precharge);
  }
  Cycle at = std::max(due, row_bus_);
  if (any_open) {
    for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
      if (banks_[bank].is_open) precharge(bank, close);
    }
  }
  for (const Bank& bank : banks_) raise(at, bank.activate);
  refreshed(at);
  return {any_open ? close : kNever, at};
}

void ChannelState::refreshed(Cycle at) {
  take_row_bus(at);
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
    banks_[bank].activate = at + timing_.t_rfc;
    set_candidates(bank);
  }
}

std::uint64_t ChannelState::bank_hash(Cycle now) const {
  StateHash hash;
  for (const Bank& bank : banks_) {
    hash.add(bank.is_open ? bank.row + 1 : 0);
    for (const Cycle time : {bank.activate, bank.precharge, bank.column}) hash.add(cycles_until(time, now));
  }
  for (const Cycle time : groups_) hash.add(cycles_until(time, now));
  for (const Cycle time : {activate_, read_, write_, row_bus_, column_bus_}) hash.add(cycles_until(time, now));
  // The last activates, oldest first, as far as they hold up others.
  for (std::uint32_t i = 0; i < activates_.size(); ++i) {
    const bool was = activate_count_ + i >= activates_.size();
    const Cycle at = activates_[(activate_count_ + i) % activates_.size()];
    hash.add(was ? cycles_until(at + timing_.t_faw, now) : 0);
  }
  return hash.value();
}

}  // namespace weft::mem
