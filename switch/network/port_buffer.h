// SPDX-License-Identifier: Apache-2.0
// Buffer of one traffic class at one input port: flits in a ring, and how many of them belong to started packets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "switch/network/beat.h"

namespace weft::fred {

class PortBuffer {
 public:
  PortBuffer(std::uint32_t flits, std::uint32_t flit_bytes, bool values)
      : flits_(flits), bytes_(values ? static_cast<std::size_t>(flits) * flit_bytes : 0), flit_bytes_(flit_bytes) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(flits_.size()); }
  /// `data` may be null: the flit carries none.
  void push(const PortFlit& flit, const std::uint8_t* data) {
    WEFT_CHECK(size_ < flits_.size(), "a flit arrives at a full input buffer of a FRED switch");
    const std::size_t at = slot(size_++);
    flits_[at] = flit;
    if (data != nullptr) std::copy_n(data, flit_bytes_, &bytes_[at * flit_bytes_]);
  }
  const PortFlit& front() const { return flits_[first_]; }
  const std::uint8_t* front_bytes() const { return bytes_.data() + first_ * flit_bytes_; }
  void pop() {
    first_ = slot(1);
    --size_;
    --started_;
  }

  /// Flits of started packets that are still to leave; some of them may not have arrived.
  std::uint32_t started() const { return started_; }
  void start(std::uint32_t flits) { started_ += flits; }
  /// Head of the first packet that has not been started; nullptr if it is not here.
  const PortFlit* next_head() const { return started_ < size_ ? &flits_[slot(started_)] : nullptr; }
  /// Flits that are here and belong to packets that have not been started.
  std::uint32_t waiting() const { return size_ > started_ ? size_ - started_ : 0; }
  /// Hash of what is inside; packets' names do not count.
  std::uint64_t state() const {
    std::uint64_t hash = std::uint64_t{size_} << 32 | started_;
    for (std::uint32_t i = 0; i < size_; ++i) {
      const PortFlit& flit = flits_[slot(i)];
      hash = mix64(hash ^
                   (std::uint64_t{flit.setting} << 32 | std::uint64_t{flit.output} << 24 |
                    std::uint64_t{flit.packet_flits} << 2 | std::uint64_t{flit.head} << 1 | std::uint64_t{flit.tail}));
    }
    return hash;
  }

 private:
  std::size_t slot(std::size_t offset) const {
    const std::size_t at = first_ + offset;
    return at < flits_.size() ? at : at - flits_.size();
  }

  std::vector<PortFlit> flits_;
  std::vector<std::uint8_t> bytes_;
  std::size_t flit_bytes_;
  std::size_t first_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t started_ = 0;
};

}  // namespace weft::fred
