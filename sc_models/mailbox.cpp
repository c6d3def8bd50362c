// SPDX-License-Identifier: Apache-2.0
#include "sc_models/mailbox.h"

#include <algorithm>
#include <optional>

namespace weft::sc_models {

bool Mailbox::alike_but_for_packets(const Mailbox& behind, Cycle later) const {
  const auto flit = [later](const FlitMail& a, const FlitMail& b) {
    return a.port == b.port && a.at + later == b.at && a.vc == b.vc && a.head == b.head && a.tail == b.tail &&
           !a.has_data && !b.has_data;
  };
  const auto credit = [later](const CreditMail& a, const CreditMail& b) {
    return a.port == b.port && a.at + later == b.at && a.vc == b.vc;
  };
  return packets_.size() == behind.packets_.size() &&
         std::equal(flits_.begin(), flits_.end(), behind.flits_.begin(), behind.flits_.end(), flit) &&
         std::equal(credits_.begin(), credits_.end(), behind.credits_.begin(), behind.credits_.end(), credit);
}

void Mailbox::mix(StateHash* hash, Cycle now) const {
  for (const FlitMail& flit : flits_) {
    hash->add(std::uint64_t{flit.port} << 32 | (flit.at - now) << 16 | std::uint64_t{index(flit.vc)} << 2 |
              std::uint64_t{flit.head} << 1 | std::uint64_t{flit.tail});
  }
  for (const CreditMail& credit : credits_) {
    hash->add(std::uint64_t{credit.port} << 32 | (credit.at - now) << 16 | index(credit.vc));
  }
}

bool Mailbox::comes_again(const Mailbox& behind, Cycle later, std::vector<PacketGrowth>* growth) const {
  growth->clear();
  if (!alike_but_for_packets(behind, later)) return false;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const std::optional<PacketGrowth> grows = PacketGrowth::between(packets_[i], behind.packets_[i]);
    if (!grows) return false;
    growth->push_back(*grows);
  }
  return true;
}

bool Mailbox::is_later(const Mailbox& behind, Cycle later, const std::vector<PacketGrowth>& growth,
                       std::uint64_t periods) const {
  if (!alike_but_for_packets(behind, later)) return false;
  constexpr PacketGrowth kNone;
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const auto apart = PacketGrowth::between(growth[i].later(packets_[i], periods), behind.packets_[i]);
    if (!apart || !(*apart == kNone)) return false;
  }
  return true;
}

std::uint64_t Mailbox::periods_left(const std::vector<PacketGrowth>& growth, std::uint64_t margin) const {
  std::uint64_t periods = ~std::uint64_t{0};
  for (std::size_t i = 0; i < packets_.size(); ++i) {
    const std::uint64_t grows = growth[i].offset;
    if (grows == 0) continue;
    const std::uint64_t come = packets_[i].offset + packets_[i].bytes + std::max(margin, 2 * grows);
    const std::uint64_t all = packets_[i].message_bytes;
    periods = std::min(periods, come < all ? (all - come) / grows : 0);
  }
  return periods;
}

void Mailbox::move_on(Cycle later, const std::vector<PacketGrowth>& growth, std::uint64_t periods) {
  if (first_ == kNever) return;
  first_ += later;
  for (FlitMail& flit : flits_) flit.at += later;
  for (CreditMail& credit : credits_) credit.at += later;
  for (std::size_t i = 0; i < packets_.size(); ++i) packets_[i] = growth[i].later(packets_[i], periods);
}

}  // namespace weft::sc_models
