// SPDX-License-Identifier: Apache-2.0
// The streaming feeder: order, window, forward references, absent ids, cycles, duplicates.
#include <gmock/gmock.h>
//
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "npu/trace/chakra_feeder.h"
#include "npu/trace/chakra_writer.h"
#include "tests/npu/trace/trace_test_util.h"
#include "tests/npu/trace/wire_builder.h"

namespace weft::npu {
namespace {

using Id = std::uint64_t;
using testing::ElementsAre;
using testing::HasSubstr;

struct Spec {
  Id id;
  std::vector<Id> deps;
};

std::string file_of(const std::vector<Spec>& nodes) {
  std::string bytes = wire::metadata();
  for (const Spec& spec : nodes) {
    std::string node = wire::node(spec.id, "n", wire::kCompNode);
    for (const Id dep : spec.deps) node += wire::field_varint(5, dep);
    bytes += wire::record(node);
  }
  return bytes;
}

struct Feeding {
  explicit Feeding(const std::vector<Spec>& nodes, FeederOptions options = {})
      : feeder(reader_of(file_of(nodes)), with_warnings(std::move(options))) {}

  FeederOptions with_warnings(FeederOptions options) {
    options.warn = [this](const std::string& text) { warnings.push_back(text); };
    return options;
  }
  std::vector<Id> pop_all() {
    std::vector<Id> ids;
    while (auto node = feeder.pop_ready()) ids.push_back(node->id);
    return ids;
  }

  Feeding(const Feeding&) = delete;

  std::vector<std::string> warnings;
  ChakraFeeder feeder;
};

// Plays a whole file, finishing each node at once; gives the ids in their order.
std::vector<Id> play(TraceFeeder& feeder) {
  std::vector<Id> order;
  while (auto node = feeder.pop_ready()) {
    order.push_back(node->id);
    feeder.finish(node->id);
  }
  EXPECT_TRUE(feeder.done());
  return order;
}

void play_nodes(const std::vector<Spec>& nodes, const FeederOptions& options = {}) {
  Feeding f(nodes, options);
  play(f.feeder);
}

FeederOptions window(std::size_t look_ahead) {
  FeederOptions options;
  options.look_ahead = look_ahead;
  return options;
}

TEST(ChakraFeeder, gives_a_diamond_in_file_order) {
  Feeding f({{10, {}}, {11, {10}}, {12, {10}}, {13, {11, 12}}});
  EXPECT_THAT(f.pop_all(), ElementsAre(10));
  EXPECT_FALSE(f.feeder.done());
  f.feeder.finish(10);
  EXPECT_THAT(f.pop_all(), ElementsAre(11, 12));
  f.feeder.finish(12);
  EXPECT_THAT(f.pop_all(), ElementsAre());
  f.feeder.finish(11);
  EXPECT_THAT(f.pop_all(), ElementsAre(13));
  EXPECT_FALSE(f.feeder.done());
  f.feeder.finish(13);
  EXPECT_TRUE(f.feeder.done());
}

TEST(ChakraFeeder, ready_nodes_keep_file_order_whatever_order_they_became_ready) {
  Feeding f({{1, {}}, {2, {}}, {30, {2}}, {20, {1}}});
  EXPECT_THAT(f.pop_all(), ElementsAre(1, 2));
  f.feeder.finish(1);
  f.feeder.finish(2);
  EXPECT_THAT(f.pop_all(), ElementsAre(30, 20));
}

TEST(ChakraFeeder, control_dependencies_hold_as_well) {
  ChakraFeeder feeder(reader_of(wire::metadata() + wire::record(wire::node(1, "a", wire::kCompNode)) +
                                wire::record(wire::node(2, "b", wire::kCompNode) + wire::field_varint(4, 1))));
  EXPECT_EQ(feeder.pop_ready()->id, 1u);
  EXPECT_FALSE(feeder.pop_ready());
  feeder.finish(1);
  EXPECT_EQ(feeder.pop_ready()->id, 2u);
}

TEST(ChakraFeeder, resolves_forward_references_beyond_the_window) {
  // Each node waits for the one after it: nothing is ready before the last record.
  Feeding f({{1, {2}}, {2, {3}}, {3, {4}}, {4, {}}}, window(1));
  EXPECT_THAT(play(f.feeder), ElementsAre(4, 3, 2, 1));
  EXPECT_TRUE(f.warnings.empty());
}

TEST(ChakraFeeder, an_empty_trace_is_done) {
  Feeding f(std::vector<Spec>{});
  EXPECT_TRUE(f.feeder.done());
  EXPECT_FALSE(f.feeder.pop_ready());
}

TEST(ChakraFeeder, absent_ids_count_as_finished_with_one_warning) {
  Feeding f({{1, {100, 50}}, {2, {100, 1}}});
  EXPECT_THAT(play(f.feeder), ElementsAre(1, 2));
  EXPECT_EQ(f.feeder.absent_references(), 3u);
  ASSERT_EQ(f.warnings.size(), 1u);
  EXPECT_THAT(f.warnings[0], HasSubstr("test.et: 3 dependencies name 2 ids that are not in the file, the first is 50"));
}

TEST(ChakraFeeder, strict_mode_refuses_absent_ids_bad) {
  FeederOptions strict;
  strict.strict = true;
  Feeding f({{1, {}}, {2, {100, 1}}}, strict);
  EXPECT_THAT(error_of([&] { play(f.feeder); }), HasSubstr("the first is 100 (wanted by node 2); strict mode refuses"));
}

TEST(ChakraFeeder, refuses_duplicate_ids_whether_live_or_finished_bad) {
  EXPECT_THAT(error_of([] { play_nodes({{1, {}}, {1, {}}}); }), HasSubstr("node id 1 (\"n\") is used a second time"));
  EXPECT_THAT(error_of([] {
                play_nodes({{1, {}}, {2, {}}, {3, {}}, {1, {}}}, window(1));
              }),
              HasSubstr("test.et: byte 32: node id 1"));  // 8 of metadata, three records of 8
}

TEST(ChakraFeeder, names_the_nodes_of_a_cycle_bad) {
  Feeding f({{1, {}}, {5, {7}}, {6, {5}}, {7, {6}}, {8, {7}}});
  const std::string error = error_of([&] { play(f.feeder); });
  EXPECT_THAT(error, HasSubstr("4 nodes can never start"));
  EXPECT_THAT(error, HasSubstr("5 -> 7 -> 6 -> 5"));
  EXPECT_THAT(error_of([] { play_nodes({Spec{3, {3}}}); }), HasSubstr("3 -> 3"));
}

// Node 2 waits for 3 by data, node 3 for 2 by control; node 4 hangs behind them; 5 and 6 are not concerned.
std::string control_cycle() {
  return wire::metadata() + wire::record(wire::node(1, "a", wire::kCompNode)) +
         wire::record(wire::node(2, "b", wire::kCompNode) + wire::field_varint(5, 3)) +
         wire::record(wire::node(3, "c", wire::kCompNode) + wire::field_varint(4, 2) + wire::field_varint(5, 1)) +
         wire::record(wire::node(4, "d", wire::kCompNode) + wire::field_varint(5, 2) + wire::field_varint(4, 2)) +
         wire::record(wire::node(5, "e", wire::kCompNode) + wire::field_varint(4, 6)) +
         wire::record(wire::node(6, "f", wire::kCompNode));
}

TEST(ChakraFeeder, control_edges_that_close_a_cycle_are_ignored_with_a_warning) {
  FeederOptions options;
  std::vector<std::string> warnings;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  ChakraFeeder feeder(reader_of(control_cycle()), options);
  EXPECT_THAT(play(feeder), ElementsAre(1, 6, 5, 3, 2, 4));
  EXPECT_EQ(feeder.ignored_control_edges(), 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("2 -> 3 -> 2 (each waits for the next); 1 control dependencies of 3 nodes"));
}

TEST(ChakraFeeder, strict_mode_refuses_control_cycles_bad) {
  FeederOptions strict;
  strict.strict = true;
  ChakraFeeder feeder(reader_of(control_cycle()), strict);
  EXPECT_THAT(error_of([&] { play(feeder); }), HasSubstr("3 nodes can never start"));
}

TEST(ChakraFeeder, long_cycles_are_shortened_in_the_message_bad) {
  std::vector<Spec> nodes;
  for (Id id = 0; id < 1000; ++id) nodes.push_back({id, {(id + 1) % 1000}});
  const std::string error = error_of([&] { play_nodes(nodes); });
  EXPECT_THAT(error, HasSubstr("0 -> 1 -> 2"));
  EXPECT_THAT(error, HasSubstr("-> ... 989 more -> 0"));
}

TEST(ChakraFeeder, finishing_a_node_that_does_not_run_is_a_violation_bad) {
  Feeding f({Spec{1, {}}});
  EXPECT_THROW(f.feeder.finish(1), ViolationError);
  f.feeder.pop_ready();
  f.feeder.finish(1);
  EXPECT_THROW(f.feeder.finish(1), ViolationError);
}

TEST(ChakraFeeder, look_further_reaches_independent_work_behind_a_full_window) {
  Feeding f({{1, {}}, {2, {1}}, {3, {1}}, {4, {}}}, window(2));
  EXPECT_THAT(f.pop_all(), ElementsAre(1));
  EXPECT_TRUE(f.feeder.look_further());
  EXPECT_THAT(f.pop_all(), ElementsAre(4));
  EXPECT_FALSE(f.feeder.look_further());
}

// 300 000 nodes in a chain: the file has some ten MB, the window never more than its bound.
// Six nodes that wait for nothing, through a window of two: after two of them the state is kept, three more are played,
// and then all that follow the second one come once more, twice, in the order of the file.
TEST(ChakraFeeder, goes_back_to_a_state_from_before_it_read_on) {
  Feeding feeding({{1, {}}, {2, {}}, {3, {}}, {4, {}}, {5, {}}, {6, {}}}, window(2));
  const auto next = [&](std::size_t nodes) {
    std::vector<Id> ids;
    while (ids.size() < nodes) {
      const auto node = feeding.feeder.pop_ready();
      if (!node) break;
      ids.push_back(node->id);
      feeding.feeder.finish(node->id);
    }
    return ids;
  };
  EXPECT_THAT(next(2), ElementsAre(1, 2));
  Checkpoint saved;
  feeding.feeder.remember(true);
  feeding.feeder.keep(saved);
  const std::string state = saved.take();
  for (const std::size_t further : {3u, 2u}) {
    EXPECT_EQ(next(further).size(), further);
    Checkpoint loaded(state);
    feeding.feeder.keep(loaded);
    loaded.require_end();
  }
  EXPECT_THAT(next(1), ElementsAre(3));
  feeding.feeder.remember(false);
  EXPECT_THAT(next(9), ElementsAre(4, 5, 6));
  EXPECT_TRUE(feeding.feeder.done());
}

TEST(ChakraFeeder, memory_is_bounded_by_the_window_not_by_the_file) {
  constexpr Id kNodes = 300000;
  constexpr std::size_t kWindow = 1000;
  const TraceFolder folder;
  const std::string path = folder.file("chain.0.et");
  ChakraWriter writer(path);
  for (Id id = 0; id < kNodes; ++id) {
    TraceNode node;
    node.id = id;
    node.type = TraceNodeType::kCompute;
    if (id > 0) node.deps = {id - 1};
    writer.write(node);
  }
  writer.close();
  ChakraFeeder feeder(path, window(kWindow));
  Id expected = 0;
  while (auto node = feeder.pop_ready()) {
    ASSERT_EQ(node->id, expected++);
    feeder.finish(node->id);
  }
  EXPECT_EQ(expected, kNodes);
  EXPECT_TRUE(feeder.done());
  EXPECT_EQ(feeder.peak_live_nodes(), kWindow);
}

// A random acyclic graph in random file order, played with a random window and random finishing order.
RC_GTEST_PROP(ChakraFeederLaw, every_node_comes_once_and_after_its_dependencies, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 60);
  const auto look_ahead = *rc::gen::inRange<std::size_t>(0, 20);
  const auto seed = *rc::gen::arbitrary<std::uint32_t>();
  std::mt19937 random(seed);
  std::vector<Spec> nodes;
  std::map<Id, std::vector<Id>> deps_of;
  for (std::size_t i = 0; i < count; ++i) {
    Spec spec{i * 7 + 3, {}};
    for (std::size_t k = 0; i > 0 && k < 3; ++k) {
      if (random() % 2) spec.deps.push_back((random() % i) * 7 + 3);
    }
    deps_of[spec.id] = spec.deps;
    nodes.push_back(spec);
  }
  std::shuffle(nodes.begin(), nodes.end(), random);
  Feeding f(nodes, window(look_ahead));
  std::vector<Id> running;
  std::set<Id> given;
  std::set<Id> finished;
  while (!f.feeder.done()) {
    while (auto node = f.feeder.pop_ready()) {
      RC_ASSERT(given.insert(node->id).second);
      for (const Id dep : deps_of.at(node->id)) RC_ASSERT(finished.count(dep) == 1);
      running.push_back(node->id);
    }
    RC_ASSERT(!running.empty());
    std::swap(running[random() % running.size()], running.back());
    finished.insert(running.back());
    f.feeder.finish(running.back());
    running.pop_back();
  }
  RC_ASSERT(given.size() == count);
  RC_ASSERT(f.warnings.empty());
}

// With an unbounded window the feeder gives everything that is ready: compared with a plain search over the graph.
RC_GTEST_PROP(ChakraFeederLaw, unbounded_window_gives_all_ready_nodes, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::vector<Spec> nodes;
  for (std::size_t i = 0; i < count; ++i) {
    Spec spec{i, {}};
    if (i > 0 && random() % 3) spec.deps.push_back(random() % i);
    nodes.push_back(spec);
  }
  std::shuffle(nodes.begin(), nodes.end(), random);
  Feeding f(nodes, window(0));
  std::set<Id> finished;
  std::set<Id> given;
  while (finished.size() < count) {
    std::vector<Id> expected;
    for (const Spec& spec : nodes) {
      const bool ready = std::all_of(spec.deps.begin(), spec.deps.end(), [&](Id dep) { return finished.count(dep); });
      if (ready && !given.count(spec.id)) expected.push_back(spec.id);
    }
    const std::vector<Id> popped = f.pop_all();
    RC_ASSERT(popped == expected);
    given.insert(popped.begin(), popped.end());
    for (const Id id : popped) {
      f.feeder.finish(id);
      finished.insert(id);
    }
  }
}

TEST(ChakraFeeder, plays_the_pytorch_sample_with_its_absent_ids) {
  SKIP_WITHOUT_TRACES();
  const std::string path = sample_traces() + "/pytorch_ddp_rank0/chakra.0.et.gz";
  std::vector<std::string> warnings;
  FeederOptions options;
  options.warn = [&](const std::string& text) { warnings.push_back(text); };
  ChakraFeeder feeder(path, options);
  EXPECT_EQ(play(feeder).size(), 3664u);
  // 1277 edges lead nowhere; the call tree's control edges also form cycles, the data edges none.
  EXPECT_EQ(feeder.absent_references(), 1277u);
  EXPECT_GT(feeder.ignored_control_edges(), 0u);
  EXPECT_EQ(warnings.size(), 2u);
  options.strict = true;
  EXPECT_THAT(error_of([&] {
                ChakraFeeder strict(path, options);
                play(strict);
              }),
              HasSubstr("strict mode refuses that"));
}

}  // namespace
}  // namespace weft::npu
