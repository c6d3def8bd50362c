// SPDX-License-Identifier: Apache-2.0
// The log's table of accesses of memories, against times by hand and what the memories counted themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sc_models/support/ask_log.h"
#include "tests/sc_models/support/io_pool_run.h"

namespace weft::sc_models {
namespace {

using testing::ElementsAre;

Config logged(const std::string& name, const Traces& trace, Words more) {
  more.push_back("log.level=packets");
  return config_of(name, trace, std::move(more));
}

// 300 bytes are a packet of five flits: links of 10, 20 and 30 ns there and back and 100 ns of the module take the
// first one; the others follow at 16 per cycle.
TEST(AccessLog, a_load_and_a_store_of_the_pool_by_hand) {
  const Traces trace = of_one([](TraceText& text) { text.store(300, "", text.load(300, "")); });
  const TempDir folder;
  PoolText pool;
  ASSERT_EQ(run_into(folder, logged("fred-d", trace, {pool.in(folder.path())})), "");
  EXPECT_THAT(ask(folder, "SELECT command FROM access ORDER BY asked_cycle"), ElementsAre("read", "write"));
  EXPECT_THAT(ask(folder, "SELECT DISTINCT who || place FROM access"), ElementsAre("rank 0io[0]"));
  EXPECT_EQ(number(folder, "SELECT done_cycle - asked_cycle FROM access WHERE command = 'read'"), kPath + kModule + 1);
  EXPECT_EQ(number(folder, "SELECT sum(bytes) FROM access"), 600U);
}

TEST(AccessLog, has_all_that_the_pool_did_and_refused) {
  const Traces trace(20, [](TraceText& text, int) {
    text.store(60'000, "0", text.compute(1, text.load(400'000, "0")));
    text.store(5'000, "", text.load(10'000, ""));
  });
  PoolText pool;
  pool.modules = 3;
  pool.more = "access: {on_refused: continue}\ngrants: [{tensor: m*, of: 4-9, owner: 0, readers: 4-7}]\n";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, logged(name, trace, {pool.in(folder.path())})), "") << name;
    EXPECT_EQ(number(folder, "SELECT sum(bytes) FROM access WHERE refused IS NULL"),
              sum(folder, "pool.module", "bytes"))
        << name;
    const CsvTable refused(folder / "refused.csv");
    EXPECT_GT(refused.rows(), 0U) << name;
    EXPECT_EQ(number(folder, "SELECT count(*) FROM access WHERE refused IS NOT NULL"), refused.rows()) << name;
    EXPECT_THAT(ask(folder, "SELECT DISTINCT refused FROM access WHERE refused IS NOT NULL ORDER BY 1"),
                ElementsAre("not_granted", "read_only"))
        << name;
    if (name == "fred-d") {
      EXPECT_EQ(number(folder, "SELECT sum(bytes) FROM access WHERE who = 'group all'"), 460'000U);
    }
    const TempDir again;
    ASSERT_EQ(run_into(again, logged(name, trace, {pool.in(folder.path()), "threads=2"})), "") << name;
    EXPECT_TRUE(read_text(folder / "log.sqlite") == read_text(again / "log.sqlite")) << name;
  }
}

TEST(AccessLog, has_all_that_the_dram_of_npus_did) {
  const Traces trace(2, [](TraceText& text, int rank) {
    if (rank == 0) text.store(20'000, "", text.load(100'000, ""));
  });
  constexpr const char* kMesh =
      "fabric: {size: [2, 1], flit_bytes: 64 B, router: {vcs: 2, buffer_flits: 8}}\nclock: 1 GHz\n";
  const Words words{"workload.trace.chakra=" + (trace / "t").string(), "memory.timing=hbm3", "log.level=packets",
                    "npu.peak_flops=1 TFLOP/s", "npu.memory_bandwidth=1 TB/s"};
  const TempDir folder;
  ASSERT_EQ(run_into(folder, load_config_text(kMesh, "a.yaml", words)), "");
  EXPECT_EQ(number(folder, "SELECT sum(bytes) FROM access WHERE command = 'read'"), 100'000U);
  EXPECT_EQ(number(folder, "SELECT sum(bytes) FROM access WHERE command = 'write'"), 20'000U);
  EXPECT_THAT(ask(folder, "SELECT DISTINCT place || ' of ' || who FROM access"), ElementsAre("npu[0].dram of rank 0"));
  // Load and store follow each other, and each lasts from its first request to the end of its last one.
  const auto span = [&](const std::string& command, const std::string& kind) {
    EXPECT_EQ(number(folder, "SELECT min(asked_cycle) FROM access WHERE command = '" + command + "'"),
              number(folder, "SELECT start_cycle FROM activity WHERE kind = '" + kind + "'"));
    EXPECT_EQ(number(folder, "SELECT max(done_cycle) FROM access WHERE command = '" + command + "'"),
              number(folder, "SELECT end_cycle FROM activity WHERE kind = '" + kind + "'"));
  };
  span("read", "load");
  span("write", "store");
}

TEST(AccessLog, is_empty_below_packets) {
  const Traces trace = of_one([](TraceText& text) { text.load(300, ""); });
  const TempDir folder;
  PoolText pool;
  ASSERT_EQ(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path()), "log.level=steps"})), "");
  EXPECT_EQ(number(folder, "SELECT count(*) FROM access"), 0U);
}

}  // namespace
}  // namespace weft::sc_models
