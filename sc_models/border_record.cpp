// SPDX-License-Identifier: Apache-2.0
#include "sc_models/border_record.h"

#include <algorithm>
#include <utility>

namespace weft::sc_models {

void BorderRecord::begin(Cycle period) {
  slots_.assign(period, Slot());
  size_ = 0;
}

bool BorderRecord::note(const Mailbox& mail, Cycle at) {
  Slot& slot = slots_[at % slots_.size()];
  size_ += mail.size();
  if (slot.noted) {
    std::vector<PacketGrowth> growth;
    if (!slot.mail.comes_again(mail, at - slot.at, &growth)) return false;
    if (slot.grows && growth != slot.growth) return false;
    slot.growth = std::move(growth);
    slot.grows = true;
  }
  slot.noted = true;
  slot.at = at;
  slot.mail = mail;
  return true;
}

bool BorderRecord::complete() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.grows || slot.mail.size() == 0; });
}

std::uint64_t BorderRecord::periods_left(std::uint64_t margin) const {
  std::uint64_t periods = ~std::uint64_t{0};
  for (const Slot& slot : slots_) periods = std::min(periods, slot.mail.periods_left(slot.growth, margin));
  return periods;
}

bool BorderRecord::expects(const Mailbox& mail, Cycle at) const {
  const Slot& slot = slot_of(at);
  return slot.mail.is_later(mail, at - slot.at, slot.growth, (at - slot.at) / period());
}

void BorderRecord::write(Mailbox* mail, Cycle at) const {
  const Slot& slot = slot_of(at);
  *mail = slot.mail;
  mail->move_on(at - slot.at, slot.growth, (at - slot.at) / period());
}

}  // namespace weft::sc_models
