// SPDX-License-Identifier: Apache-2.0
// What a workload puts on its fabric, counted in the units that a run costs time in.
#pragma once

#include <cstdint>

namespace weft::runs {

struct SentVolume {
  double messages = 0;      ///< a message that the fabric copies or adds on its way counts once
  double packets = 0;       ///< that endpoints receive
  double flits = 0;         ///< that endpoints receive
  double bytes = 0;         ///< that endpoints receive
  double flit_hops = 0;     ///< routers or switches that flits leave, the last one included: summary.json has the same
  double unicast_hops = 0;  ///< flit-hops of packets that go to one receiver
  double packet_hops = 0;   ///< as flit_hops, for packets
  double io_packets = 0;    ///< that I/O controllers load or store; what is copied or summed counts once
  double steps = 0;         ///< instructions that collective engines carry out
  bool sampled = false;     ///< some of the senders stand for all

  void add(const SentVolume& other, double times = 1) {
    messages += other.messages * times;
    packets += other.packets * times;
    flits += other.flits * times;
    bytes += other.bytes * times;
    flit_hops += other.flit_hops * times;
    unicast_hops += other.unicast_hops * times;
    packet_hops += other.packet_hops * times;
    io_packets += other.io_packets * times;
    steps += other.steps * times;
    sampled |= other.sampled;
  }
};

}  // namespace weft::runs
