// SPDX-License-Identifier: Apache-2.0
#include "runs/estimate/message_counter.h"

#include <algorithm>

#include "base/checked.h"
#include "base/random.h"

namespace weft::runs {

MessageCounter::MessageCounter(const Config& config, const sc_models::FabricSketch& sketch)
    : sketch_(sketch),
      packet_bytes_(config.npu.packet_bytes),
      flit_bytes_(static_cast<std::uint64_t>(config.fabric.flit_bytes)),
      seed_(config.seed) {}

MessageSize MessageCounter::size(std::uint64_t bytes) const {
  const std::uint64_t whole = bytes / packet_bytes_;
  const std::uint64_t rest = bytes % packet_bytes_;
  const bool has_rest = rest > 0 || bytes == 0;
  const std::uint64_t flits_of_rest = has_rest ? std::max<std::uint64_t>(1, divided_up(rest, flit_bytes_)) : 0;
  const double whole_flits = static_cast<double>(whole) * static_cast<double>(divided_up(packet_bytes_, flit_bytes_));
  return {1, static_cast<double>(whole) + (has_rest ? 1 : 0), whole_flits + static_cast<double>(flits_of_rest),
          static_cast<double>(bytes)};
}

void MessageCounter::add(SentVolume& volume, const MessageSize& size, NodeId from, NodeId to, double times) {
  const double hops = sketch_.hops(from, to, random_bits(seed_, 0, drawn_++));
  volume.unicast_hops += size.flits * hops * times;
  add_tree(volume, size, hops, 1, times);
}

void MessageCounter::add_tree(SentVolume& volume, const MessageSize& size, double outputs, double receivers,
                              double times) {
  volume.messages += size.messages * times;
  volume.packets += size.packets * receivers * times;
  volume.flits += size.flits * receivers * times;
  volume.bytes += size.bytes * receivers * times;
  volume.flit_hops += size.flits * outputs * times;
  volume.packet_hops += size.packets * outputs * times;
}

}  // namespace weft::runs
