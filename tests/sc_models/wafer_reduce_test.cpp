// SPDX-License-Identifier: Apache-2.0
// Collectives on set-up routes of a whole wafer: cycles by hand, real data over groups of any form, the laws of time,
// costs of hops and turns, routes that are refused. Each run is a process of its own.
//
// Cycles: a wavelet takes 2 per ramp, 1 (or 2) per hop, 1 to be added or stored; the last of B follows the first by
// B - 1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "config/load.h"
#include "network/grid.h"
#include "runs/results_folder.h"
#include "runs/run.h"
#include "sc_models/colour_routes.h"
#include "sc_models/supervisor.h"
#include "sc_models/system.h"
#include "sc_models/workload.h"
#include "tests/sc_models/support/run_into.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::sc_models {
namespace {

using namespace weft::runs;

using testing::HasSubstr;
using weft::test::CsvTable;

using Words = std::vector<std::string>;

/// A configuration of configs/ with one collective; `more` are further settings.
Config config_of(const std::string& name, const std::string& size, const std::string& kind,
                 const std::string& algorithm, std::uint64_t b, const Words& more = {}) {
  Words sets{"fabric.size=" + size, "workload.collective.kind=" + kind, "workload.collective.algorithm=" + algorithm,
             "workload.collective.size=" + std::to_string(4 * b) + " B"};
  sets.insert(sets.end(), more.begin(), more.end());
  return load_config(weft::test::source("configs/") + name + ".yaml", sets);
}

/// Cycles of the collective of `config`; 0 if the run did not finish.
std::uint64_t cycles_of(const Config& config) {
  const TempDir folder;
  if (!run_into(folder, config).empty()) return 0;
  const CsvTable table(folder / "collectives.csv");
  return std::stoull(table.at(0, "end_cycle")) - std::stoull(table.at(0, "start_cycle"));
}

std::string tables_of(const Config& config) {
  const TempDir folder;
  if (!run_into(folder, config).empty()) return "";
  return read_text(folder / "collectives.csv") + read_text(folder / "links.csv");
}

/// Last cycle and every link's flits and stalls of a run whose routers are visited as `knobs` say.
std::string links_of(const Config& config, const TestKnobs& knobs) {
  const TempDir folder;
  const pid_t child = fork();
  if (child == 0) {
    set_time_resolution();
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    System system("system", config, nullptr, knobs);
    const auto workload = make_npu_workload(system, nullptr);
    RunControl control;
    Supervisor supervisor(system, *workload, control);
    workload->start();
    do {
      sc_core::sc_start();
      system.fabric_clock().rethrow_failure();
    } while (supervisor.continue_at_rest());
    std::string text = std::to_string(supervisor.cycles());
    system.finish_statistics(supervisor.cycles());
    for (std::size_t i = 0; i < system.links(); ++i) {
      const LinkCounts link = system.link_counts(i);
      text += fmt::format(" {}:{}", link.flits, link.values.count(LinkQuantity::kNoCredit));
    }
    weft::test::write_text(folder / "links", text);
    _exit(supervisor.reason() == StopReason::kFinished ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? read_text(folder / "links") : "";
}

struct Figure {
  const char* algorithm;
  const char* kind;
  const char* size;
  std::uint64_t b;
  std::uint64_t cycles;
};

TEST(WaferReduceFigures, by_hand) {
  const Figure figures[] = {
      {"star", "reduce", "[4, 1]", 1, 3 + 5},  // three wavelets one after the other; the first needs 1 + 2 x 2 + 1 - 1
      {"star", "reduce", "[4, 1]", 256, 3 * 256 + 5},
      {"star", "reduce", "[16, 1]", 16, 15 * 16 + 5},
      {"chain", "reduce", "[4, 1]", 1, 3 * 6},
      {"chain", "reduce", "[4, 1]", 256, 255 + 3 * 6},
      {"chain", "reduce", "[16, 1]", 16, 15 + 15 * 6},
      {"tree", "reduce", "[4, 1]", 1, 3 + 2 * 5},
      // 3 hops, 2 rounds; the stream of the second round could start 7 cycles after that of the first: 249 waits.
      {"tree", "reduce", "[4, 1]", 256, 3 + 2 * 5 + 255 + 249},
      {"tree", "reduce", "[16, 1]", 16, 15 + 4 * 5 + 15 + (9 + 7 + 3)},
      {"two_phase", "reduce", "[4, 1]", 256, 3 + 2 * 5 + 255 + 249},  // two groups of two: the same tree
      {"auto_gen", "reduce", "[4, 1]", 1, 3 + 5},                     // a star
      {"auto_gen", "reduce", "[4, 1]", 256, 255 + 3 * 6},             // a chain
      {"multicast", "broadcast", "[4, 1]", 1, 3 + 2 * 2 + 1},
      {"multicast", "broadcast", "[4, 1]", 256, 255 + 3 + 2 * 2 + 1},
      {"multicast", "broadcast", "[4, 3]", 20, 19 + 5 + 2 * 2 + 1},
      // 2 (P - 1) steps of 64 wavelets: 5 of them between neighbours and one back over 3 links, per half.
      {"ring", "all_reduce", "[4, 1]", 256, 6 * (63 + 5) + 10},
      {"in_router", "reduce", "[4, 1]", 256, 255 + 3 * 2 + 2 * 2 + 1},  // every hop with a merge
      {"chain", "reduce", "[4, 4]", 16, 2 * (15 + 3 * 6)},              // X, then Y
      {"chain", "all_reduce", "[4, 1]", 256, (255 + 3 * 6) + (255 + 3 + 2 * 2 + 1)},
      {"snake", "reduce", "[3, 3]", 10, 9 + 8 * 6},
  };
  for (const Figure& f : figures) {
    EXPECT_EQ(cycles_of(config_of("wse-reduce", f.size, f.kind, f.algorithm, f.b)), f.cycles)
        << f.algorithm << " " << f.size << " of " << f.b;
  }
}

// Both arms of the chain arrive in the same cycle and come in by one ramp.
TEST(WaferReduceFigures, root_in_the_middle) {
  EXPECT_EQ(cycles_of(config_of("wse-reduce", "[5, 1]", "reduce", "chain", 1, {"workload.collective.root=2"})), 13U);
}

TEST(WaferReduceFigures, ramp_hop_turn_and_merge_cost_what_they_say) {
  const auto wse3 = [](const char* size, const char* kind, const char* algorithm, std::uint64_t b,
                       const Words& more = {}) {
    return cycles_of(config_of("wse3-reduce", size, kind, algorithm, b, more));
  };
  EXPECT_EQ(wse3("[4, 1]", "reduce", "chain", 256), 255U + 3 * (2 + 5));
  EXPECT_EQ(wse3("[4, 1]", "broadcast", "multicast", 256), 255U + 3 * 2 + 5);
  EXPECT_EQ(wse3("[1, 4]", "broadcast", "multicast", 256), 255U + 3 * 2 + 5);
  // Two hops and one turn.
  EXPECT_EQ(wse3("[2, 2]", "broadcast", "multicast", 10), 9U + 2 * 2 + 20 + 5);
  EXPECT_EQ(wse3("[2, 2]", "broadcast", "multicast", 10, {"fabric.router.turn_cycles=3"}), 9U + 2 * 2 + 3 + 5);
  EXPECT_EQ(wse3("[2, 2]", "broadcast", "multicast", 10, {"npu.ramp_cycles=5"}), 9U + 2 * 2 + 20 + 2 * 5 + 1);
  // No message of X-then-Y turns; cores add where the ways meet.
  EXPECT_EQ(wse3("[2, 2]", "reduce", "chain", 10), 2U * (9 + 2 + 5));
  // Merged in routers: one wavelet passes two hops, a turn and two merges.
  EXPECT_EQ(wse3("[2, 2]", "reduce", "in_router", 1), 2U * 2 + 20 + 2 + 2 * 2 + 1);
  EXPECT_EQ(wse3("[2, 2]", "reduce", "in_router", 1, {"fabric.router.merge_cycles=4"}),
            2U * 2 + 20 + 2 * 4 + 2 * 2 + 1);
}

// Two flows per wavelet in the root's column: two merges, so two cycles.
TEST(WaferReduceFigures, in_router_merges_take_turns) {
  const auto cycles = [](const char* size, std::uint64_t b) {
    return cycles_of(config_of("wse-reduce", size, "reduce", "in_router", b));
  };
  EXPECT_EQ(cycles("[64, 1]", 2048) - cycles("[64, 1]", 1024), 1024U);
  EXPECT_EQ(cycles("[8, 8]", 2048) - cycles("[8, 8]", 1024), 2048U);
}

struct Shape {
  const char* name;
  Words sets;
};

/// Where a group may lie on 5 x 4 cores.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all{
      {"all", {"workload.collective.root=0"}},
      {"row", {"workload.collective.group=[5, 6, 7, 8, 9]", "workload.collective.root=7"}},
      {"column", {"workload.collective.group=[1, 6, 11, 16]", "workload.collective.root=11"}},
      {"rectangle", {"workload.collective.group=[6, 7, 8, 11, 12, 13]", "workload.collective.root=12"}},
      {"list", {"workload.collective.group=[3, 0, 17, 9, 12]", "workload.collective.root=9"}},
      {"pair", {"workload.collective.group=[18, 2]", "workload.collective.root=18"}}};
  return all;
}

struct Task {
  const char* algorithm;
  const char* kind;
};
std::ostream& operator<<(std::ostream& out, const Task& task) { return out << task.algorithm << " " << task.kind; }

class WaferReduceTask : public testing::TestWithParam<Task> {};

// 23 elements are no multiple of any group's size.
TEST_P(WaferReduceTask, gives_the_exact_result_over_groups_of_any_form) {
  const auto [algorithm, kind] = GetParam();
  for (const Shape& shape : shapes()) {
    Words sets = shape.sets;
    sets.emplace_back("workload.collective.data=values");
    const TempDir folder;
    EXPECT_EQ(run_into(folder, config_of("wse-reduce", "[5, 4]", kind, algorithm, 23, sets)), "") << shape.name;
  }
}

TEST_P(WaferReduceTask, threads_and_form_change_no_byte) {
  const auto [algorithm, kind] = GetParam();
  const Words sets{"workload.collective.root=7", "workload.collective.data=values"};
  Config config = config_of("wse3-reduce", "[5, 4]", kind, algorithm, 40, sets);
  const std::string expected = tables_of(config);
  ASSERT_GT(expected.size(), 2000U);
  for (const int threads : {2, 3}) {
    config.threads = threads;
    EXPECT_TRUE(tables_of(config) == expected) << threads << " threads";
  }
  config.threads = 1;
  config.fabric.form = FabricForm::kModules;
  EXPECT_TRUE(tables_of(config) == expected) << "one module per router and NPU";
  config.fabric.form = FabricForm::kRegion;
  config.fabric.router.hop_cycles += 1;
  EXPECT_FALSE(tables_of(config) == expected) << "the tables show nothing of the run";
}

TEST_P(WaferReduceTask, order_of_evaluation_changes_nothing) {
  const auto [algorithm, kind] = GetParam();
  const Config config = config_of("wse3-reduce", "[5, 4]", kind, algorithm, 40, {"workload.collective.root=7"});
  const std::string expected = links_of(config, {});
  ASSERT_GT(expected.size(), 100U);
  TestKnobs knobs;
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    knobs.shuffle = seed;
    EXPECT_EQ(links_of(config, knobs), expected) << "order " << seed;
  }
  knobs = {};
  knobs.sleep = false;
  EXPECT_EQ(links_of(config, knobs), expected) << "no router sleeps";
}

INSTANTIATE_TEST_SUITE_P(All, WaferReduceTask,
                         testing::Values(Task{"star", "reduce"}, Task{"star", "all_reduce"}, Task{"chain", "reduce"},
                                         Task{"chain", "all_reduce"}, Task{"tree", "reduce"},
                                         Task{"tree", "all_reduce"}, Task{"two_phase", "reduce"},
                                         Task{"two_phase", "all_reduce"}, Task{"auto_gen", "reduce"},
                                         Task{"auto_gen", "all_reduce"}, Task{"snake", "reduce"},
                                         Task{"snake", "all_reduce"}, Task{"in_router", "reduce"},
                                         Task{"in_router", "all_reduce"}, Task{"multicast", "broadcast"},
                                         Task{"ring", "all_reduce"}),
                         [](const auto& task) { return std::string(task.param.algorithm) + "_" + task.param.kind; });

/// Two ranks put their data into one flow and `receivers` of them want the sum.
class FlowProgram final : public npu::Program {
 public:
  explicit FlowProgram(std::uint32_t receivers)
      : Program({CollectiveKind::kAllReduce, 2, 0, 1, 0, true}), receivers_(receivers) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1; }
  npu::Instruction at(std::uint32_t rank, std::uint32_t /*index*/) const override {
    npu::Instruction in;
    in.op = npu::Op::kFlow;
    in.src = {npu::Buffer::kInput, 0, 1};
    if (rank < receivers_) in.dst = in.src;
    in.hints.flow = 0;
    in.hints.colour = 0;
    return in;
  }

 private:
  std::uint32_t receivers_;
};

/// Reduces to rank 0 of a 2 x 2 in routers, each operand along a path of its own.
class PathFlow final : public npu::Program {
 public:
  explicit PathFlow(std::vector<std::vector<std::uint32_t>> paths)
      : Program({CollectiveKind::kReduce, 4, 0, 1, 0, true}), paths_(std::move(paths)) {}
  std::uint32_t length(std::uint32_t /*rank*/) const override { return 1; }
  npu::Instruction at(std::uint32_t rank, std::uint32_t /*index*/) const override {
    npu::Instruction in;
    in.op = npu::Op::kFlow;
    in.src = {npu::Buffer::kInput, 0, 1};
    if (rank == 0) in.dst = in.src;
    in.hints.flow = 0;
    in.hints.colour = 0;
    in.hints.path = paths_[rank];
    return in;
  }

 private:
  std::vector<std::vector<std::uint32_t>> paths_;
};

// Engines choose the tree that the routes were set up for, though a ramp of 20 cycles is one of the NPUs' slow clock.
TEST(WaferReduceFigures, a_slow_npu_clock_plays_the_tree_of_the_routes) {
  for (const char* size : {"[3,1]", "[8,1]", "[4,4]"}) {
    const Config config = config_of("wse-reduce", size, "reduce", "auto_gen", 16,
                                    {"npu.clock=10 MHz", "npu.ramp_cycles=20", "workload.collective.data=values"});
    EXPECT_EQ(run_into(TempDir(), config), "") << size;
  }
}

TEST(ColourRoutes, operands_may_take_any_tree) {
  FabricSpec fabric;
  fabric.size_x = 2;
  fabric.size_y = 2;
  fabric.router.colours = 1;
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}};
  // 1 north to 3, west to 2, south to 0: a chain that X-then-Y would not take.
  const ColourPlan plan = make_colour_plan(PathFlow({{}, {3, 2, 0}, {0}, {2, 0}}), nodes, fabric);
  ASSERT_EQ(plan.stops.size(), 4U);
  const auto position = [&](std::size_t node) { return plan.positions[plan.stops[node].first]; };
  const auto ports = [](std::initializer_list<PortId> list) {
    unsigned bits = 0;
    for (const PortId port : list) bits |= 1U << index(port);
    return bits;
  };
  EXPECT_EQ(position(1).inputs, ports({network::kLocal}));
  EXPECT_EQ(position(1).outputs, ports({network::kNorth}));
  EXPECT_EQ(position(3).inputs, ports({network::kLocal, network::kSouth}));
  EXPECT_EQ(position(3).outputs, ports({network::kWest}));
  EXPECT_EQ(position(2).inputs, ports({network::kLocal, network::kEast}));
  EXPECT_EQ(position(2).outputs, ports({network::kSouth}));
  EXPECT_EQ(position(0).inputs, ports({network::kLocal, network::kNorth}));
  EXPECT_EQ(position(0).outputs, ports({network::kLocal}));
  const auto refusal = [&](const std::vector<std::vector<std::uint32_t>>& paths) -> std::string {
    try {
      make_colour_plan(PathFlow(paths), nodes, fabric);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refusal({{}, {3, 2, 0}, {0}, {1, 0}}),
            "path of rank 3 in flow 0: at router [1,1] another operand of the flow goes on to another side; what meets "
            "in a router is merged and has one way on");
  EXPECT_EQ(refusal({{}, {3, 1, 0}, {0}, {2, 0}}),
            "path of rank 1 in flow 0: the path comes to router [1,0] twice, which makes a circle of the route");
  EXPECT_EQ(refusal({{}, {2, 0}, {0}, {2, 0}}),
            "path of rank 1 in flow 0: the path goes from router [1,0] to [0,1], which is not beside it");
  EXPECT_EQ(refusal({{}, {3, 2}, {0}, {2, 0}}),
            "path of rank 1 in flow 0: the path ends at rank 2, the result comes out at rank 0");
  EXPECT_EQ(refusal({{}, {3, 7, 0}, {0}, {2, 0}}),
            "path of rank 1 in flow 0: the path leaves the wafer at rank 7; the group has ranks 0 to 3");
}

TEST(ColourRoutes, flows_have_one_receiver_bad) {
  FabricSpec fabric;
  fabric.size_x = 2;
  fabric.router.colours = 1;
  const std::vector<NodeId> nodes{NodeId{0}, NodeId{1}};
  EXPECT_EQ(make_colour_plan(FlowProgram(1), nodes, fabric).stops.size(), 2U);
  const auto refusal = [&](std::uint32_t receivers) -> std::string {
    try {
      make_colour_plan(FlowProgram(receivers), nodes, fabric);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(refusal(2), "flow 0 has two receivers, ranks 0 and 1; routers merge towards one");
  EXPECT_EQ(refusal(0), "flow 0 has no receiver");
}

}  // namespace
}  // namespace weft::sc_models
