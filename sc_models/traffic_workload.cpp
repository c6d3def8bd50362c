// SPDX-License-Identifier: Apache-2.0
// Synthetic traffic as a workload: phases, end, results.
#include <algorithm>

#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

/// A network that accepts less than this share of what is offered is past its saturation, also if the queues at its
/// sources could still drain in time.
constexpr double kAcceptedShare = 0.95;
/// Shortest measured phase for which the share is more than noise.
constexpr Cycle kShareCycles = 1000;

class TrafficRun final : public Workload {
 public:
  explicit TrafficRun(System& system)
      : system_(system), traffic_(std::get<TrafficWorkload>(system.config().workload)) {}

  bool done() override {
    std::uint64_t measuring = 0;
    std::int64_t missing = 0;
    for (const SystemPart& part : system_.parts()) {
      measuring += part.traffic->sources_measuring();
      missing += part.traffic->measured_missing();
    }
    return measuring == 0 && missing == 0;
  }

  double share(Cycle now) const override {
    return std::min(1.0, static_cast<double>(now) / static_cast<double>(measured_end()));
  }

  Cycle last_cycle() const override { return measured_end() + traffic_.drain_cycles; }

  void keep(Checkpoint& /*checkpoint*/) override {}

  void collect(Cycle now, RunResult* result) override {
    std::uint64_t created = 0;
    std::uint64_t accepted_flits = 0;
    for (const SystemPart& part : system_.parts()) {
      part.traffic->finish_statistics(now + 1);
      const npu::TrafficStatistics& statistics = part.traffic->statistics();
      result->latency.merge(statistics.latency);
      result->network_latency.merge(statistics.network_latency);
      result->hops += statistics.hops;
      result->packets += statistics.packets_received;
      result->flits += statistics.flits_received;
      created += statistics.measured_created;
      accepted_flits += statistics.measured_flits_received;
      result->first_half.count += statistics.half_count[0];
      result->first_half.sum += statistics.half_latency[0];
      result->second_half.count += statistics.half_count[1];
      result->second_half.sum += statistics.half_latency[1];
    }
    // A run that was cut short has measured only until then.
    const Cycle measured = std::min(now + 1, measured_end()) - std::min(now + 1, traffic_.warmup_cycles);
    if (measured == 0) return;
    const double node_cycles = static_cast<double>(measured) * static_cast<double>(system_.config().fabric.nodes());
    result->offered = static_cast<double>(created) * traffic_.packet_flits / node_cycles;
    result->accepted = static_cast<double>(accepted_flits) / node_cycles;
    const bool short_of_offered =
        traffic_.measure_cycles >= kShareCycles && *result->accepted < kAcceptedShare * *result->offered;
    result->saturated =
        result->stop == StopReason::kDrainLimit || (result->stop == StopReason::kFinished && short_of_offered);
  }

 private:
  Cycle measured_end() const { return traffic_.warmup_cycles + traffic_.measure_cycles; }

  System& system_;
  TrafficWorkload traffic_;
};

}  // namespace

std::unique_ptr<Workload> make_traffic_workload(System& system) { return std::make_unique<TrafficRun>(system); }

}  // namespace weft::sc_models
