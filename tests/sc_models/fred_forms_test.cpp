// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches as one region, on several threads and as a module per chiplet and node: the same results,
// flits and state in every cycle, in whatever order modules are stepped and whether those without work are. Each run is
// a process.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "config/load.h"
#include "tests/sc_models/support/fred_play.h"

namespace weft::sc_models {
namespace {

using test::difference;
using test::expect_same_in_all_forms;
using test::npus_of;
using test::outcome_of;

// 8 NPUs and two I/O controllers below two L1 switches, two planes; an L2 switch above them.
constexpr const char* kTwoLevelForms =
    "fabric: {kind: fred, flit_bytes: 64, header: 6 B, local: {latency: 3}, levels: [\n"
    "  {groups: 2, planes: 2, uplinks: 2, bandwidth: 192 GB/s, latency: 5, reconfig_cycles: 3}, {groups: 1}]}\n"
    "io: {controllers: 2, bandwidth: 48 GB/s}\n"
    "npu: {count: 8, packet_bytes: 512}\n";

Config config_of(const std::string& workload, const std::vector<std::string>& sets = {}) {
  return load_config_text(std::string(kTwoLevelForms) + "workload: " + workload + "\n", "two.yaml", sets);
}

TEST(FredForms, unicasts) {
  expect_same_in_all_forms(config_of("{collective: {kind: all_to_all, algorithm: direct, size: 40 kB, data: values}}"),
                           npus_of);
}

TEST(FredForms, unicasts_of_a_two_level_ring) {
  expect_same_in_all_forms(config_of("{collective: {algorithm: two_level_ring, size: 48 KiB, chunks: 4}}"), npus_of);
}

// Buffers of one or two packets behind slow trunks: a packet waits for credits while another waits for the rest of an
// operand, and credits that come first are looked for at once.
TEST(FredForms, unicasts_that_wait_for_credits_and_for_slow_trunks) {
  const char* const text =
      "fabric: {kind: fred, flit_bytes: 64, header: 6 B, local: {latency: 2}, levels: [\n"
      "  {groups: 2, planes: 2, uplinks: 1, bandwidth: 48 GB/s, latency: 1, buffer: 896 B}, {groups: 1, buffer: 896 "
      "B}]}\n"
      "npu: {count: 12, packet_bytes: 512}\n"
      "workload: {collective: {algorithm: two_level_ring, size: 40 KiB}}\n";
  expect_same_in_all_forms(load_config_text(text, "slow.yaml"), npus_of);
}

TEST(FredForms, all_reduce_in_the_switches_of_two_levels) {
  const std::string outcome =
      expect_same_in_all_forms(config_of("{collective: {algorithm: in_switch, size: 40 kB, chunks: 3}}"), npus_of);
  EXPECT_NE(outcome.find("npu[7].out"), std::string::npos);
}

TEST(FredForms, all_reduce_with_values) {
  const std::string outcome = expect_same_in_all_forms(
      config_of("{collective: {algorithm: in_switch, size: 40 kB, data: values, dtype: fp16}}", {"fabric.stage=skid"}),
      npus_of);
  EXPECT_NE(outcome.find("verified 1\n"), std::string::npos) << outcome.substr(0, 200);
}

TEST(FredForms, series_of_flows_with_values) {
  const std::string outcome = expect_same_in_all_forms(
      config_of("{collective: {kind: reduce_scatter, algorithm: in_switch, size: 16 kB, data: values}}"), npus_of);
  EXPECT_NE(outcome.find("verified 1\n"), std::string::npos) << outcome.substr(0, 200);
}

TEST(FredForms, all_groups_of_a_phase_at_once) {
  expect_same_in_all_forms(config_of("{collective: {algorithm: in_switch, size: 20 kB, data: values, "
                                     "parallelism: [2, 2, 2], phase: dp}}"),
                           npus_of);
}

TEST(FredForms, io_streams) {
  const auto streams = [](System& system) { return make_io_workload(system); };
  expect_same_in_all_forms(config_of("{io: {size: 8 KiB, data: values}}"), streams);
}

/// Operands of flows on several traffic classes, and unicasts, as each node is asked to send them.
class Phases final : public Workload {
 public:
  static constexpr std::uint64_t kBytes = 2000;  ///< bytes per message: four packets, the last one shorter
  static constexpr int kOfDp = 8;
  static constexpr int kOfMp = 3;

  explicit Phases(System& system) : system_(system) {
    for (std::uint32_t node = 0; node < kNodes; ++node)
      nodes_.push_back(std::make_unique<Node>(system.interface(NodeId{node}), system));
  }
  void start() override {
    for (const auto& node : nodes_) node->start();
  }
  bool done() override {
    for (const auto& node : nodes_) {
      if (node->messages != kOfDp + kOfMp + 1) return false;
    }
    return true;
  }
  double share(Cycle) const override { return 0; }
  void collect(Cycle, RunResult* result) override { add_messages(system_, result); }

 private:
  static constexpr std::uint32_t kNodes = 8;

  class Node final : public npu::Endpoint {
   public:
    Node(npu::NetworkInterface& interface, System& system) : interface_(interface) {
      interface.attach(*this);
      FabricFlow all;
      for (std::uint32_t node = 0; node < kNodes; ++node) all.inputs.push_back(NodeId{node});
      all.outputs = all.inputs;
      all_ = system.fabric().flows()->number_of({all}, 0);
      FabricFlow low{{all.inputs.begin(), all.inputs.begin() + 4}, {}};
      FabricFlow high{{all.inputs.begin() + 4, all.inputs.end()}, {}};
      low.outputs = low.inputs;
      high.outputs = high.inputs;
      half_ = system.fabric().flows()->number_of({low, high}, index(interface.node()) / 4);
    }
    void start() {
      for (int i = 0; i < kOfDp; ++i) send_operand(TrafficClass::kDp, all_, i);
      // Node by node, so that the higher phase finds the lower one at work.
      interface_.schedule(60 + 9 * index(interface_.node()), 0);
    }
    void on_timer(std::uint64_t) override {
      for (int i = 0; i < kOfMp; ++i) send_operand(TrafficClass::kMp, i % 2 == 0 ? half_ : all_, i);
      npu::Message unicast;
      unicast.dst = NodeId{(index(interface_.node()) + 3) % kNodes};
      unicast.bytes = kBytes;
      unicast.message_class = npu::class_of(TrafficClass::kPp);
      unicast.payload = std::make_shared<npu::Payload>(kBytes, std::uint8_t{7});
      interface_.send(unicast);
    }
    void on_sent(npu::MessageId) override {}
    void on_data(const npu::Delivery& delivery) override {
      check(delivery);
      if (delivery.last) ++messages;
    }

    int messages = 0;

   private:
    static float operand(std::uint32_t node, std::uint64_t tag) { return static_cast<float>(node * 100 + tag); }

    void send_operand(TrafficClass traffic_class, std::uint32_t flow, int number) {
      npu::Message message;
      message.tag = static_cast<std::uint64_t>(traffic_class) * 16 + static_cast<std::uint64_t>(number) + 1;
      message.bytes = kBytes;
      message.message_class = npu::class_of(traffic_class);
      message.flow = true;
      message.switch_flow = flow;
      message.payload = std::make_shared<npu::Payload>(kBytes);
      const float value = operand(index(interface_.node()), message.tag);
      for (std::uint64_t at = 0; at < kBytes; at += 4) std::memcpy(message.payload->data() + at, &value, 4);
      interface_.send(message);
    }

    /// Small whole numbers, so that their sums are exact in any order.
    void check(const npu::Delivery& delivery) const {
      if (delivery.tag == 0) {
        for (std::uint64_t at = 0; at < delivery.bytes; ++at)
          WEFT_CHECK(delivery.data[at] == 7, "a unicast's data is wrong");
        return;
      }
      const bool halves = delivery.tag < 16 && delivery.tag % 2 == 1;  // tags of MP, the first and the third
      const std::uint32_t first = halves ? index(interface_.node()) / 4 * 4 : 0;
      float sum = 0;
      for (std::uint32_t node = first; node < first + (halves ? 4 : kNodes); ++node) sum += operand(node, delivery.tag);
      for (std::uint64_t at = 0; at < delivery.bytes; at += 4) {
        float got;
        std::memcpy(&got, delivery.data + at, 4);
        WEFT_CHECK(got == sum, fmt::format("tag {}: {} instead of {}", delivery.tag, got, sum));
      }
    }

    npu::NetworkInterface& interface_;
    std::uint32_t all_ = 0;
    std::uint32_t half_ = 0;
  };

  System& system_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST(FredForms, phases_preempt_each_other_over_two_levels) {
  const auto phases = [](System& system) { return std::make_unique<Phases>(system); };
  const std::string outcome = expect_same_in_all_forms(config_of("{collective: {size: 1 KiB, data: values}}"), phases);
  EXPECT_EQ(outcome.find("preemptions 0\n"), std::string::npos) << "no phase pre-empts another";
}

/// Each node sends its next message when one has left, as players of traces do.
class OneBehindTheOther final : public Workload {
 public:
  explicit OneBehindTheOther(System& system) : system_(system) {
    for (std::uint32_t node = 0; node < kNodes; ++node)
      nodes_.push_back(std::make_unique<Node>(system.interface(NodeId{node})));
  }
  void start() override {
    for (const auto& node : nodes_) node->send();
  }
  bool done() override {
    std::uint32_t received = 0;
    for (const auto& node : nodes_) received += node->received;
    return received == kNodes * kMessages;
  }
  double share(Cycle) const override { return 0; }
  void collect(Cycle, RunResult* result) override { add_messages(system_, result); }

 private:
  static constexpr std::uint32_t kNodes = 8;
  static constexpr std::uint32_t kMessages = 24;

  class Node final : public npu::Endpoint {
   public:
    explicit Node(npu::NetworkInterface& interface) : interface_(interface) { interface.attach(*this); }
    /// One to seven packets; every third message goes to node 0, where they meet.
    void send() {
      const std::uint32_t number = index(interface_.node()) * kMessages + sent_;
      npu::Message message;
      message.dst = NodeId{sent_ % 3 == 0 ? 0 : (index(interface_.node()) + 1 + number % 7) % kNodes};
      message.tag = sent_++;
      message.bytes = 512 * (1 + number * 5 % 7) - number % 3 * 64;
      message.message_class = npu::class_of(number % 4 == 0 ? TrafficClass::kMp : TrafficClass::kPp);
      interface_.send(message);
    }
    void on_sent(npu::MessageId) override {
      if (sent_ < kMessages) send();
    }
    void on_timer(std::uint64_t) override {}
    void on_data(const npu::Delivery& delivery) override { received += delivery.last ? 1 : 0; }

    std::uint32_t received = 0;

   private:
    npu::NetworkInterface& interface_;
    std::uint32_t sent_ = 0;
  };

  System& system_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

// Buffers of one packet, so that the credits of several planes have come when a message leaves and lets another one go.
TEST(FredForms, messages_that_go_when_others_have_left) {
  const auto messages = [](System& system) { return std::make_unique<OneBehindTheOther>(system); };
  for (const int planes : {2, 4}) {
    const std::string text = fmt::format(
        "fabric: {{kind: fred, flit_bytes: 64, header: 6 B, local: {{latency: 3}}, levels: [\n"
        "  {{groups: 2, planes: {}, uplinks: 2, bandwidth: 192 GB/s, latency: 5, buffer: 576 B}}, {{groups: 1, buffer: "
        "576 B}}]}}\n"
        "npu: {{count: 8, packet_bytes: 512}}\n"
        "workload: {{collective: {{size: 1 KiB}}}}\n",
        planes);
    expect_same_in_all_forms(load_config_text(text, "one.yaml"), messages);
  }
}

// What the comparison rests on: another switch, and tables and states differ.
TEST(FredForms, the_outcome_tells_runs_apart) {
  const std::string one =
      outcome_of(config_of("{collective: {algorithm: in_switch, size: 4 kB}}"), test::flit_by_flit(), npus_of);
  const std::string two =
      outcome_of(config_of("{collective: {algorithm: in_switch, size: 4 kB}}", {"fabric.reduce_cycles=2"}),
                 test::flit_by_flit(), npus_of);
  EXPECT_NE(difference(one, two), "");
  EXPECT_NE(one.substr(one.find("state")), two.substr(two.find("state")));
}

}  // namespace
}  // namespace weft::sc_models
