// SPDX-License-Identifier: Apache-2.0
// Loads and stores of traces over the I/O controllers of whole wafers: rates, copies and sums
// on the way, the laws of time. Each run is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include <fstream>
#include <nlohmann/json.hpp>

#include "config/load.h"
#include "sc_models/memory/io_messages.h"
#include "tests/sc_models/support/trace_text.h"
#include "tests/support/csv_table.h"
#include "tests/support/source.h"

namespace weft::sc_models {
namespace {

using testing::HasSubstr;
using weft::test::CsvTable;
using Words = std::vector<std::string>;

// ---- whose messages they are

TEST(IoMessages, say_whose_they_are_beside_the_tag) {
  const mem::IoTag tag{true, false, 65535, 4711, 65534, 1022};
  EXPECT_EQ(npu::owner_of(for_controller(tag)), npu::kIoOwner);
  EXPECT_EQ(npu::owner_of(for_npu(tag)), npu::kMemoryOwner);
  EXPECT_EQ(mem::pack_io_tag(io_tag_of(for_npu(tag))), mem::pack_io_tag(tag));
}

// ---- whole wafers

const Words kMesh{"fabric.router.multicast=true", "fabric.router.vcs=4", "npu.injection_vcs=any",
                  "npu.message_classes=2", "npu.message_order=round_robin"};

Config config_of(const std::string& name, const Traces& trace, Words more = {}) {
  if (name == "mesh-wafer") more.insert(more.begin(), kMesh.begin(), kMesh.end());
  more.insert(more.begin(), {"memory.tensors=io", "workload.trace.chakra=" + (trace / "t").string()});
  return load_config(weft::test::source("configs/") + name + ".yaml", more);
}

std::uint64_t sum(const TempDir& folder, const std::string& column) {
  const CsvTable table(folder / "io_controllers.csv");
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < table.rows(); ++i) all += std::stoull(table.at(i, column));
  return all;
}

double line_share(const TempDir& folder) {
  const std::string text = read_text(folder / "summary.json");
  const std::size_t memory = text.find("\"io_memory\":");
  return std::stod(text.substr(text.find("\"line_share\":", memory) + 13));
}

// 18 controllers, packets of 4096 bytes: 100,000 bytes are 24 packets and 1696 bytes more, so that 7 controllers have
// two.
TEST(IoMemory, a_load_of_a_group_comes_in_once) {
  const auto make = [](TraceText& text, int) { text.load(100'000, "0"); };
  const Traces trace(20, make);
  for (const std::string name : {"fred-d", "fred-b", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace)), "") << name;
    EXPECT_EQ(sum(folder, "bytes_in"), 100'000U) << name;
    EXPECT_EQ(sum(folder, "bytes_out"), 0U) << name;
    const CsvTable table(folder / "io_controllers.csv");
    ASSERT_EQ(table.rows(), 18U);
    EXPECT_EQ(table.at(0, "bytes_in"), "8192") << name;
    EXPECT_EQ(table.at(6, "bytes_in"), "5792") << name;  // 4096 + 1696
    EXPECT_EQ(table.at(7, "bytes_in"), "4096") << name;
  }
}

// Without copies in switches every NPU loads its part, and they gather the others': the same bytes come in.
TEST(IoMemory, without_copies_parts_are_loaded_and_gathered) {
  const auto make = [](TraceText& text, int) { text.store(100'003, "0", text.load(100'003, "0")); };
  const Traces trace(20, make);
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-c", trace)), "");
  EXPECT_EQ(sum(folder, "bytes_in"), 100'003U);
  EXPECT_EQ(sum(folder, "bytes_out"), 100'003U);
  const CsvTable collectives(folder / "collectives.csv");
  ASSERT_EQ(collectives.rows(), 2U);
  EXPECT_EQ(collectives.at(0, "kind"), "all_gather");
  EXPECT_EQ(collectives.at(1, "kind"), "reduce_scatter");
}

TEST(IoMemory, stores_of_a_group_leave_once_and_are_summed_in_switches) {
  const auto make = [](TraceText& text, int) { text.store(100'000, "0"); };
  const Traces trace(20, make);
  for (const std::string name : {"fred-d", "fred-b", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace)), "") << name;
    EXPECT_EQ(sum(folder, "bytes_out"), 100'000U) << name;
    EXPECT_EQ(CsvTable(folder / "collectives.csv").rows(), name == "mesh-wafer" ? 1U : 0U) << name;
  }
}

// A packet for each of 18 controllers: three or four on each of five planes. Confirmations, of a flit each, do not go
// round.
TEST(IoMemory, stores_of_a_group_use_all_planes) {
  const Traces trace(20, [](TraceText& text, int) { text.store(18 * 4096, "0"); });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace)), "");
  const CsvTable table(folder / "links.csv");
  std::map<std::string, std::uint64_t> flits;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const std::string link = table.at(i, "link");
    if (link.rfind("fabric.l2[", 0) != 0) continue;
    flits[link.substr(link.find("plane["), 8)] += std::stoull(table.at(i, "flits"));
  }
  ASSERT_EQ(flits.size(), 5U);
  for (const auto& [plane, sum] : flits) {  // 3 packets of 8 flits may be over
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(flits.begin()->second), 24) << plane;
  }
}

TEST(IoMemory, ranks_load_and_store_for_themselves) {
  const auto make = [](TraceText& text, int) { text.store(5'000, "", text.load(10'000, "")); };
  const Traces trace(20, make);
  for (const std::string name : {"fred-a", "fred-d", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace)), "") << name;
    EXPECT_EQ(sum(folder, "bytes_in"), 200'000U) << name;
    EXPECT_EQ(sum(folder, "bytes_out"), 100'000U) << name;
  }
}

// Two groups with weights of their own, as with two parts of a model.
TEST(IoMemory, groups_share_the_controllers) {
  const Traces trace(20, [](TraceText& text, int rank) {
    const std::string group = rank % 2 == 0 ? "1" : "2";
    text.store(50'000, group, text.compute(1 + rank % 3, text.load(50'000, group)));
  });
  std::ofstream((trace / "comm_group.json").string())
      << R"({"1": [0,2,4,6,8,10,12,14,16,18], "2": [1,3,5,7,9,11,13,15,17,19]})";
  const TempDir folder;
  ASSERT_EQ(
      run_into(folder, config_of("fred-d", trace, {"workload.trace.groups=" + (trace / "comm_group.json").string()})),
      "");
  EXPECT_EQ(sum(folder, "bytes_in"), 100'000U);
  EXPECT_EQ(sum(folder, "bytes_out"), 100'000U);
}

// Which of them leaves first would differ from member to member.
TEST(IoMemory, sums_of_stores_and_of_collectives_do_not_mix) {
  const Traces trace(20, [](TraceText& text, int) { text.store(5'000, "0", text.all_reduce(4'096)); });
  const TempDir folder;
  EXPECT_THAT(
      run_into(folder, config_of("fred-d", trace, {"workload.trace.algorithm=in_switch"})),
      HasSubstr("node 1 'm1': process group '0' has collectives and stores that are summed in switches; legal: "));
  EXPECT_EQ(run_into(folder, config_of("fred-d", trace, {"workload.trace.algorithm=ring"})), "");
}

// Members come to their stores at different times, and answers to a piece come at different times: still all members
// issue the operands in one order.
TEST(IoMemory, stores_of_unlike_members_keep_one_order) {
  const Traces trace(20, [](TraceText& text, int rank) {
    const int computed = text.compute(1 + 7 * rank % 5);
    for (int i = 0; i < 4; ++i) text.store(300'000 + 1'000 * i, "0", i == 2 ? text.compute(rank % 3 + 1) : computed);
  });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace, {"memory.piece=8 KiB", "memory.pieces=2"})), "");
  EXPECT_EQ(sum(folder, "bytes_out"), 1'206'000U);
}

// A load of one packet waits for the memory once, and a store not at all.
TEST(IoMemory, latency_of_the_memory_adds_to_a_load) {
  const Traces trace(20, [](TraceText& text, int) { text.load(4'000, "0"); });
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const TempDir fast;
    const TempDir slow;
    ASSERT_EQ(run_into(fast, config_of(name, trace)), "");
    ASSERT_EQ(run_into(slow, config_of(name, trace, {"memory.latency=1000"})), "");
    EXPECT_EQ(cycles(slow), cycles(fast) + 1000) << name;
  }
}

// Lines of 128 GB/s: FRED keeps up with all of them; on the mesh 9 meet on links of 750 GB/s, 0.651 of a line each.
TEST(IoMemory, loads_reach_line_rate_on_fred_and_are_derated_on_the_mesh) {
  const Traces trace(20, [](TraceText& text, int) {
    for (int i = 0; i < 2; ++i) text.load(24'000'000, "0");
  });
  const TempDir fred;
  ASSERT_EQ(run_into(fred, config_of("fred-d", trace)), "");
  EXPECT_GT(line_share(fred), 0.95);
  EXPECT_LE(line_share(fred), 1.0);
  const TempDir mesh;
  ASSERT_EQ(run_into(mesh, config_of("mesh-wafer", trace)), "");
  EXPECT_GT(line_share(mesh), 0.95 * 750 / 9 / 128);
  EXPECT_LE(line_share(mesh), 1.0 * 750 / 9 / 128);
}

// One rank loads while another computes for longer than that takes, so that their times do not meet: bytes of both come
// in the time of both, and no line brings more than it can.
TEST(IoMemory, a_share_of_lines_is_that_of_all_times_with_a_load) {
  const Traces trace(20, [](TraceText& text, int rank) {
    if (rank == 0) text.load(4'000'000, "");
    if (rank == 1) text.load(4'000'000, "", text.compute(100));
  });
  const TempDir folder;
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace)), "");
  const auto summary = nlohmann::json::parse(read_text(folder / "summary.json"));
  const auto of_rank = [&](int rank) { return summary["rank_memory"][rank]["load_cycles"].get<std::uint64_t>(); };
  EXPECT_GT(of_rank(0), 1'500U);
  EXPECT_EQ(summary["io_memory"]["load_cycles"], of_rank(0) + of_rank(1));
  EXPECT_GT(line_share(folder), 0.8);
  EXPECT_LE(line_share(folder), 1.0);
}

// Each of 20 NPUs loads 2 x 1024 x 4096 weights of 2 bytes, divided by 8, in both passes of 2 layers, and stores as
// many gradients once.
TEST(IoMemory, experts_come_from_the_pool) {
  const TempDir folder;
  ASSERT_EQ(run_into(folder, load_config(weft::test::source("configs/pool-moe.yaml"), {})), "");
  EXPECT_EQ(sum(folder, "bytes_in"), 20U * 4 * 2'097'152);
  EXPECT_EQ(sum(folder, "bytes_out"), 20U * 2 * 2'097'152);
}

// ---- remote memory by ASTRA-sim's formula: 100 ns and 1 GB/s, 1024 bytes take 1124 ns

std::vector<std::uint64_t> ends_of_loads(const TempDir& folder) {
  std::vector<std::uint64_t> ends;
  const std::string text = read_text(folder / "summary.json");
  for (std::size_t at = text.find("\"rank_memory\""); (at = text.find("\"load_cycles\":", at)) != std::string::npos;) {
    at += 14;
    ends.push_back(std::stoull(text.substr(at)));
  }
  return ends;
}

TEST(RemoteMemory, four_ranks_wait_for_a_pool_and_not_for_memories_of_their_own) {
  const Traces trace(4, [](TraceText& text, int) { text.load(1024, ""); });
  for (const auto& [kind, expected] :
       {std::pair<std::string, std::vector<std::uint64_t>>("PER_NPU_MEMORY_EXPANSION", {1124, 1124, 1124, 1124}),
        std::pair<std::string, std::vector<std::uint64_t>>("MEMORY_POOL", {1124, 2248, 3372, 4496})}) {
    const TempDir folder;
    const std::string file = (folder / "remote.json").string();
    std::ofstream(file) << "{\"memory-type\": \"" << kind << "\", \"remote-mem-latency\": 100, \"remote-mem-bw\": 1}";
    const Config config =
        load_config_text("fabric: {size: [2, 2]}\nclock: 1 GHz\nmemory: {tensors: remote}\n", "a.yaml",
                         {"memory.remote=" + file, "workload.trace.chakra=" + (trace / "t").string()});
    ASSERT_EQ(run_into(folder, config), "") << kind;
    EXPECT_EQ(ends_of_loads(folder), expected) << kind;
  }
}

TEST(RemoteMemory, a_store_follows_the_load_before_it) {
  const Traces trace(1, [](TraceText& text, int) { text.store(2048, "", text.load(1024, "")); });
  const TempDir folder;
  const std::string file = (folder / "remote.json").string();
  std::ofstream(file) << "{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-latency\": 100, \"remote-mem-bw\": 1}";
  const Config config = load_config_text("fabric: {size: [2, 2]}\nclock: 1 GHz\nmemory: {tensors: remote}\n", "a.yaml",
                                         {"memory.remote=" + file, "workload.trace.chakra=" + (trace / "t").string()});
  ASSERT_EQ(run_into(folder, config), "");
  EXPECT_EQ(cycles(folder), 1124U + 2148);
}

// 4 layers of 12 x 12288^2 weights of 2 bytes, divided by 100 and rounded up to whole elements: 36,238,788 bytes,
// loaded in both passes and stored once; embedding and head, 51200 x 12288 weights each, once in and once out:
// 12,582,912 bytes.
TEST(IoMemory, the_streaming_pair_moves_each_byte_once) {
  for (const std::string name : {"fred-d-streaming", "mesh-streaming"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, load_config(weft::test::source("configs/") + name + ".yaml", {})), "") << name;
    EXPECT_EQ(sum(folder, "bytes_in"), 8U * 36'238'788 + 2U * 12'582'912) << name;
    EXPECT_EQ(sum(folder, "bytes_out"), 4U * 36'238'788 + 2U * 12'582'912) << name;
  }
}

TEST(IoMemory, threads_and_form_change_nothing) {
  const Traces trace(20, [](TraceText& text, int rank) {
    text.store(60'000, "0", text.compute(1 + rank % 3, text.load(400'000, "0")));
    text.store(5'000, "", text.load(10'000, ""));
  });
  for (const auto& [name, forms] :
       {std::pair<std::string, std::vector<Words>>("mesh-wafer", {{}, {"threads=3"}, {"fabric.form=modules"}}),
        std::pair<std::string, std::vector<Words>>("fred-d",
                                                   {{}, {"threads=2"}, {"threads=3"}, {"fabric.form=modules"}})}) {
    std::string first;
    for (const Words& more : forms) {
      const TempDir folder;
      ASSERT_EQ(run_into(folder, config_of(name, trace, more)), "") << name;
      const std::string tables =
          read_text(folder / "io_controllers.csv") + read_text(folder / "links.csv") + std::to_string(cycles(folder));
      if (first.empty()) first = tables;
      EXPECT_EQ(tables, first) << name;
    }
  }
}

TEST(IoMemory, a_group_that_does_not_exist_is_named) {
  const Traces trace(20, [](TraceText& text, int) { text.load(4'000, "7"); });
  const TempDir folder;
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace)), HasSubstr("node 0 'm0': process group '7' does not exist"));
}

TEST(IoMemory, a_load_of_too_many_pieces_is_refused) {
  const Traces trace(20, [](TraceText& text, int) { text.load(std::uint64_t{1} << 40, "0"); });
  const TempDir folder;
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {"memory.piece=4 KiB"})),
              HasSubstr("legal: up to 65536 (raise memory.piece)"));
}

}  // namespace
}  // namespace weft::sc_models
