// SPDX-License-Identifier: Apache-2.0
// Buffer and serialiser of one output port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/packet_rate.h"
#include "switch/network/beat.h"

namespace weft::fred {

/// Flits that have passed the interconnect and wait for the link.
class OutputPort {
 public:
  OutputPort(const PacketRateSpec& rate, std::uint32_t flits, bool values)
      : rate_spec_(rate), flits_(flits), bytes_(values ? static_cast<std::size_t>(flits) * rate.flit_bytes : 0) {}

  /// Places for flits that have been promised to nobody.
  std::uint32_t room() const { return static_cast<std::uint32_t>(flits_.size()) - promised_; }
  void promise(std::uint32_t flits) { promised_ += flits; }

  /// The beats of a flit come one after the other: where the next `bytes` of it go.
  std::uint8_t* next_bytes(std::size_t bytes) { return &bytes_[slot(size_) * rate_spec_.flit_bytes + beats_ * bytes]; }
  /// Takes a beat; true if its flit is complete.
  bool take(const Beat& beat) {
    WEFT_CHECK(size_ < flits_.size(), "an output port of a FRED switch gets a flit that it has no room for");
    if (beats_ == 0) head_ = beat.head;
    ++beats_;
    if (!beat.flit_end) return false;
    PortFlit& flit = flits_[slot(size_)];
    flit = PortFlit{};
    flit.packet = beat.packet;
    flit.setting = beat.setting;
    flit.packet_flits = beat.packet_flits;
    flit.traffic_class = beat.traffic_class;
    flit.head = head_;
    flit.tail = beat.tail;
    ++size_;
    beats_ = 0;
    return true;
  }
  bool within_flit() const { return beats_ > 0; }

  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  bool can_send(Cycle now) const { return size_ > 0 && rate_.can_send(now); }
  Cycle next_slot(Cycle now) const { return rate_.next_slot(now); }
  const PortFlit& front() const { return flits_[first_]; }
  const std::uint8_t* front_bytes() const { return bytes_.empty() ? nullptr : &bytes_[first_ * rate_spec_.flit_bytes]; }
  /// Puts the front on the link; its bytes stay valid until the next take().
  void send(Cycle now) {
    rate_.send(rate_spec_, now, front().tail);
    first_ = slot(1);
    --size_;
    --promised_;
  }
  const PacketRateSpec& rate() const { return rate_spec_; }
  std::uint64_t state(Cycle now) const {
    return rate_.state(rate_spec_, now) * 1000003 + size_ * std::uint64_t{4099} + promised_ * std::uint64_t{67} +
           beats_;
  }

 private:
  std::size_t slot(std::size_t offset) const {
    const std::size_t at = first_ + offset;
    return at < flits_.size() ? at : at - flits_.size();
  }

  PacketRateSpec rate_spec_;
  PacketRate rate_;
  std::vector<PortFlit> flits_;
  std::vector<std::uint8_t> bytes_;
  std::size_t first_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t promised_ = 0;  ///< to flits inside and to those still in the interconnect
  std::uint32_t beats_ = 0;     ///< of the flit that is coming in
  bool head_ = false;
};

}  // namespace weft::fred
