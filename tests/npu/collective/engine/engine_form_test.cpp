// SPDX-License-Identifier: Apache-2.0
// A look at the state of a collective engine sees every field of it.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/state_form.h"
#include "tests/npu/collective/engine/engine_bench.h"
#include "tests/npu/collective/engine/flow_bench.h"

namespace weft::npu {

/// Single fields of the state of an engine, to be changed.
struct EngineState {
  CollectiveEngine& engine;

  auto& jobs() { return engine.jobs_; }
  CollectiveJob& job() { return *engine.jobs_.at(0); }
  ChunkRun& run() { return *job().runs.at(0); }
  auto& chunk() { return run().chunk_; }
  auto& first_send() { return run().first_send_; }
  auto& base() { return run().base_; }
  auto& length() { return run().length_; }
  /// The first instruction that has begun and is not done.
  auto& held() {
    for (std::size_t i = 0; i < run().held_.size(); ++i) {
      auto& each = run().held_[i];
      if (!each.done && !each.posted && each.work != ChunkRun::kNoWork) return each;
    }
    ADD_FAILURE() << "nothing has begun";
    return run().held_.front();
  }
  auto& work() { return run().works_.at(held().work); }
  bool streams() { return op_streams(held().op) && ChunkRun::has_inbox(work()); }
  /// The message that an instruction which has begun waits for.
  Inbox& inbox() { return engine.inboxes_[work().inbox]; }
  /// A message that has come, and that nobody has asked for.
  Inbox& early() {
    for (Inbox& each : engine.inboxes_.inboxes_)
      if (each.in_use && each.run == nullptr) return each;
    ADD_FAILURE() << "nothing has come early";
    return engine.inboxes_.inboxes_.at(0);
  }
  /// Another message has come early whose tag is `later` further on.
  void come_early(std::uint64_t later) {
    auto& inboxes = engine.inboxes_.inboxes_;
    const Inbox& first = early();
    Inbox second;
    second.tag = first.tag + later;
    second.src = first.src;
    second.message_bytes = second.arrived = first.message_bytes;
    second.complete = second.in_use = true;
    inboxes.push_back(std::move(second));
  }
  auto& timer() { return engine.timers_.at(0); }
  auto& message() { return engine.open_messages_.at(0); }
  /// A collective whose operands go into flows waits.
  void queue_flows(const CollectiveJob& flows) {
    engine.flows_ = std::make_unique<FlowQueue>();
    engine.flows_->add(flows);
  }
  /// All chunks are as many later ones, and so are the messages that have come for them.
  void let_chunks_pass(std::uint32_t chunks) {
    for (auto& job : engine.jobs_) {
      job->next_chunk += chunks;
      for (auto& each : job->runs) each->chunk_ += chunks;
    }
    for (Inbox& each : engine.inboxes_.inboxes_) each.tag += std::uint64_t{chunks} * kMaxSteps;
  }
  void let_go_on() { run().ready_.push(run().base_); }
};

namespace {

using testing::EngineBench;
using testing::FlowJob;
using testing::IdealNetworkSpec;
using testing::request_for;

using Change = std::function<void(EngineState&)>;
using Changes = std::vector<std::pair<const char*, Change>>;
/// Gives a form the state of an engine, or a part of it.
using Look = std::function<void(CollectiveEngine&, StateForm&)>;

IdealNetworkSpec three_nodes() {
  IdealNetworkSpec spec;
  spec.nodes = 3;
  spec.packet_bytes = 100;
  return spec;
}

/// The engine in the middle of a chain that reduces 600 bytes to the last of three ranks, packet by packet, in chunks
/// of 300: some of the operand has come, some of the sum has left.
struct Chain {
  explicit Chain(Cycle until = 300) : bench(three_nodes(), "ring", npu_spec(), ring()) {
    CollectiveRequest request = request_for(CollectiveKind::kReduce, 600, 3, 2);
    request.root = 2;
    bench.start(request);
    bench.network.run(until);
  }
  static FabricSpec ring() {
    FabricSpec fabric;
    fabric.kind = FabricKind::kTorus;
    fabric.size_x = 3;
    return fabric;
  }
  static NpuSpec npu_spec() {
    NpuSpec npu;
    npu.packet_bytes = 100;
    npu.reduce_bytes_per_s = 1e9;
    return npu;
  }
  EngineBench bench;
};

/// The first packet of the sum has left.
struct LaterChain : Chain {
  LaterChain() : Chain(450) {}
};

/// Two ranks of three have begun; the engine of the last one has not, and data have come.
struct Early {
  Early() : bench(three_nodes(), "ring") {
    bench.start(request_for(CollectiveKind::kAllReduce, 600, 3), {},
                [](std::uint32_t rank) { return rank == 2 ? Cycle{5000} : Cycle{0}; });
    bench.network.run(250);
  }
  EngineBench bench;
};

/// Whether the engine `node` of a bench that is changed passes the third look after two looks at such that are not.
template <typename Bench>
bool passes_third_look(std::size_t node, const Change& change, const Look& look) {
  StateForm form;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    Bench made;
    CollectiveEngine& engine = made.bench.nodes[node]->engine;
    EngineState state{engine};
    if (pass == StateForm::Pass::kThird) change(state);
    form.begin(pass, made.bench.network.now(), 1);
    look(engine, form);
    const bool good = form.end();
    if (pass == StateForm::Pass::kThird) return good;
    EXPECT_TRUE(good) << form.refusal();
  }
  return false;
}

template <typename Bench>
void expect_all_seen(std::size_t node, const Changes& changes, const Look& look) {
  EXPECT_TRUE(passes_third_look<Bench>(
      node, [](auto&) {}, look));
  for (const auto& [field, change] : changes) EXPECT_FALSE(passes_third_look<Bench>(node, change, look)) << field;
}

const Look kWhole = [](CollectiveEngine& engine, StateForm& form) { engine.put_state(form); };

TEST(EngineState, each_field_of_a_chunk_is_looked_at) {
  {
    Chain chain;
    EngineState state{chain.bench.nodes[1]->engine};
    EXPECT_TRUE(state.streams());
  }
  expect_all_seen<Chain>(1,
                         {{"which collective it is", [](auto& s) { ++s.job().request.handle; }},
                          {"number of a chunk", [](auto& s) { ++s.chunk(); }},
                          {"chunks that have begun", [](auto& s) { ++s.job().next_chunk; }},
                          {"cycle before which nothing leaves", [](auto& s) { s.first_send() = 1000; }},
                          {"instructions that are done", [](auto& s) { ++s.base(); }},
                          {"instructions that are held", [](auto& s) { ++s.length(); }},
                          {"whether an instruction adds", [](auto& s) { s.held().adds ^= true; }},
                          {"whether its cost is paid", [](auto& s) { s.held().paid ^= true; }},
                          {"whether it only waits to leave", [](auto& s) { s.held().sent ^= true; }},
                          {"whether it is done", [](auto& s) { s.held().done = true; }},
                          {"what it does", [](auto& s) { s.held().op = Op::kSend; }},
                          {"bytes of its message", [](auto& s) { ++s.work().bytes; }},
                          {"bytes at the adder", [](auto& s) { ++s.work().taken; }},
                          {"bytes out of the adder", [](auto& s) { ++s.work().passed; }},
                          {"when the adder is free", [](auto& s) { s.work().adder_free += 1000; }},
                          {"messages that are to leave", [](auto& s) { s.work().messages.push_back(MessageId{7}); }},
                          {"how many have not left", [](auto& s) { ++s.work().unsent; }},
                          {"whether the adder has all", [](auto& s) { s.work().all_taken ^= true; }},
                          {"whether a result is to come", [](auto& s) { s.work().result_open ^= true; }},
                          {"whether it waits for a message", [](auto& s) { s.work().inbox = InboxTable::kNone; }},
                          {"bytes that have come", [](auto& s) { ++s.inbox().arrived; }},
                          {"bytes that are to come", [](auto& s) { ++s.inbox().message_bytes; }},
                          {"whether all has come", [](auto& s) { s.inbox().complete ^= true; }},
                          {"which instruction waits", [](auto& s) { s.inbox().step ^= 1U; }},
                          {"sender", [](auto& s) { s.inbox().src = NodeId{2}; }}},
                         kWhole);
}

TEST(EngineState, each_field_of_what_came_early_is_looked_at) {
  expect_all_seen<Early>(2,
                         {{"tag", [](auto& s) { ++s.early().tag; }},
                          {"bytes that have come", [](auto& s) { ++s.early().arrived; }},
                          {"bytes that are to come", [](auto& s) { ++s.early().message_bytes; }},
                          {"whether all has come", [](auto& s) { s.early().complete ^= true; }},
                          {"sender", [](auto& s) { s.early().src = NodeId{7}; }},
                          {"that it has come", [](auto& s) { s.early().in_use = false; }}},
                         kWhole);
}

TEST(EngineState, timers_and_messages_say_what_they_are_for) {
  const Look timers = [](CollectiveEngine& engine, StateForm& form) { engine.put_timer(form, 0); };
  const Changes of_timers{{"instruction", [](auto& s) { ++s.timer().step; }},
                          {"bytes", [](auto& s) { ++s.timer().bytes; }},
                          {"whether it has a chunk", [](auto& s) { s.timer().run = nullptr; }},
                          {"number of its chunk", [](auto& s) { ++s.chunk(); }}};
  expect_all_seen<Chain>(1, of_timers, timers);
  const Look messages = [](CollectiveEngine& engine, StateForm& form) { engine.put_message(form, MessageId{0}); };
  const Changes of_messages{{"instruction", [](auto& s) { ++s.message().step; }},
                            {"chunk", [](auto& s) { s.message().run = nullptr; }}};
  expect_all_seen<LaterChain>(1, of_messages, messages);
}

/// Periods that an engine can be moved on by, after three looks before each of which `change` alters it.
template <typename Bench>
std::uint64_t periods_of(std::size_t node, const std::function<void(EngineState&, unsigned)>& change) {
  Bench made;
  CollectiveEngine& engine = made.bench.nodes[node]->engine;
  EngineState state{engine};
  StateForm form;
  unsigned look = 0;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    change(state, look++);
    form.begin(pass, made.bench.network.now(), 1);
    engine.put_state(form);
    EXPECT_TRUE(form.end()) << form.refusal();
  }
  return form.periods();
}

/// Whether an engine that `change` alters before each look, by more each time, passes all three.
template <typename Bench>
bool passes_looks(std::size_t node, const std::function<void(EngineState&, unsigned)>& change) {
  StateForm form;
  unsigned look = 0;
  for (const StateForm::Pass pass : {StateForm::Pass::kFirst, StateForm::Pass::kSecond, StateForm::Pass::kThird}) {
    Bench made;
    CollectiveEngine& engine = made.bench.nodes[node]->engine;
    EngineState state{engine};
    change(state, look++);
    form.begin(pass, made.bench.network.now(), 1);
    engine.put_state(form);
    if (!form.end()) return false;
  }
  return true;
}

// Two of 20 chunks have begun; three more begin in each period. The last one is left for behind these.
TEST(EngineState, chunks_count_from_the_one_that_begins_next) {
  const auto pass = [](auto& s, unsigned look) {
    s.job().request.chunks = 20;
    s.let_chunks_pass(look == 0 ? 0 : 3);
  };
  const auto alike = [&](std::uint64_t bytes) {
    return [=](auto& s, unsigned look) {
      pass(s, look);
      if (look == 0) s.job().geometry = Geometry(s.job().program->shape(), bytes / s.job().unit, 20);
    };
  };
  EXPECT_EQ(periods_of<Chain>(1, alike(1200)), (20u - 1 - 8) / 3);
  EXPECT_EQ(periods_of<Chain>(1, alike(1204)), 0u) << "one chunk is larger than the others";
  // Without the messages that have come, or without the chunks, it is another state.
  EXPECT_TRUE(passes_looks<Chain>(1, [](auto& s, unsigned look) { s.let_chunks_pass(3 * look); }));
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned look) { s.job().next_chunk += look; }));
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned look) {
    s.let_chunks_pass(3 * look);
    s.inbox().tag -= 3 * std::uint64_t{kMaxSteps} * look;
  }));
}

// What has come and what the adder has been given may both grow, as far as they grow alike.
TEST(EngineState, how_far_the_adder_is_behind_what_has_come_is_looked_at) {
  EXPECT_TRUE(passes_looks<Chain>(1, [](auto& s, unsigned look) {
    s.inbox().arrived += 4 * look;
    s.work().taken += 4 * look;
  }));
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned look) { s.inbox().arrived += 4 * look; }));
}

// A tag may grow within its chunk; a chunk more is the tag of other data.
TEST(EngineState, the_chunk_of_what_came_early_is_looked_at) {
  EXPECT_TRUE(passes_looks<Early>(2, [](auto& s, unsigned look) { s.early().tag += look; }));
  EXPECT_FALSE(
      passes_looks<Early>(2, [](auto& s, unsigned look) { s.early().tag += std::uint64_t{kMaxSteps} * look; }));
}

TEST(EngineState, how_far_messages_that_came_early_are_apart_is_looked_at) {
  EXPECT_TRUE(passes_looks<Early>(2, [](auto& s, unsigned) { s.come_early(1); }));
  EXPECT_FALSE(passes_looks<Early>(2, [](auto& s, unsigned look) { s.come_early(1 + look); }));
}

TEST(EngineState, what_an_instruction_does_that_streams_is_looked_at) {
  EXPECT_TRUE(passes_looks<Chain>(1, [](auto&, unsigned) {}));
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned look) {
    EXPECT_EQ(s.held().op, Op::kRecvReduceSend);
    if (look == 2) s.held().op = Op::kRecvCopySend;
  }));
}

TEST(EngineState, the_order_of_flows_is_looked_at) {
  const FlowJob one(1, TrafficClass::kMp);
  const FlowJob other(2, TrafficClass::kMp);
  EXPECT_TRUE(passes_looks<Chain>(1, [&](auto& s, unsigned) { s.queue_flows(one); }));
  EXPECT_FALSE(passes_looks<Chain>(1, [&](auto& s, unsigned look) { s.queue_flows(look == 2 ? other : one); }));
}

TEST(EngineState, what_could_go_on_and_what_carries_data_is_refused) {
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned) { s.let_go_on(); }));
  EXPECT_FALSE(passes_looks<Chain>(1, [](auto& s, unsigned) { s.job().request.data = DataMode::kValues; }));
}

// Nobody asks for them by then.
TEST(EngineState, tags_that_grow_without_a_program_are_not_moved_on) {
  EXPECT_EQ(periods_of<Early>(2, [](auto&, unsigned) {}), StateForm::kNoBound);
  EXPECT_EQ(periods_of<Early>(2, [](auto& s, unsigned look) { s.early().tag += look > 0 ? 1 : 0; }), 0u);
}

/// Two collectives are under way at each of three ranks.
struct Two {
  Two() : bench(three_nodes(), "ring") {
    bench.start(request_for(CollectiveKind::kAllReduce, 600, 3));
    CollectiveRequest other = request_for(CollectiveKind::kAllReduce, 900, 3);
    other.handle = 7;
    other.signature = 1;
    bench.start(other);
    bench.network.run(30);
  }
  EngineBench bench;
};

TEST(EngineState, several_collectives_are_told_apart) {
  EXPECT_EQ(periods_of<Two>(0, [](auto&, unsigned) {}), StateForm::kNoBound);
  expect_all_seen<Two>(0,
                       {{"which collective comes first", [](auto& s) { std::swap(s.jobs().at(0), s.jobs().at(1)); }},
                        {"one of them", [](auto& s) { s.jobs().pop_back(); }},
                        {"which one the second is", [](auto& s) { ++s.jobs().at(1)->request.handle; }}},
                       kWhole);
  const Look messages = [](CollectiveEngine& engine, StateForm& form) { engine.put_message(form, MessageId{0}); };
  expect_all_seen<Two>(
      0, {{"whose message it is", [](auto& s) { s.message().run = s.jobs().at(1)->runs.at(0).get(); }}}, messages);
}

}  // namespace
}  // namespace weft::npu
