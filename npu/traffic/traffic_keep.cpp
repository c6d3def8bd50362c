// SPDX-License-Identifier: Apache-2.0
// The state of synthetic traffic in a checkpoint.
#include "base/checkpoint.h"
#include "npu/traffic/traffic_sources.h"

namespace weft::npu {

void TrafficSources::keep(Checkpoint& checkpoint) {
  checkpoint.section("sources of traffic");
  ports_.keep(checkpoint);
  waits_.keep(checkpoint);
  checkpoint.all(sources_, [&](Source& source) {
    checkpoint.values(source.random_counter, source.next_created, source.packet, source.sequence, source.flits_left,
                      source.vc, source.active, source.measuring, source.packets_received, source.flits_received);
  });
  checkpoint.list(active_);
  arriving_.keep(checkpoint, [&](Arrival& arrival) { checkpoint.values(arrival.node, arrival.flit, arrival.vc); });
  credits_.keep(checkpoint, [&](Credit& credit) { checkpoint.values(credit.node, credit.vc); });
  creations_.keep(checkpoint, [&](std::uint32_t& source) { checkpoint.values(source); });
  checkpoint.values(sources_measuring_, measured_missing_);
  statistics_.latency.keep(checkpoint);
  statistics_.network_latency.keep(checkpoint);
  checkpoint.values(statistics_.hops, statistics_.packets_received, statistics_.flits_received,
                    statistics_.measured_created, statistics_.measured_flits_received, statistics_.half_count,
                    statistics_.half_latency);
}

}  // namespace weft::npu
