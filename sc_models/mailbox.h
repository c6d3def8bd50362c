// SPDX-License-Identifier: Apache-2.0
// What one part of a fabric sends to another: flits and credits that cross the border between two threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/checkpoint.h"
#include "base/packet.h"
#include "base/region_ports.h"
#include "base/state_hash.h"
#include "base/types.h"
#include "sc_models/packet_growth.h"

namespace weft::sc_models {

/// Filled in one step of the sender, read by the receiver in the next. Ports are the receiver's.
class Mailbox {
 public:
  /// `data_bytes`: bytes of the flit's data, which is kept; 0 where flits carry none.
  void add_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at, std::size_t data_bytes) {
    flits_.push_back({port, at, flit.vc, flit.head, flit.tail, flit.data != nullptr});
    if (flit.head) packets_.push_back(flit.packet);
    if (flit.data != nullptr) data_.insert(data_.end(), flit.data, flit.data + data_bytes);
    first_ = std::min(first_, at);
  }
  void add_credit(std::uint32_t port, VcId vc, Cycle at) {
    credits_.push_back({port, at, vc});
    first_ = std::min(first_, at);
  }
  void clear() {
    if (first_ == kNever) return;
    flits_.clear();
    packets_.clear();
    data_.clear();
    credits_.clear();
    first_ = kNever;
  }

  /// The first cycle in which something arrives; kNever = the box is empty.
  Cycle first() const { return first_; }
  std::size_t flits() const { return flits_.size(); }
  /// Flits and credits.
  std::size_t size() const { return flits_.size() + credits_.size(); }

  /// Adds to `hash` what goes where and when, relative to cycle `now`, but not which packets it is.
  void mix(StateHash* hash, Cycle now) const;

  // For mail that comes again, period by period; such mail carries no data.
  /// Whether `behind` is the same `later` cycles later, but for what grows in its packets, which goes into `growth`.
  bool comes_again(const Mailbox& behind, Cycle later, std::vector<PacketGrowth>* growth) const;
  /// Whether `behind` is exactly this mail moved on.
  bool is_later(const Mailbox& behind, Cycle later, const std::vector<PacketGrowth>& growth,
                std::uint64_t periods) const;
  /// For so many periods, at least `margin` bytes, and two periods, of each message that grows in it are left.
  std::uint64_t periods_left(const std::vector<PacketGrowth>& growth, std::uint64_t margin) const;
  /// Everything comes `later` cycles later, with packets that have grown for so many periods.
  void move_on(Cycle later, const std::vector<PacketGrowth>& growth, std::uint64_t periods);
  /// Calls `flit(port, transfer, at)` for all flits and `credit(port, vc, at)` for all credits, in their order.
  template <typename TakeFlit, typename TakeCredit>
  void read(std::size_t data_bytes, const TakeFlit& flit, const TakeCredit& credit) const {
    if (first_ == kNever) return;
    FlitTransfer transfer;
    const Packet* packet = packets_.data();
    const std::uint8_t* data = data_.data();
    for (const FlitMail& mail : flits_) {
      transfer.vc = mail.vc;
      transfer.head = mail.head;
      transfer.tail = mail.tail;
      if (mail.head) transfer.packet = *packet++;
      transfer.data = mail.has_data ? data : nullptr;
      if (mail.has_data) data += data_bytes;
      flit(mail.port, transfer, mail.at);
    }
    for (const CreditMail& mail : credits_) credit(mail.port, mail.vc, mail.at);
  }
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint) {
    if (!data_.empty()) Checkpoint::refuse("flits carry data");
    checkpoint.values(first_);
    checkpoint.each(flits_, [&](FlitMail& mail) {
      checkpoint.values(mail.port, mail.at, mail.vc, mail.head, mail.tail, mail.has_data);
    });
    checkpoint.each(packets_, [&](Packet& packet) {
      if (packet.payload != nullptr) Checkpoint::refuse("packets with data go from thread to thread");
      weft::keep(checkpoint, packet);
    });
    checkpoint.each(credits_, [&](CreditMail& mail) { checkpoint.values(mail.port, mail.at, mail.vc); });
  }

 private:
  struct FlitMail {
    std::uint32_t port;
    Cycle at;
    VcId vc;
    bool head;
    bool tail;
    bool has_data;
  };
  struct CreditMail {
    std::uint32_t port;
    Cycle at;
    VcId vc;
  };

  bool alike_but_for_packets(const Mailbox& behind, Cycle later) const;

  std::vector<FlitMail> flits_;
  std::vector<Packet> packets_;     ///< packets whose heads are among them
  std::vector<std::uint8_t> data_;  ///< data of the flits that carry some
  std::vector<CreditMail> credits_;
  Cycle first_ = kNever;
};

}  // namespace weft::sc_models
