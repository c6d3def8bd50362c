// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/channel_state.h"

#include <algorithm>

namespace weft::mem {

namespace {

/// Bursts at one place keep their order when one of them is a write.
bool must_keep_order(const QueueEntry& a, const QueueEntry& b) {
  return a.row == b.row && a.column == b.column && (a.is_write || b.is_write);
}

}  // namespace

ChannelState::ChannelState(const DramTiming& timing, std::size_t depth)
    : timing_(timing),
      banks_(timing.banks()),
      groups_(timing.bank_groups, Times{}),
      candidates_(timing.banks()),
      write_candidates_(timing.banks()),
      slots_(depth) {
  order_.reserve(depth);
  for (std::size_t slot = depth; slot > 0; --slot) free_.push_back(static_cast<std::uint8_t>(slot - 1));
  for (std::uint32_t bank = 0; bank < banks_.size(); ++bank)
    banks_[bank].group = static_cast<std::uint8_t>(bank / timing.banks_per_group);
}

void ChannelState::add(const QueueEntry& added) {
  const std::uint8_t slot = free_.back();
  free_.pop_back();
  order_.push_back(slot);
  QueueEntry& entry = slots_[slot];
  entry = added;
  entry.number = next_number_++;
  entry.next = kNoSlot;
  Bank& bank = banks_[entry.bank];
  for (std::uint8_t other = bank.oldest; other != kNoSlot; other = slots_[other].next)
    entry.blocked += must_keep_order(slots_[other], entry);
  if (bank.oldest == kNoSlot) {
    bank.oldest = slot;
    busy_banks_ |= std::uint64_t{1} << entry.bank;
  } else {
    slots_[bank.youngest].next = slot;
  }
  bank.youngest = slot;
  if (bank.is_open && bank.row == entry.row) add_hit(bank, slot);
  set_candidates(entry.bank);
}

void ChannelState::remove(std::uint8_t slot) {
  order_.erase(std::find(order_.begin(), order_.end(), slot));
  free_.push_back(slot);
  const QueueEntry& entry = slots_[slot];
  Bank& bank = banks_[entry.bank];
  std::uint8_t before = kNoSlot;
  for (std::uint8_t other = bank.oldest; other != slot; other = slots_[other].next) before = other;
  (before == kNoSlot ? bank.oldest : slots_[before].next) = entry.next;
  if (bank.youngest == slot) bank.youngest = before;
  for (std::uint8_t other = entry.next; other != kNoSlot; other = slots_[other].next) {
    if (slots_[other].blocked > 0) slots_[other].blocked -= must_keep_order(slots_[other], entry);
  }
  if (bank.oldest == kNoSlot) busy_banks_ &= ~(std::uint64_t{1} << entry.bank);
  find_hits(bank);
  set_candidates(entry.bank);
}

void ChannelState::add_hit(Bank& bank, std::uint8_t slot) {
  ++bank.hits;
  if (slots_[slot].blocked > 0) return;
  std::uint8_t& first = slots_[slot].is_write ? bank.write_hit : bank.read_hit;
  if (first == kNoSlot) first = slot;
}

void ChannelState::find_hits(Bank& bank) {
  bank.hits = 0;
  bank.read_hit = bank.write_hit = kNoSlot;
  if (!bank.is_open) return;
  for (std::uint8_t slot = bank.oldest; slot != kNoSlot; slot = slots_[slot].next) {
    if (slots_[slot].row == bank.row) add_hit(bank, slot);
  }
}

ChannelState::Candidate ChannelState::make_candidate(Cycle ready, std::uint8_t slot, CommandKind kind) const {
  const QueueEntry& entry = slots_[slot];
  const bool is_row = kind == CommandKind::kActivate || kind == CommandKind::kPrecharge;
  return {ready, entry.number, slot, entry.group, is_row, kind};
}

void ChannelState::set_candidates(std::uint32_t number) {
  const Bank& bank = banks_[number];
  const std::uint64_t bit = std::uint64_t{1} << number;
  mixed_banks_ &= ~bit;
  if (bank.oldest == kNoSlot) return;
  Candidate& candidate = candidates_[number];
  if (!bank.is_open) {
    candidate = make_candidate(bank.activate, bank.oldest, CommandKind::kActivate);
  } else if (bank.hits == 0) {
    candidate = make_candidate(bank.precharge, bank.oldest, CommandKind::kPrecharge);
  } else {
    Candidate write;
    if (bank.write_hit != kNoSlot) write = make_candidate(bank.column, bank.write_hit, CommandKind::kWrite);
    if (bank.read_hit == kNoSlot) {
      candidate = write;
      return;
    }
    candidate = make_candidate(bank.column, bank.read_hit, CommandKind::kRead);
    if (bank.write_hit == kNoSlot) return;
    write_candidates_[number] = write;
    mixed_banks_ |= bit;
  }
}

NextCommand ChannelState::next_command(const QueueEntry& entry) const {
  const Bank& bank = banks_[entry.bank];
  const auto when = [&](Cycle bank_time, CommandKind kind) {
    const auto i = static_cast<std::size_t>(kind);
    return NextCommand{std::max({bank_time, groups_[entry.group][i], channel_times()[i]}), kind};
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
  find_hits(bank);
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

}  // namespace weft::mem
