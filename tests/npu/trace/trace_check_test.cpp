// SPDX-License-Identifier: Apache-2.0
// `weft trace check`: every class of problem, and that sound traces have none.
#include "npu/trace/trace_check.h"

#include <gmock/gmock.h>

#include "npu/trace/chakra_writer.h"
#include "tests/npu/trace/trace_test_util.h"
#include "tests/npu/trace/wire_builder.h"

namespace weft::npu {
namespace {

using testing::HasSubstr;

TraceNode collective(std::uint64_t id, CollectiveKind kind, std::uint64_t bytes, const std::string& group = "") {
  TraceNode node;
  node.id = id;
  node.name = "c";
  node.type = TraceNodeType::kCollective;
  node.collective = kind;
  node.comm_bytes = bytes;
  node.group = group;
  return node;
}

TraceNode message(std::uint64_t id, TraceNodeType type, std::uint32_t peer, std::uint64_t tag, std::uint64_t bytes) {
  TraceNode node;
  node.id = id;
  node.name = "m";
  node.type = type;
  (type == TraceNodeType::kSend ? node.dst : node.src) = RankId{peer};
  node.tag = tag;
  node.comm_bytes = bytes;
  return node;
}
TraceNode send(std::uint64_t id, std::uint32_t to, std::uint64_t tag, std::uint64_t bytes) {
  return message(id, TraceNodeType::kSend, to, tag, bytes);
}
TraceNode recv(std::uint64_t id, std::uint32_t from, std::uint64_t tag, std::uint64_t bytes) {
  return message(id, TraceNodeType::kRecv, from, tag, bytes);
}

TraceNode memory(std::uint64_t id, TraceNodeType type, std::uint64_t bytes, const std::string& group) {
  TraceNode node;
  node.id = id;
  node.name = "w";
  node.type = type;
  node.tensor_bytes = bytes;
  node.group = group;
  return node;
}
TraceNode load(std::uint64_t id, std::uint64_t bytes, const std::string& group) {
  return memory(id, TraceNodeType::kMemLoad, bytes, group);
}
TraceNode store(std::uint64_t id, std::uint64_t bytes, const std::string& group) {
  return memory(id, TraceNodeType::kMemStore, bytes, group);
}

struct Checked {
  std::size_t problems;
  std::string text;
};

Checked check(const std::vector<std::vector<TraceNode>>& ranks, const std::string& groups = "") {
  const TraceFolder folder;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ChakraWriter writer(folder.file("t." + std::to_string(rank) + ".et"));
    for (const TraceNode& node : ranks[rank]) writer.write(node);
    writer.close();
  }
  std::ostringstream out;
  const std::size_t problems = trace_check(folder.file("t"), groups.empty() ? "" : folder.write("g.json", groups), out);
  return {problems, out.str()};
}

void expect_problem(const Checked& checked, const std::string& text) {
  EXPECT_EQ(checked.problems, 1u) << checked.text;
  EXPECT_THAT(checked.text, HasSubstr(text));
  EXPECT_THAT(checked.text, HasSubstr("1 problem\n"));
}

constexpr auto kAllReduce = CollectiveKind::kAllReduce;
constexpr auto kAllGather = CollectiveKind::kAllGather;

TEST(TraceCheck, a_sound_trace_has_no_problems) {
  const Checked checked = check({{collective(1, kAllReduce, 64), collective(2, kAllGather, 8, "1"), send(3, 2, 7, 100)},
                                 {collective(9, kAllGather, 8, "1"), collective(8, kAllReduce, 64, "0")},
                                 {recv(1, 0, 7, 100), collective(2, kAllReduce, 64)}},
                                R"({"1": [0, 1]})");
  EXPECT_EQ(checked.problems, 0u);
  EXPECT_EQ(checked.text, "sound: 3 ranks, 7 nodes, 5 collectives in 2 groups, 1 messages\n");
}

TEST(TraceCheck, order_of_issue_follows_the_dependencies_not_the_file) {
  TraceNode late = collective(1, kAllReduce, 64);
  late.deps = {2};
  EXPECT_EQ(check({{late, collective(2, kAllGather, 8)}, {collective(1, kAllGather, 8), collective(2, kAllReduce, 64)}})
                .problems,
            0u);
}

TEST(TraceCheck, finds_collectives_that_differ_bad) {
  expect_problem(check({{collective(1, kAllReduce, 64)}, {collective(5, kAllGather, 64)}}),
                 "collective: all ranks: number 0 is ALL_REDUCE of 64 bytes (node 1) on rank 0 but ALL_GATHER of 64 "
                 "bytes (node 5) on rank 1");
  expect_problem(check({{collective(1, kAllReduce, 64)}, {collective(5, kAllReduce, 65)}}), "of 65 bytes (node 5)");
}

TEST(TraceCheck, finds_collectives_in_another_order_bad) {
  expect_problem(check({{collective(1, kAllReduce, 64), collective(2, kAllReduce, 32)},
                        {collective(1, kAllReduce, 32), collective(2, kAllReduce, 64)}}),
                 "ranks 0 and 1 issue the same collectives in another order, from number 0 on");
}

TEST(TraceCheck, finds_missing_collectives_bad) {
  expect_problem(
      check({{collective(1, kAllReduce, 64), collective(2, kAllReduce, 64)}, {collective(1, kAllReduce, 64)}}),
      "rank 0 issues 2 collectives, rank 1 issues 1");
  expect_problem(check({{}, {collective(1, kAllReduce, 64, "4")}}, R"({"4": [0, 1]})"),
                 "group \"4\": rank 1 issues 1 collectives, rank 0 issues 0");
}

TEST(TraceCheck, finds_sends_without_receive_and_the_reverse_bad) {
  expect_problem(check({{send(3, 1, 7, 100)}, {}}),
                 "1 send of 100 bytes, tag 7, from rank 0 to rank 1 (last: node 3 of rank 0) has no receive");
  expect_problem(check({{}, {recv(4, 0, 7, 100), recv(5, 0, 7, 100)}}),
                 "2 receives of 100 bytes, tag 7, from rank 0 to rank 1 (last: node 5 of rank 1) have no send");
  const Checked sizes = check({{send(3, 1, 7, 100)}, {recv(4, 0, 7, 200)}});
  EXPECT_EQ(sizes.problems, 2u);
  EXPECT_THAT(sizes.text, HasSubstr("the receive that is left over is of 200 bytes"));
  EXPECT_EQ(check({{send(3, 1, 7, 100)}, {recv(4, 0, 8, 100)}}).problems, 2u);
}

TEST(TraceCheck, finds_messages_without_or_with_wrong_peer_bad) {
  TraceNode lonely = send(3, 0, 0, 8);
  lonely.dst.reset();
  expect_problem(check({{lonely}}), "rank 0, node 3 (\"m\"): has no comm_dst");
  expect_problem(check({{recv(3, 5, 0, 8)}}), "comm_src is 5, the trace has ranks 0 to 0");
  TraceNode stranger = send(3, 1, 0, 8);
  stranger.src = RankId{1};
  expect_problem(check({{stranger}, {recv(1, 0, 0, 8)}}), "comm_src is 1, not the rank itself");
}

TEST(TraceCheck, finds_unknown_groups_and_members_bad) {
  expect_problem(check({{collective(1, kAllReduce, 64, "12")}}, R"({"1": [0], "13": [0]})"),
                 "group \"12\" is not defined; 2 groups are known, the nearest name is \"1\" (rank 0 uses it first in "
                 "node 1)");
  expect_problem(check({{}}, R"({"1": [0, 3]})"), "group \"1\" names rank 3, the trace has ranks 0 to 0");
  TraceNode grouped = send(1, 0, 0, 8);
  grouped.group = "9";
  expect_problem(check({{grouped, recv(2, 0, 0, 8)}}), "group \"9\" is not defined; no groups are known (rank 0 sends");
}

TEST(TraceCheck, finds_ranks_that_do_not_belong_to_their_group_bad) {
  expect_problem(check({{collective(1, kAllReduce, 64, "1")}, {collective(2, kAllReduce, 64, "1")}}, R"({"1": [0]})"),
                 "rank 1 issues 1 collectives in group \"1\" without being a member, first in node 2");
}

// Loads, stores and collectives are three sequences: how they lie between each other may differ.
TEST(TraceCheck, loads_and_stores_of_groups_are_compared) {
  const Checked sound = check({{load(1, 64, "1"), store(2, 32, "1"), load(3, 8, ""), load(4, 16, "0")},
                               {store(1, 32, "1"), load(2, 64, "1"), load(3, 16, "0")}},
                              R"({"1": [0, 1]})");
  EXPECT_EQ(sound.text,
            "sound: 2 ranks, 7 nodes, 0 collectives in 0 groups, 0 messages, 6 loads and stores in groups\n");
}

TEST(TraceCheck, finds_loads_and_stores_that_differ_bad) {
  const std::string both = R"({"1": [0, 1]})";
  expect_problem(check({{load(1, 64, "1")}, {load(5, 65, "1")}}, both),
                 "memory: group \"1\": number 0 is MEM_LOAD of 64 bytes (node 1) on rank 0 but MEM_LOAD of 65 bytes "
                 "(node 5) on rank 1");
  expect_problem(check({{load(1, 64, "1"), load(2, 64, "1")}, {load(5, 64, "1")}}, both),
                 "memory: group \"1\": rank 0 issues 2 loads, rank 1 issues 1");
  expect_problem(check({{}, {store(5, 64, "1")}}, both),
                 "memory: group \"1\": rank 1 issues 1 stores, rank 0 issues 0");
  expect_problem(check({{store(1, 8, "1"), store(2, 9, "1")}, {store(1, 9, "1"), store(2, 8, "1")}}, both),
                 "memory: group \"1\": ranks 0 and 1 issue the same stores in another order, from number 0 on");
  EXPECT_EQ(check({{load(1, 64, "1")}, {store(1, 64, "1")}}, both).problems, 2u);
}

TEST(TraceCheck, finds_loads_in_groups_of_others_and_without_size_bad) {
  expect_problem(check({{load(1, 64, "1")}, {load(2, 64, "1")}}, R"({"1": [0]})"),
                 "group: rank 1 issues 1 loads in group \"1\" without being a member, first in node 2");
  expect_problem(check({{store(1, 64, "12")}}, R"({"1": [0]})"), "group \"12\" is not defined; 1 groups are known");
  TraceNode unknown = load(3, 0, "1");
  unknown.tensor_bytes.reset();
  expect_problem(check({{unknown}}, R"({"1": [0]})"),
                 "memory: rank 0, node 3 (\"w\"): names group \"1\" but has no tensor_size");
}

TEST(TraceCheck, finds_cycles_duplicates_and_damage_bad) {
  TraceNode first = collective(1, kAllReduce, 64);
  first.deps = {1};
  const Checked cycle = check({{first}, {collective(1, kAllReduce, 64)}});
  expect_problem(cycle, "dependencies form a cycle: 1 -> 1");
  EXPECT_THAT(cycle.text, HasSubstr("collectives and messages were not compared"));
  expect_problem(check({{send(1, 0, 0, 8), recv(1, 0, 0, 8)}}), "node id 1 (\"m\") is used a second time");
}

TEST(TraceCheck, finds_control_cycles_bad) {
  const TraceFolder folder;
  using namespace wire;
  folder.write("t.0.et", metadata() + record(node(1, "a", kCompNode) + field_varint(4, 2)) +
                             record(node(2, "b", kCompNode) + field_varint(5, 1)));
  std::ostringstream out;
  EXPECT_EQ(trace_check(folder.file("t"), "", out), 1u);
  EXPECT_THAT(out.str(), HasSubstr("dependencies: rank 0: control and data dependencies form cycles; 1 control"));
}

TEST(TraceCheck, finds_groups_that_ranks_define_differently_bad) {
  const TraceFolder folder;
  using namespace wire;
  for (const char* rank : {"0", "1"}) {
    const std::string groups = std::string(R"(['[{"pg_name": "1", "ranks": [)") + rank + R"(]}]'])";
    folder.write(std::string("t.") + rank + ".et",
                 metadata() + record(node(1, "## process_group:init ##", kMetadataNode) +
                                     field_bytes(8, field_bytes(1, groups))));
  }
  std::ostringstream out;
  EXPECT_EQ(trace_check(folder.file("t"), "", out), 1u);
  EXPECT_THAT(out.str(), HasSubstr("t.1.et: group \"1\" is defined a second time with other ranks"));
}

TEST(TraceCheck, absent_ids_are_noted_but_legal) {
  TraceNode node = collective(1, kAllReduce, 64);
  node.deps = {77};
  const Checked checked = check({{node}});
  EXPECT_EQ(checked.problems, 0u);
  EXPECT_THAT(checked.text, HasSubstr("note: rank 0: 1 dependencies on nodes that are not in the file"));
}

TEST(TraceCheck, prints_twenty_problems_of_a_class_and_counts_the_rest_bad) {
  std::vector<TraceNode> sends;
  for (std::uint64_t i = 0; i < 25; ++i) sends.push_back(send(i, 0, i, 8));
  const Checked checked = check({sends});
  EXPECT_EQ(checked.problems, 25u);
  EXPECT_THAT(checked.text, HasSubstr("message: ... and 5 more\n25 problems\n"));
}

TEST(TraceCheck, samples_made_to_run_are_sound) {
  SKIP_WITHOUT_TRACES();
  const std::string root = sample_traces() + "/";
  const std::pair<std::string, std::string> samples[] = {
      {"astrasim_custom_ring_allreduce_8/custom_allreduce", ""},
      {"astrasim_micro_1MB/all_reduce/16npus_1MB/all_reduce", ""},
      {"stg_gpt_dp2tp2pp2_8/gpt_dp2tp2pp2", "stg_gpt_dp2tp2pp2_8/comm_group.json"},
      {"stg_gpt_fsdp8/gpt_fsdp8", "stg_gpt_fsdp8/comm_group.json"},
      {"text_resnet50_dp8/resnet50_dp8", ""},
  };
  for (const auto& [prefix, groups] : samples) {
    std::ostringstream out;
    EXPECT_EQ(trace_check(root + prefix, groups.empty() ? "" : root + groups, out), 0u) << prefix << "\n" << out.str();
  }
  // Its sends and receives name no peer.
  std::ostringstream out;
  EXPECT_EQ(trace_check(root + "chakra_generator_4/one_comm_send_node", "", out), 4u);
}

}  // namespace
}  // namespace weft::npu
