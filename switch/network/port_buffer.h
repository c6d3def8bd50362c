// SPDX-License-Identifier: Apache-2.0
// Buffer of one traffic class at one input port: packets in a ring, and which of them have started.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/queue_ring.h"
#include "base/random.h"
#include "base/train_queue.h"
#include "switch/network/beat.h"

namespace weft::fred {

/// The flits of a packet differ in nothing but head, tail and data, so that the buffer keeps one entry per packet with
/// the number of its flits.
class PortBuffer {
 public:
  PortBuffer(std::uint32_t flits, std::uint32_t flit_bytes, bool values)
      : capacity_(flits), bytes_(values ? static_cast<std::size_t>(flits) * flit_bytes : 0), flit_bytes_(flit_bytes) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return capacity_; }
  /// The head of a packet arrives. `data` may be null: the flit carries none.
  void push_head(const PortFlit& head, const std::uint8_t* data) {
    WEFT_CHECK(incoming_flits_ == 0, "a packet arrives at a FRED switch before the tail of the one before it");
    WEFT_CHECK(head.tail == (head.packet_flits == 1), kOtherLength);
    packets_.push({head, 0});
    incoming_flits_ = head.packet_flits;
    push(data);
  }
  /// The next flit of the packet whose head arrived last; `tail` as it says itself.
  void push_body(bool tail, const std::uint8_t* data) {
    WEFT_CHECK(incoming_flits_ > 0 && tail == (incoming_flits_ == 1), kOtherLength);
    push(data);
  }

  // Where packets come as trains. Flits of packets that have started do not count in size() then.
  /// The head of a packet arrives, and its flits in the cycles `arrivals`.
  void push_train(const PortFlit& head, const FlitTrain& arrivals) {
    packets_.push({head, 0});
    arrivals_.push(arrivals);
  }
  /// Takes in what has arrived up to and with cycle `end`.
  void arrive_until(Cycle end) {
    size_ += arrivals_.pop_until(end);
    let_started_go();
  }
  /// Returns how many of the flits that are still to arrive belong to packets that have started.
  std::uint32_t to_start() const { return started_; }
  /// The flits that are still to arrive.
  const TrainQueue& arrivals() const { return arrivals_; }
  /// Flits of the packets that have not started, those that are still to come included.
  std::uint64_t train_flits() const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < packets_.size(); ++i) sum += packets_[i].head.packet_flits;
    return sum;
  }
  /// The packet of next_head() starts and leaves the buffer; returns its head.
  PortFlit start_train() {
    const PortFlit head = packets_.front().head;
    packets_.pop();
    started_ += head.packet_flits;
    let_started_go();
    return head;
  }

  /// Whether nothing is in it or on its way to it, as trains or started.
  bool idle() const { return size_ == 0 && started_ == 0 && packets_.empty() && arrivals_.empty(); }
  /// Gives `form` its state, and lets `packet(head)` give it each packet. What has arrived has been taken in.
  template <typename Form, typename PutPacket>
  void put_state(Form& form, const PutPacket& packet) {
    form.same(std::uint64_t{size_} << 32 | started_);
    form.same(packets_.size());
    for (std::size_t i = 0; i < packets_.size(); ++i) packet(packets_[i].head);
    arrivals_.put_state(form);
  }

  /// Writes its state into `checkpoint`, or takes it from there, without data.
  template <typename Checkpoint>
  void keep(Checkpoint& checkpoint) {
    checkpoint.queue(packets_, [&](Entry& entry) {
      fred::keep(checkpoint, entry.head);
      checkpoint.values(entry.left);
    });
    arrivals_.keep(checkpoint);
    checkpoint.values(size_, started_, incoming_flits_, started_packets_);
  }

  /// The packet whose flit is at the front; size() > 0.
  const PortFlit& front_packet() const { return packets_.front().head; }
  /// How many flits of that packet have left before.
  std::uint32_t front_left() const { return packets_.front().left; }
  const std::uint8_t* front_bytes() const { return bytes_.data() + first_byte_; }
  void pop() {
    --size_;
    --started_;
    if (!bytes_.empty() && (first_byte_ += flit_bytes_) == bytes_.size()) first_byte_ = 0;
    Entry& front = packets_.front();
    if (++front.left < front.head.packet_flits) return;
    packets_.pop();
    --started_packets_;
  }

  /// Flits of started packets that are still to leave; some of them may not have arrived.
  std::uint32_t started() const { return started_; }
  /// The packet of next_head(), of `flits` flits, starts.
  void start(std::uint32_t flits) {
    started_ += flits;
    ++started_packets_;
  }
  /// Head of the first packet that has not been started; nullptr if it is not here.
  const PortFlit* next_head() const {
    return started_packets_ < packets_.size() ? &packets_[started_packets_].head : nullptr;
  }
  /// Flits that are here and belong to packets that have not been started.
  std::uint32_t waiting() const { return size_ > started_ ? size_ - started_ : 0; }
  /// Hash of what is inside; packets' names do not count.
  std::uint64_t state() const {
    std::uint64_t hash = (std::uint64_t{size_} << 32 | started_) ^ std::uint64_t{incoming_flits_} << 48;
    for (std::size_t i = 0; i < packets_.size(); ++i) {
      const auto& [packet, left] = packets_[i];
      hash = mix64(hash ^ (std::uint64_t{packet.setting} << 32 | std::uint64_t{packet.output} << 24 |
                           std::uint64_t{packet.packet_flits} << 8)) ^
             left;
    }
    return hash;
  }

 private:
  static constexpr const char* kOtherLength =
      "a packet arrives at a FRED switch with another number of flits than its head says";
  struct Entry {
    PortFlit head;
    std::uint32_t left = 0;  ///< flits that have left
  };

  /// The first flits that are here, and those that come, belong to the packets that have started.
  void let_started_go() {
    const std::uint32_t gone = std::min(size_, started_);
    size_ -= gone;
    started_ -= gone;
  }
  void push(const std::uint8_t* data) {
    WEFT_CHECK(size_ < capacity_, "a flit arrives at a full input buffer of a FRED switch");
    if (data != nullptr) std::copy_n(data, flit_bytes_, &bytes_[(first_byte_ + size_ * flit_bytes_) % bytes_.size()]);
    ++size_;
    --incoming_flits_;
  }
  QueueRing<Entry> packets_;
  TrainQueue arrivals_;     ///< arrivals of packets that come as trains
  std::uint32_t capacity_;  ///< flits
  std::uint32_t size_ = 0;  ///< flits
  std::uint32_t started_ = 0;
  std::uint32_t incoming_flits_ = 0;  ///< flits of the last packet, that are still to arrive
  std::uint32_t started_packets_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::size_t flit_bytes_;
  std::size_t first_byte_ = 0;
};

}  // namespace weft::fred
