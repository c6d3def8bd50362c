// SPDX-License-Identifier: Apache-2.0
// Buffer of one input port: flits in a ring, and how many of them belong to packets that have been started.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/error.h"

namespace weft::fred {

/// A flit at a port of a switch. The configuration comes on side wires of the head.
struct PortFlit {
  std::uint32_t packet = 0;  ///< a name that the sender chooses
  std::uint32_t configuration = 0;
  std::uint16_t packet_flits = 1;
  bool head = false;
  bool tail = false;
};

class PortBuffer {
 public:
  PortBuffer(std::uint32_t flits, std::uint32_t flit_bytes, bool values)
      : flits_(flits), bytes_(values ? static_cast<std::size_t>(flits) * flit_bytes : 0), flit_bytes_(flit_bytes) {}

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return static_cast<std::uint32_t>(flits_.size()); }
  void push(const PortFlit& flit, const std::uint8_t* data) {
    WEFT_CHECK(size_ < flits_.size(), "a flit arrives at a full input buffer of a FRED switch");
    const std::size_t at = (first_ + size_++) % flits_.size();
    flits_[at] = flit;
    if (!bytes_.empty()) std::copy_n(data, flit_bytes_, &bytes_[at * flit_bytes_]);
  }
  const PortFlit& front() const { return flits_[first_]; }
  const std::uint8_t* front_bytes() const { return bytes_.data() + first_ * flit_bytes_; }
  void pop() {
    first_ = (first_ + 1) % flits_.size();
    --size_;
    --started_;
  }

  /// Flits of started packets that are still to leave; some of them may not have arrived.
  std::uint32_t started() const { return started_; }
  void start(std::uint32_t flits) { started_ += flits; }
  /// Head of the first packet that has not been started; nullptr if it is not here.
  const PortFlit* next_head() const {
    return started_ < size_ ? &flits_[(first_ + started_) % flits_.size()] : nullptr;
  }

 private:
  std::vector<PortFlit> flits_;
  std::vector<std::uint8_t> bytes_;
  std::size_t flit_bytes_;
  std::size_t first_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t started_ = 0;
};

}  // namespace weft::fred
