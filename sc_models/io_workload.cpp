// SPDX-License-Identifier: Apache-2.0
// Streams of I/O controllers as a workload: every controller sends one to all NPUs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "config/fabric_facts.h"
#include "network/network.h"
#include "sc_models/io_endpoint.h"
#include "sc_models/io_places.h"
#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

/// Most sentences about waiting NPUs in a report.
constexpr std::size_t kMaxSentences = 20;

IoRules rules_of(const Config& config) {
  const auto& io = std::get<IoWorkload>(config.workload);
  IoRules rules;
  rules.bytes = io.bytes;
  rules.packet_bytes = config.npu.packet_bytes;
  rules.flit_bytes = config.fabric.flit_bytes;
  rules.streams = static_cast<std::uint32_t>(io_controllers(config.fabric));
  rules.line_rate = config.fabric.border_io.rate;
  rules.values = io.data == DataMode::kValues;
  rules.window = io.window / rules.packet_bytes;
  return rules;
}

class IoRun final : public Workload {
 public:
  explicit IoRun(System& system) : system_(system), rules_(rules_of(system.npu_config())) {
    const FabricSpec& fabric = system.config().fabric;
    for (std::uint32_t node = 0; node < static_cast<std::uint32_t>(fabric.nodes()); ++node) add_node(node, true);
    if (io_controllers_are_nodes(fabric)) {
      join_switches();
    } else {
      join_routers();
    }
  }

  void start() override {
    for (const auto& endpoint : endpoints_) endpoint->start();
  }

  bool done() override {
    if (rules_.window > 0) pass_on_taken();
    if (steady_.empty() && some_stream_is_whole()) note_steady();
    while (first_waiting_ < endpoints_.size() && endpoints_[first_waiting_]->finished()) ++first_waiting_;
    return first_waiting_ == endpoints_.size();
  }

  Cycle done_cycle(Cycle) const override {
    Cycle last = 0;
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      last = std::max(last, slowest(stream).arrival(stream).last);
    }
    return system_.fabric_clock().clock().first_edge_from(system_.npu_clock().clock().edge_fs(last));
  }

  double share(Cycle) const override {
    double sum = 0;
    for (const auto& endpoint : endpoints_) sum += static_cast<double>(endpoint->bytes_received());
    return sum / (static_cast<double>(rules_.bytes) * rules_.streams * system_.config().fabric.nodes());
  }

  std::string waiting_report() const override {
    std::string text;
    std::size_t sentences = 0;
    for (const auto& endpoint : endpoints_) {
      for (std::uint32_t stream = 0; stream < rules_.streams && endpoint->receives(); ++stream) {
        const std::uint64_t bytes = endpoint->arrival(stream).bytes;
        if (bytes == rules_.bytes || ++sentences > kMaxSentences) continue;
        text += fmt::format("{} waits for {} of the {} bytes of stream {} from {}\n",
                            network::npu_name(index(endpoint->node())), rules_.bytes - bytes, rules_.bytes, stream,
                            places_[stream]);
      }
    }
    return text;
  }

  void collect(Cycle now, RunResult* result) override {
    add_messages(system_, result);
    const Cycle npu_now = system_.npu_clock().clock().first_edge_from(system_.fabric_clock().clock().edge_fs(now));
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      const IoArrival& arrival = slowest(stream).arrival(stream);
      const bool finished = arrival.bytes == rules_.bytes;
      IoStreamRecord record{stream, places_[stream], rules_.bytes, finished ? arrival.last : npu_now, finished, 0, 0};
      if (!steady_.empty()) {
        record.steady_bytes = steady_[stream].bytes;
        record.steady_cycles = steady_[stream].cycles;
      }
      result->io_streams.push_back(std::move(record));
    }
  }

 private:
  IoEndpoint& add_node(std::uint32_t node, bool receives) {
    endpoints_.push_back(std::make_unique<IoEndpoint>(rules_, system_.interface(NodeId{node}), receives));
    return *endpoints_.back();
  }

  struct Steady {
    std::uint64_t bytes = 0;
    Cycle cycles = 0;
  };

  /// What every NPU has taken by the end of this cycle is told to the controllers, some cycles later.
  void pass_on_taken() {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& endpoint : endpoints_) {
      if (endpoint->receives()) least = std::min(least, endpoint->taken());
    }
    if (least == taken_) return;
    taken_ = least;
    ClockDomain& clock = system_.npu_clock();
    const Cycle latency = std::get<IoWorkload>(system_.config().workload).window_latency;
    for (const auto& endpoint : endpoints_) endpoint->taken_everywhere(taken_, clock.now(), latency);
    clock.wake_all();
  }

  bool some_stream_is_whole() const {
    const auto has_one = [](const auto& endpoint) { return !endpoint->receives() || endpoint->has_a_whole_stream(); };
    if (!std::all_of(endpoints_.begin(), endpoints_.end(), has_one)) return false;
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      if (slowest(stream).arrival(stream).bytes == rules_.bytes) return true;
    }
    return false;
  }

  /// How far all streams have come when the first one is complete everywhere, as it is now.
  void note_steady() {
    Cycle now = 0;
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      const IoArrival& least = slowest(stream).arrival(stream);
      if (least.bytes == rules_.bytes) now = std::max(now, least.last);
    }
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      const IoArrival& least = slowest(stream).arrival(stream);
      steady_.push_back({least.bytes - least.first_bytes, least.bytes == 0 ? now : now - least.first});
    }
  }

  /// Controllers share the network interfaces of border NPUs, and routers copy.
  void join_routers() {
    for (const IoPlace& place : border_io_places(system_.config().fabric)) {
      IoStream stream;
      stream.number = static_cast<std::uint32_t>(places_.size());
      stream.by_packets = true;
      stream.message.multicast = true;
      stream.message.message_class = npu::MessageClass(place.message_class);
      places_.push_back(fmt::format("{} {}", network::npu_name(index(place.node)), name_of(place.side)));
      endpoints_[index(place.node)]->add_stream(std::move(stream));
    }
  }

  /// Controllers are nodes of their own, and switches copy if they can. Each stream is a flow for itself: all have the
  /// same outputs, and take turns at them.
  void join_switches() {
    const auto npus = static_cast<std::uint32_t>(system_.config().fabric.nodes());
    for (std::uint32_t number = 0; number < rules_.streams; ++number) {
      const FabricFlow flow = stream_flow(system_.config().fabric, number);
      IoStream stream;
      stream.number = number;
      stream.message.message_class = npu::class_of(Circuit::kPp);
      if (system_.fabric().flows() != nullptr)
        stream.message.switch_flow = system_.fabric().flows()->number_of({flow}, 0);
      stream.message.flow = stream.message.switch_flow != kNoFlow;
      if (!stream.message.flow) stream.receivers = flow.outputs;
      places_.push_back(network::io_name(number));
      add_node(npus + number, false).add_stream(std::move(stream));
    }
  }

  /// The NPU that has least of a stream; of those that have as much, the one that got it last.
  const IoEndpoint& slowest(std::uint32_t stream) const {
    const IoEndpoint* slowest = endpoints_.front().get();
    const auto key = [stream](const IoEndpoint& endpoint) {
      const IoArrival& arrival = endpoint.arrival(stream);
      return std::pair(~arrival.bytes, arrival.last);
    };
    for (const auto& endpoint : endpoints_) {
      if (endpoint->receives() && key(*slowest) < key(*endpoint)) slowest = endpoint.get();
    }
    return *slowest;
  }

  System& system_;
  IoRules rules_;
  std::vector<std::unique_ptr<IoEndpoint>> endpoints_;  ///< NPUs, then controllers that are nodes
  std::vector<std::string> places_;                     ///< by stream
  std::vector<Steady> steady_;                          ///< by stream; empty while all run
  std::uint64_t taken_ = 0;                             ///< packets of every stream that all NPUs have taken
  std::size_t first_waiting_ = 0;                       ///< all endpoints before it have everything
};

}  // namespace

std::unique_ptr<Workload> make_io_workload(System& system) { return std::make_unique<IoRun>(system); }

}  // namespace weft::sc_models
