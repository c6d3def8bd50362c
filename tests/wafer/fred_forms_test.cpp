// SPDX-License-Identifier: Apache-2.0
// Fabrics of FRED switches as one region and as a module per chiplet and node: the same results, flits and state in
// every cycle, in whatever order modules are stepped and whether those without work are. Each run is a process.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernel/config_load.h"
#include "kernel/random.h"
#include "tests/support/temp_dir.h"
#include "wafer/fred_wafer.h"
#include "wafer/supervisor.h"
#include "wafer/workload.h"

namespace weft::wafer {
namespace {

using weft::test::read_text;
using weft::test::TempDir;

/// Takes down the fabric's state after every cycle in which something is under way: a hash of all so far, and now and
/// then that of one cycle.
class StateLog final : public Block {
 public:
  explicit StateLog(FredWafer& wafer) : wafer_(wafer) {}
  void step(Cycle now) override {
    const std::uint64_t state = wafer_.fabric().state_hash(now);
    hash_ = mix64(hash_ ^ state);
    if (now % 64 == 0) text_ += fmt::format("state {} {:x} {:x}\n", now, state, hash_);
  }
  Cycle next_work(Cycle now) const override { return wafer_.empty() ? kNever : now + 1; }
  const std::string& text() const { return text_; }

 private:
  FredWafer& wafer_;
  std::uint64_t hash_ = 0;
  std::string text_;
};

using MakeWorkload = std::function<std::unique_ptr<Workload>(FredWafer&)>;

std::string describe(const FredWafer& wafer, const RunResult& result, Cycle cycles) {
  std::string text = fmt::format("end {} packets {} flits {} hops {} latency {} {} verified {}\n", cycles,
                                 result.packets, result.flits, result.hops, result.latency.mean(),
                                 result.latency.count(), result.verified_collectives);
  for (const RankRecord& rank : result.ranks) text += fmt::format("rank {}\n", rank.finish_cycle);
  for (const IoStreamRecord& stream : result.io_streams)
    text += fmt::format("stream {} {} {}\n", stream.end_cycle, stream.steady_bytes, stream.steady_cycles);
  for (std::size_t i = 0; i < wafer.links(); ++i) {
    const LinkRecord link = wafer.link(i, cycles);
    text += fmt::format("{} {} {} {}\n", link.name, link.from, link.to, link.flits);
  }
  for (std::size_t i = 0; i < wafer.nodes(); ++i) {
    const NodeRecord node = wafer.node(i);
    text += fmt::format("node {} {} {} {}\n", node.packets_sent, node.packets_received, node.flits_sent,
                        node.flits_received);
  }
  return text;
}

/// One run to its end.
std::string play(const Config& config, const TestKnobs& knobs, const MakeWorkload& make) {
  set_time_resolution();
  sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
  FredWafer wafer("wafer", config, nullptr, knobs);
  StateLog log(wafer);
  wafer.fabric_clock().add(log);
  const std::unique_ptr<Workload> workload = make(wafer);
  RunControl control;
  Supervisor supervisor(wafer, *workload, control);
  workload->start();
  do {
    sc_core::sc_start();
    wafer.fabric_clock().rethrow_failure();
  } while (supervisor.continue_at_rest());
  WEFT_CHECK(supervisor.reason() == StopReason::kFinished, supervisor.text());
  wafer.require_empty();
  RunResult result;
  wafer.add_to(&result);
  workload->collect(supervisor.cycles(), &result);
  std::uint64_t preemptions = 0;
  for (std::uint32_t i = 0; i < wafer.fabric().chiplets(); ++i)
    preemptions += wafer.fabric().chiplet(i).counters().preemptions;
  return describe(wafer, result, supervisor.cycles()) +
         fmt::format("uswitch hops {} preemptions {}\n", *result.uswitch_hops, preemptions) + log.text();
}

/// What came of a run, in a child; what went wrong, if something did.
std::string outcome_of(const Config& config, const TestKnobs& knobs, const MakeWorkload& make) {
  const TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    std::string text;
    try {
      text = play(config, knobs, make);
    } catch (const std::exception& error) {
      text = std::string("failed: ") + error.what();
    }
    weft::test::write_text(folder / "outcome", text);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? read_text(folder / "outcome") : "failed: no end";
}

/// The first line in which two texts differ.
std::string difference(const std::string& a, const std::string& b) {
  std::size_t at = 0;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  if (at == a.size() && at == b.size()) return "";
  const auto line = [at](const std::string& text) {
    const std::size_t from = text.rfind('\n', at == 0 ? 0 : at - 1) + 1;
    return text.substr(from, std::min<std::size_t>(text.find('\n', at) - from, 200));
  };
  return fmt::format("'{}' became '{}'", line(a), line(b));
}

/// Runs it in all forms and returns what they have in common.
std::string expect_same_in_all_forms(Config config, const MakeWorkload& make) {
  std::string expected = outcome_of(config, {}, make);
  EXPECT_NE(expected.substr(0, 6), "failed") << expected;
  EXPECT_GT(expected.size(), 1000u);
  TestKnobs awake;
  awake.sleep = false;
  EXPECT_EQ(difference(expected, outcome_of(config, awake, make)), "") << "one region, all awake";
  config.fabric.form = FabricForm::kModules;
  EXPECT_EQ(difference(expected, outcome_of(config, {}, make)), "") << "modules";
  EXPECT_EQ(difference(expected, outcome_of(config, awake, make)), "") << "modules, all awake";
  for (const std::uint64_t shuffle : {1, 2, 3}) {
    TestKnobs knobs;
    knobs.shuffle = shuffle;
    EXPECT_EQ(difference(expected, outcome_of(config, knobs, make)), "") << "modules in random order " << shuffle;
  }
  return expected;
}

std::unique_ptr<Workload> npus_of(FredWafer& wafer) { return make_npu_workload(wafer, nullptr); }

// 8 NPUs and two I/O controllers below two L1 switches, two planes; an L2 switch above them.
constexpr const char* kTwoLevels =
    "fabric: {kind: fred, flit_bytes: 64, header: 6 B, local: {latency: 3}, levels: [\n"
    "  {groups: 2, planes: 2, uplinks: 2, bandwidth: 192 GB/s, latency: 5, reconfig_cycles: 3}, {groups: 1}]}\n"
    "io: {controllers: 2, bandwidth: 48 GB/s}\n"
    "npu: {count: 8, packet_bytes: 512}\n";

Config config_of(const std::string& workload, const std::vector<std::string>& sets = {}) {
  return load_config_text(std::string(kTwoLevels) + "workload: " + workload + "\n", "two.yaml", sets);
}

TEST(FredForms, unicasts) {
  expect_same_in_all_forms(config_of("{collective: {kind: all_to_all, algorithm: direct, size: 40 kB, data: values}}"),
                           npus_of);
}

TEST(FredForms, unicasts_of_a_two_level_ring) {
  expect_same_in_all_forms(config_of("{collective: {algorithm: two_level_ring, size: 48 KiB, chunks: 4}}"), npus_of);
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
  const auto streams = [](FredWafer& wafer) { return make_io_workload(wafer); };
  expect_same_in_all_forms(config_of("{io: {size: 8 KiB, data: values}}"), streams);
}

/// Operands of flows on several circuits, and unicasts, as each node is asked to send them.
class Phases final : public Workload {
 public:
  static constexpr std::uint64_t kBytes = 2000;  ///< of a message: four packets, the last one shorter
  static constexpr int kOfDp = 8;
  static constexpr int kOfMp = 3;

  explicit Phases(FredWafer& wafer) : wafer_(wafer) {
    for (std::uint32_t node = 0; node < kNodes; ++node)
      nodes_.push_back(std::make_unique<Node>(wafer.interface(NodeId{node}), wafer));
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
  void collect(Cycle, RunResult* result) override { add_messages(wafer_, result); }

 private:
  static constexpr std::uint32_t kNodes = 8;

  class Node final : public npu::Endpoint {
   public:
    Node(npu::NetworkInterface& interface, FredWafer& wafer) : interface_(interface) {
      interface.attach(*this);
      FabricFlow all;
      for (std::uint32_t node = 0; node < kNodes; ++node) all.inputs.push_back(NodeId{node});
      all.outputs = all.inputs;
      all_ = wafer.flows()->number_of({all}, 0);
      FabricFlow low{{all.inputs.begin(), all.inputs.begin() + 4}, {}};
      FabricFlow high{{all.inputs.begin() + 4, all.inputs.end()}, {}};
      low.outputs = low.inputs;
      high.outputs = high.inputs;
      half_ = wafer.flows()->number_of({low, high}, index(interface.node()) / 4);
    }
    void start() {
      for (int i = 0; i < kOfDp; ++i) send_operand(Circuit::kDp, all_, i);
      // Node by node, so that the higher phase finds the lower one at work.
      interface_.schedule(60 + 9 * index(interface_.node()), 0);
    }
    void on_timer(std::uint64_t) override {
      for (int i = 0; i < kOfMp; ++i) send_operand(Circuit::kMp, i % 2 == 0 ? half_ : all_, i);
      npu::Message unicast;
      unicast.dst = NodeId{(index(interface_.node()) + 3) % kNodes};
      unicast.bytes = kBytes;
      unicast.message_class = npu::class_of(Circuit::kPp);
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

    void send_operand(Circuit circuit, std::uint32_t flow, int number) {
      npu::Message message;
      message.tag = static_cast<std::uint64_t>(circuit) * 16 + static_cast<std::uint64_t>(number) + 1;
      message.bytes = kBytes;
      message.message_class = npu::class_of(circuit);
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
      const bool halves = delivery.tag < 16 && delivery.tag % 2 == 1;  // of MP, the first and the third
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

  FredWafer& wafer_;
  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST(FredForms, phases_preempt_each_other_over_two_levels) {
  const auto phases = [](FredWafer& wafer) { return std::make_unique<Phases>(wafer); };
  const std::string outcome = expect_same_in_all_forms(config_of("{collective: {size: 1 KiB, data: values}}"), phases);
  EXPECT_EQ(outcome.find("preemptions 0\n"), std::string::npos) << "no phase pre-empts another";
}

// What the comparison rests on: another switch, and tables and states differ.
TEST(FredForms, the_outcome_tells_runs_apart) {
  const std::string one = outcome_of(config_of("{collective: {algorithm: in_switch, size: 4 kB}}"), {}, npus_of);
  const std::string two = outcome_of(
      config_of("{collective: {algorithm: in_switch, size: 4 kB}}", {"fabric.reduce_cycles=2"}), {}, npus_of);
  EXPECT_NE(difference(one, two), "");
  EXPECT_NE(one.substr(one.find("state")), two.substr(two.find("state")));
}

}  // namespace
}  // namespace weft::wafer
