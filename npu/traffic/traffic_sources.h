// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic: sources and sinks at the local ports of a region, with warm-up, measure and drain phases.
#pragma once

#include <cstdint>
#include <vector>

#include "base/activity_probe.h"
#include "base/histogram.h"
#include "base/timing_wheel.h"
#include "network/link_numbers.h"
#include "npu/interface/injection_port.h"
#include "npu/interface/link_waits.h"
#include "npu/interface/local_block.h"
#include "npu/traffic/pattern.h"

namespace weft::npu {

/// What the sources and sinks of one region have seen. Latencies are of packets created in the measured phase.
struct TrafficStatistics {
  LatencyHistogram latency;
  LatencyHistogram network_latency;
  std::uint64_t hops = 0;              ///< routers visited by measured packets
  std::uint64_t packets_received = 0;  ///< in the whole run
  std::uint64_t flits_received = 0;
  std::uint64_t measured_created = 0;         ///< packets created in the measured phase
  std::uint64_t measured_flits_received = 0;  ///< flits ejected in the measured phase
  std::uint64_t half_count[2] = {0, 0};       ///< packets created in the two halves of the measured phase
  std::uint64_t half_latency[2] = {0, 0};     ///< sums of their latencies
};

/// Sources and sinks of the nodes of one region. Each source makes one Bernoulli trial per cycle with probability
/// rate / packet_flits (drawn as geometric gaps, so that a silent cycle costs nothing), queues without bound and sends
/// its packets in order, at most one at a time. Sinks take every flit in the cycle in which it arrives.
class TrafficSources final : public LocalBlock {
 public:
  /// `nodes`: global numbers of the region's nodes, in the region's order. `pattern` must outlive the object.
  TrafficSources(const Config& config, std::vector<NodeId> nodes, const TrafficPattern& pattern);

  void connect(FabricSide* fabric, PacketPool* pool, FabricProbe* probe) override;
  /// Who is told of every packet, as of a message that consists of it; null = nobody.
  void set_message_probe(MessageProbe* probe) { message_probe_ = probe; }
  void step(Cycle now) override;
  /// First cycle after `now` with work; kNever = none.
  Cycle next_work(Cycle now) const override;
  /// Sources that may still create packets of the measured phase.
  std::uint64_t sources_measuring() const { return sources_measuring_; }
  /// Packets of the measured phase created here minus those received here; the sum over all regions is the number on
  /// the way.
  std::int64_t measured_missing() const { return measured_missing_; }
  /// Counts what sources that lag behind had still to create in the measured phase before cycle `end`. Call once, at
  /// the end.
  void finish_statistics(Cycle end);

  const TrafficStatistics& statistics() const { return statistics_; }
  NodeValues node_values(std::uint32_t node) const override;
  const InjectionLinks& ports() const override { return ports_; }
  LinkValues link_values(std::uint32_t node) const override { return waits_.values(node); }
  void finish_stalls(Cycle end) override { waits_.finish(end); }
  void keep(Checkpoint& checkpoint) override;
  /// Nothing is on its way into or out of the fabric here.
  bool idle() const override { return active_.empty() && arriving_.empty(); }

  void eject(std::uint32_t node, VcId vc, Flit flit, Cycle at) override;
  void credit(std::uint32_t node, VcId vc, Cycle at) override;

 private:
  struct alignas(64) Source {
    std::uint64_t random_counter = 0;  ///< numbers drawn so far
    Cycle next_created = 0;            ///< when the next packet is created
    PacketIndex packet = 0;            ///< packet on its way into the fabric
    std::uint32_t sequence = 0;
    std::uint32_t flits_left = 0;  ///< flits that are left of that packet; 0 = none
    std::int8_t vc = -1;           ///< its VC; -1 = none yet
    bool active = false;           ///< is on the list of sources to step
    bool measuring = true;         ///< may still create packets of the measured phase
    std::uint64_t packets_received = 0;
    std::uint64_t flits_received = 0;
  };

  void receive(const Arrival& arrival, Cycle now);
  StallReason why_nothing_goes(std::uint32_t node) const;
  void note_created(Packet& packet);
  void note_sent(std::uint32_t node, Flit flit, Cycle now);
  void finish_packet(std::uint32_t node, PacketIndex packet, Cycle now);
  void activate(std::uint32_t node);
  bool send(std::uint32_t node, Cycle now);
  bool create(std::uint32_t node, Cycle now);
  /// The random stream of `node`; `Source::random_counter` has to be set from it again.
  RandomStream stream(std::uint32_t node) const {
    return RandomStream(seed_, nodes_[node], sources_[node].random_counter);
  }
  void draw_gap(std::uint32_t node, RandomStream& random);
  void draw_done(Source& source);
  void wake_creators(Cycle now);
  void sleep_until_created(std::uint32_t node);
  bool in_measured_phase(Cycle cycle) const { return cycle >= measure_from_ && cycle < measure_to_; }

  network::InjectionNumbers links_;
  std::vector<NodeId> nodes_;
  const TrafficPattern& pattern_;
  std::uint64_t seed_;
  std::uint32_t packet_flits_;
  std::uint64_t packet_bytes_;
  bool statistics_on_;
  double probability_;  ///< probability of a packet per node and cycle
  Cycle measure_from_;
  Cycle measure_to_;
  FabricSide* fabric_ = nullptr;
  PacketPool* pool_ = nullptr;
  FabricProbe* probe_ = nullptr;
  MessageProbe* message_probe_ = nullptr;

  InjectionPorts ports_;
  LinkWaits waits_;
  BigVector<Source> sources_;
  std::vector<std::uint32_t> active_;
  std::vector<std::uint32_t> stepping_;
  TimingWheel<Arrival> arriving_;
  TimingWheel<Credit> credits_;
  TimingWheel<std::uint32_t> creations_;  ///< sleeping sources by the cycle of their next packet
  std::uint64_t sources_measuring_ = 0;
  std::int64_t measured_missing_ = 0;
  TrafficStatistics statistics_;
};

}  // namespace weft::npu
