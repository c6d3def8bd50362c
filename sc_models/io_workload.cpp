// SPDX-License-Identifier: Apache-2.0
// Streams of I/O controllers as a workload: every controller sends one to all NPUs.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "config/fabric_facts.h"
#include "network/names.h"
#include "sc_models/io_controllers.h"
#include "sc_models/io_stream_receiver.h"
#include "sc_models/io_stream_source.h"
#include "sc_models/workload.h"

namespace weft::sc_models {
namespace {

/// Most sentences about waiting NPUs in a report.
constexpr std::size_t kMaxSentences = 20;

IoStreamRules rules_of(const Config& config) {
  const auto& io = std::get<IoWorkload>(config.workload);
  IoStreamRules rules;
  rules.bytes = io.bytes;
  rules.packet_bytes = config.npu.packet_bytes;
  rules.streams = static_cast<std::uint32_t>(config.fabric.io.controllers);
  rules.values = io.data == DataMode::kValues;
  rules.window = io.window / rules.packet_bytes;
  return rules;
}

class IoRun final : public Workload {
 public:
  explicit IoRun(System& system) : system_(system), rules_(rules_of(system.npu_config())), controllers_(system) {
    for (std::uint32_t node = 0; node < static_cast<std::uint32_t>(system.config().fabric.nodes()); ++node) {
      receivers_.push_back(std::make_unique<IoStreamReceiver>(rules_, controllers_.npu_interface(NodeId{node})));
    }
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      sources_.push_back(std::make_unique<IoStreamSource>(rules_, stream, path_of(stream), controllers_[stream]));
    }
  }

  void start() override {
    for (const auto& source : sources_) source->start();
  }

  bool done() override {
    if (rules_.window > 0) pass_on_taken();
    if (steady_.empty() && some_stream_is_whole()) note_steady();
    while (first_waiting_ < receivers_.size() && receivers_[first_waiting_]->finished()) ++first_waiting_;
    return first_waiting_ == receivers_.size();
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
    for (const auto& receiver : receivers_) sum += static_cast<double>(receiver->bytes_received());
    return sum / (static_cast<double>(rules_.bytes) * rules_.streams * system_.config().fabric.nodes());
  }

  std::string waiting_report() const override {
    std::string text;
    std::size_t sentences = 0;
    for (const auto& receiver : receivers_) {
      for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
        const std::uint64_t bytes = receiver->arrival(stream).bytes;
        if (bytes == rules_.bytes || ++sentences > kMaxSentences) continue;
        text += fmt::format("{} waits for {} of the {} bytes of stream {} from {}\n",
                            network::npu_name(index(receiver->node())), rules_.bytes - bytes, rules_.bytes, stream,
                            site_name(stream));
      }
    }
    return text;
  }

  void keep(Checkpoint& checkpoint) override {
    checkpoint.section("streams");
    checkpoint.each(steady_, [&](Steady& steady) { checkpoint.values(steady.bytes, steady.cycles); });
    checkpoint.values(taken_, first_waiting_);
  }

  void collect(Cycle now, RunResult* result) override {
    add_messages(system_, result);
    const Cycle npu_now = system_.npu_clock().clock().first_edge_from(system_.fabric_clock().clock().edge_fs(now));
    for (std::uint32_t stream = 0; stream < rules_.streams; ++stream) {
      const IoArrival& arrival = slowest(stream).arrival(stream);
      const bool finished = arrival.bytes == rules_.bytes;
      IoStreamRecord record{stream, site_name(stream), rules_.bytes, finished ? arrival.last : npu_now, finished, 0, 0};
      if (!steady_.empty()) {
        record.steady_bytes = steady_[stream].bytes;
        record.steady_cycles = steady_[stream].cycles;
      }
      result->io_streams.push_back(std::move(record));
    }
  }

 private:
  const std::string& site_name(std::uint32_t stream) const { return controllers_[stream].site().name; }

  struct Steady {
    std::uint64_t bytes = 0;
    Cycle cycles = 0;
  };

  /// What every NPU has taken by the end of this cycle is told to the controllers, some cycles later.
  void pass_on_taken() {
    std::uint64_t least = ~std::uint64_t{0};
    for (const auto& receiver : receivers_) least = std::min(least, receiver->taken());
    if (least == taken_) return;
    taken_ = least;
    ClockDomain& clock = system_.npu_clock();
    const Cycle latency = std::get<IoWorkload>(system_.config().workload).window_latency;
    for (const auto& source : sources_) source->taken_everywhere(taken_, clock.now(), latency);
    clock.wake_all();
  }

  bool some_stream_is_whole() const {
    const auto has_one = [](const auto& receiver) { return receiver->has_a_whole_stream(); };
    if (!std::all_of(receivers_.begin(), receivers_.end(), has_one)) return false;
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

  /// At the border of a mesh lines end at routers, which copy. At switches, which copy if they can, each stream is a
  /// flow for itself: all have the same outputs, and are served round-robin there.
  IoStreamPath path_of(std::uint32_t stream) {
    const FabricSpec& fabric = system_.config().fabric;
    IoStreamPath path;
    path.message.message_class = controllers_[stream].site().data_class;
    path.by_packets = !io_controllers_are_nodes(fabric);
    path.message.multicast = path.by_packets;
    if (path.by_packets) return path;
    const FabricFlow flow = stream_flow(fabric, stream);
    if (system_.fabric().flows() != nullptr) path.message.switch_flow = system_.fabric().flows()->number_of({flow}, 0);
    path.message.flow = path.message.switch_flow != kNoFlow;
    if (!path.message.flow) path.receivers = flow.outputs;
    return path;
  }

  /// The NPU that has least of a stream; of those that have as much, the one that got it last.
  const IoStreamReceiver& slowest(std::uint32_t stream) const {
    const IoStreamReceiver* slowest = receivers_.front().get();
    const auto key = [stream](const IoStreamReceiver& receiver) {
      const IoArrival& arrival = receiver.arrival(stream);
      return std::pair(~arrival.bytes, arrival.last);
    };
    for (const auto& receiver : receivers_) {
      if (key(*slowest) < key(*receiver)) slowest = receiver.get();
    }
    return *slowest;
  }

  System& system_;
  IoStreamRules rules_;
  IoControllers controllers_;
  std::vector<std::unique_ptr<IoStreamReceiver>> receivers_;  ///< by NPU
  std::vector<std::unique_ptr<IoStreamSource>> sources_;      ///< by stream
  std::vector<Steady> steady_;                                ///< by stream; empty while all run
  std::uint64_t taken_ = 0;                                   ///< packets of every stream that all NPUs have taken
  std::size_t first_waiting_ = 0;                             ///< all receivers before it have everything
};

}  // namespace

std::unique_ptr<Workload> make_io_workload(System& system) { return std::make_unique<IoRun>(system); }

}  // namespace weft::sc_models
