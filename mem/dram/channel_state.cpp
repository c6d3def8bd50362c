// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/channel_state.h"

#include <algorithm>

namespace weft::mem {

ChannelState::ChannelState(const DramTiming& timing, std::size_t depth)
    : timing_(timing), banks_(timing.banks()), groups_(timing.bank_groups), slots_(depth) {
  order_.reserve(depth);
  for (std::size_t slot = depth; slot > 0; --slot) free_.push_back(static_cast<std::uint8_t>(slot - 1));
}

void ChannelState::add(const QueueEntry& entry) {
  const std::uint8_t slot = free_.back();
  free_.pop_back();
  slots_[slot] = entry;
  Bank& bank = banks_[entry.bank];
  if (bank.is_open && bank.row == entry.row) ++bank.hits;
  // Bursts at one place keep their order when one of them is a write.
  for (const std::uint8_t other_slot : order_) {
    const QueueEntry& other = slots_[other_slot];
    if (other.bank == entry.bank && other.row == entry.row && other.column == entry.column &&
        (other.is_write || entry.is_write))
      ++slots_[slot].blocked;
  }
  order_.push_back(slot);
}

void ChannelState::remove(std::size_t age) {
  const std::uint8_t slot = order_[age];
  const QueueEntry& entry = slots_[slot];
  order_.erase(order_.begin() + static_cast<std::ptrdiff_t>(age));
  --banks_[entry.bank].hits;
  for (std::size_t i = age; i < order_.size(); ++i) {
    QueueEntry& other = slots_[order_[i]];
    if (other.blocked > 0 && other.bank == entry.bank && other.row == entry.row && other.column == entry.column &&
        (other.is_write || entry.is_write))
      --other.blocked;
  }
  free_.push_back(slot);
}

void ChannelState::take_row_bus(Cycle at) {
  row_bus_ = at + 1;
  if (timing_.command_buses == 1) column_bus_ = at + 1;
}

void ChannelState::take_column_bus(Cycle at) {
  column_bus_ = at + 1;
  if (timing_.command_buses == 1) row_bus_ = at + 1;
}

void ChannelState::count_hits(std::uint32_t bank) {
  std::uint16_t hits = 0;
  for (const std::uint8_t slot : order_) hits += slots_[slot].bank == bank && slots_[slot].row == banks_[bank].row;
  banks_[bank].hits = hits;
}

void ChannelState::activate(const QueueEntry& entry, Cycle at) {
  take_row_bus(at);
  Bank& bank = banks_[entry.bank];
  bank.is_open = true;
  bank.row = entry.row;
  bank.column = at + timing_.t_rcd;
  bank.precharge = at + timing_.t_ras;
  bank.activate = at + timing_.t_rc;
  count_hits(entry.bank);
  raise(groups_[entry.group].activate, at + timing_.t_rrd_l);
  raise(activate_, at + timing_.t_rrd_s);
  activates_[activate_count_++ % 4] = at;
  if (activate_count_ >= 4) raise(activate_, activates_[activate_count_ % 4] + timing_.t_faw);
}

void ChannelState::precharge(std::uint32_t number, Cycle at) {
  take_row_bus(at);
  Bank& bank = banks_[number];
  bank.is_open = false;
  bank.hits = 0;
  raise(bank.activate, at + timing_.t_rp);
}

void ChannelState::read_or_write(const QueueEntry& entry, Cycle at) {
  take_column_bus(at);
  Bank& bank = banks_[entry.bank];
  Group& group = groups_[entry.group];
  if (entry.is_write) {
    const Cycle last_data = at + timing_.t_cwl + timing_.t_bl;
    raise(write_, at + timing_.t_ccd_s);
    raise(group.write, at + timing_.t_ccd_l_wr);
    raise(read_, last_data + timing_.t_wtr_s);
    raise(group.read, last_data + timing_.t_wtr_l);
    raise(bank.precharge, last_data + timing_.t_wr);
  } else {
    raise(read_, at + timing_.t_ccd_s);
    raise(group.read, at + timing_.t_ccd_l);
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
  for (Bank& bank : banks_) bank.activate = at + timing_.t_rfc;
}

}  // namespace weft::mem
