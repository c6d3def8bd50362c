// SPDX-License-Identifier: Apache-2.0
// The queue of a channel: bursts by age, in all and in each bank, and the commands that bring them on.
#include "mem/dram/channel_state.h"

namespace weft::mem {
namespace {

/// Bursts at one location keep their order when one of them is a write.
bool must_keep_order(const QueueEntry& a, const QueueEntry& b) {
  return a.row == b.row && a.column == b.column && (a.is_write || b.is_write);
}

}  // namespace

// Fields are written one by one: a copy in wide words of what was just written in narrow ones stalls.
std::uint8_t ChannelState::add(const Location& location, bool is_write, std::uint32_t segment, Cycle entered) {
  const std::uint8_t slot = free_.back();
  free_.pop_back();
  QueueEntry& entry = slots_[slot];
  entry.row = location.row;
  entry.number = next_number_++;
  entry.entered = entered;
  entry.column = location.column;
  entry.segment = segment;
  entry.bank = static_cast<std::uint8_t>(location.bank);
  entry.group = static_cast<std::uint8_t>(location.group);
  entry.is_write = is_write;
  entry.was_counted = false;
  entry.blocked = 0;
  entry.blocks = false;
  Bank& bank = banks_[entry.bank];
  if (is_write || bank.writes > 0) note_blocked(entry, bank);
  bank.writes += is_write;
  const bool was_empty = bank.oldest == kNoSlot;
  append(entry, bank, slot);
  if (bank.is_open && bank.row == entry.row) add_hit(bank, slot);
  if (was_empty || bank.read_hit == slot || bank.write_hit == slot) set_candidates(entry.bank);
  return slot;
}

void ChannelState::append(QueueEntry& entry, Bank& bank, std::uint8_t slot) {
  entry.older_in_bank = bank.youngest;
  entry.younger_in_bank = kNoSlot;
  (bank.oldest == kNoSlot ? bank.oldest : slots_[bank.youngest].younger_in_bank) = slot;
  bank.youngest = slot;
  entry.older = youngest_;
  entry.younger = kNoSlot;
  (oldest_ == kNoSlot ? oldest_ : slots_[youngest_].younger) = slot;
  youngest_ = slot;
}

void ChannelState::unlink(const QueueEntry& entry, Bank& bank) {
  (entry.older_in_bank == kNoSlot ? bank.oldest : slots_[entry.older_in_bank].younger_in_bank) = entry.younger_in_bank;
  (entry.younger_in_bank == kNoSlot ? bank.youngest : slots_[entry.younger_in_bank].older_in_bank) =
      entry.older_in_bank;
  (entry.older == kNoSlot ? oldest_ : slots_[entry.older].younger) = entry.younger;
  (entry.younger == kNoSlot ? youngest_ : slots_[entry.younger].older) = entry.older;
}

void ChannelState::note_blocked(QueueEntry& entry, const Bank& bank) {
  for (std::uint8_t slot = bank.oldest; slot != kNoSlot; slot = slots_[slot].younger_in_bank) {
    if (!must_keep_order(slots_[slot], entry)) continue;
    ++entry.blocked;
    slots_[slot].blocks = true;
  }
}

void ChannelState::unblock(const QueueEntry& entry) {
  for (std::uint8_t slot = entry.younger_in_bank; slot != kNoSlot; slot = slots_[slot].younger_in_bank) {
    if (slots_[slot].blocked > 0) slots_[slot].blocked -= must_keep_order(slots_[slot], entry);
  }
}

void ChannelState::remove(std::uint8_t slot) {
  const QueueEntry& entry = slots_[slot];
  Bank& bank = banks_[entry.bank];
  unlink(entry, bank);
  free_.push_back(slot);
  bank.writes -= entry.is_write;
  if (entry.blocks) {
    unblock(entry);
    find_hits(bank);
  } else {
    --bank.hits;
    std::uint8_t& first = entry.is_write ? bank.write_hit : bank.read_hit;
    if (first == slot) first = bank.hits > 0 ? next_hit(bank, entry.younger_in_bank, entry.is_write) : kNoSlot;
  }
  set_candidates(entry.bank);
}

// --- bursts for the open row ---

std::uint8_t ChannelState::next_hit(const Bank& bank, std::uint8_t from, bool is_write) const {
  for (std::uint8_t slot = from; slot != kNoSlot; slot = slots_[slot].younger_in_bank) {
    const QueueEntry& entry = slots_[slot];
    if (entry.row == bank.row && entry.is_write == is_write && entry.blocked == 0) return slot;
  }
  return kNoSlot;
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
  for (std::uint8_t slot = bank.oldest; slot != kNoSlot; slot = slots_[slot].younger_in_bank) {
    if (slots_[slot].row == bank.row) add_hit(bank, slot);
  }
}

// --- commands ---

void ChannelState::set_candidate(Candidate& candidate, CommandKind kind, Cycle ready, std::uint8_t slot) {
  const QueueEntry& entry = slots_[slot];
  const bool is_row = kind == CommandKind::kActivate || kind == CommandKind::kPrecharge;
  candidate.ready = ready;
  candidate.order = (is_row ? Candidate::kAfterColumns : 0) + (entry.number << Candidate::kNumberShift) +
                    (std::uint64_t{slot} << Candidate::kKindBits) + index(kind);
  candidate.group_time = group_index(entry.group, kind);
  ++counts_[index(kind)];
}

void ChannelState::clear_candidates(std::uint32_t number) {
  const std::uint64_t bit = std::uint64_t{1} << number;
  if ((busy_banks_ & bit) != 0) --counts_[index(Candidate::kind(candidates_[number].order))];
  if ((mixed_banks_ & bit) != 0) --counts_[index(CommandKind::kWrite)];
  busy_banks_ &= ~bit;
  mixed_banks_ &= ~bit;
}

void ChannelState::set_candidates(std::uint32_t number) {
  clear_candidates(number);
  const Bank& bank = banks_[number];
  if (bank.oldest == kNoSlot) return;
  const std::uint64_t bit = std::uint64_t{1} << number;
  busy_banks_ |= bit;
  Candidate& candidate = candidates_[number];
  if (!bank.is_open) {
    set_candidate(candidate, CommandKind::kActivate, bank.activate, bank.oldest);
  } else if (bank.hits == 0) {
    set_candidate(candidate, CommandKind::kPrecharge, bank.precharge, bank.oldest);
  } else if (bank.read_hit == kNoSlot) {
    set_candidate(candidate, CommandKind::kWrite, bank.column, bank.write_hit);
  } else {
    set_candidate(candidate, CommandKind::kRead, bank.column, bank.read_hit);
    if (bank.write_hit == kNoSlot) return;
    set_candidate(write_candidates_[number], CommandKind::kWrite, bank.column, bank.write_hit);
    mixed_banks_ |= bit;
  }
}

}  // namespace weft::mem
