// SPDX-License-Identifier: Apache-2.0
// Buffer and serialiser of one output port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/packet_rate.h"
#include "base/queue_ring.h"
#include "base/train_queue.h"
#include "switch/network/beat.h"

namespace weft::fred {

/// Flits that have passed the interconnect and wait for the link: one entry per packet, with the number of its flits.
class OutputPort {
 public:
  OutputPort(const PacketRateSpec& rate, std::uint32_t flits, bool values)
      : rate_spec_(rate), capacity_(flits), bytes_(values ? static_cast<std::size_t>(flits) * rate.flit_bytes : 0) {}

  /// Slots for flits that have been promised to nobody.
  std::uint32_t room() const { return capacity_ - promised_; }
  void promise(std::uint32_t flits) { promised_ += flits; }

  /// The beats of a flit come one after the other: where the next `bytes` of it go.
  std::uint8_t* next_bytes(std::size_t bytes) {
    return &bytes_[(first_byte_ + size_ * rate_spec_.flit_bytes) % bytes_.size() + beats_ * bytes];
  }
  /// Takes a beat; true if its flit is complete.
  bool take(const Beat& beat) {
    WEFT_CHECK(size_ < capacity_, "an output port of a FRED switch gets a flit that it has no room for");
    if (beat.head) open(beat);
    ++beats_;
    if (!beat.flit_end) return false;
    ++size_;
    beats_ = 0;
    return true;
  }
  bool within_flit() const { return beats_ > 0; }

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  bool can_send(Cycle now) const { return size_ > 0 && rate_.can_send(now); }
  Cycle next_slot(Cycle now) const { return rate_.next_slot(now); }
  /// The flit at the front.
  PortFlit front() const {
    const Entry& packet = packets_.front();
    PortFlit flit = packet.head;
    flit.head = packet.sent == 0;
    flit.tail = packet.sent + 1 == packet.head.packet_flits;
    return flit;
  }
  const std::uint8_t* front_bytes() const { return bytes_.empty() ? nullptr : &bytes_[first_byte_]; }
  /// Puts the front on the link; its bytes stay valid until the next take().
  void send(Cycle now) {
    Entry& packet = packets_.front();
    const bool tail = ++packet.sent == packet.head.packet_flits;
    rate_.send(rate_spec_, now, tail);
    --size_;
    --promised_;
    if (!bytes_.empty() && (first_byte_ += rate_spec_.flit_bytes) == bytes_.size()) first_byte_ = 0;
    if (tail) packets_.pop();
  }
  const PacketRateSpec& rate() const { return rate_spec_; }

  // Where packets go as trains.
  /// A packet that has been promised room: when its flits are put on the link. They come out of the interconnect one
  /// every `step` cycles, the first in cycle `first`.
  FlitTrain send_all(Cycle first, std::uint32_t flits, Cycle step) {
    const FlitTrain departures(rate_spec_, &rate_, first, flits, step);
    departures_.push(departures);
    return departures;
  }
  /// Counts what has left up to and with cycle `end`.
  void depart_until(Cycle end) { promised_ -= departures_.pop_until(end); }
  /// The flits that are still to leave.
  const TrainQueue& departures() const { return departures_; }
  std::uint32_t promised() const { return promised_; }
  /// Where in a cycle the link becomes free, see PacketRate.
  std::uint64_t phase() const { return rate_.phase(); }
  /// Gives `form` its state. What has left has been counted.
  template <typename Form>
  void put_state(Form& form) {
    form.same(promised_);
    rate_.put_state(form);
    departures_.put_state(form);
  }
  /// Writes its state into `checkpoint`, or takes it from there, without data.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    rate_.keep(checkpoint);
    departures_.keep(checkpoint);
    checkpoint.queue(packets_, [&](Entry& entry) {
      fred::keep(checkpoint, entry.head);
      checkpoint.values(entry.sent);
    });
    checkpoint.values(size_, promised_, beats_);
  }
  std::uint64_t state(Cycle now) const {
    return rate_.state(rate_spec_, now) * 1000003 + size_ * std::uint64_t{4099} + promised_ * std::uint64_t{67} +
           beats_;
  }

 private:
  struct Entry {
    PortFlit head;
    std::uint32_t sent = 0;  ///< flits that have been put on the link
  };

  void open(const Beat& beat) {
    Entry& packet = packets_.add();
    packet = Entry{};
    packet.head.packet = beat.packet;
    packet.head.setting = beat.setting;
    packet.head.packet_flits = beat.packet_flits;
    packet.head.traffic_class = beat.traffic_class;
  }
  PacketRateSpec rate_spec_;
  PacketRate rate_;
  QueueRing<Entry> packets_;
  TrainQueue departures_;       ///< departures of packets that go as trains
  std::uint32_t capacity_;      ///< flits
  std::uint32_t size_ = 0;      ///< flits
  std::uint32_t promised_ = 0;  ///< to flits inside and to those still in the interconnect
  std::uint32_t beats_ = 0;     ///< beats that have come of the flit that is coming in
  std::vector<std::uint8_t> bytes_;
  std::size_t first_byte_ = 0;
};

}  // namespace weft::fred
