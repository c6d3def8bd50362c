// SPDX-License-Identifier: Apache-2.0
// What is wrong with pools is said before a run, and how large one has to be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/units.h"
#include "npu/player/workload_check.h"
#include "sc_models/memory/pool_need.h"
#include "tests/sc_models/support/io_pool_run.h"

namespace weft::sc_models {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(IoPoolBad, a_pool_that_is_too_small_and_a_group_that_does_not_exist) {
  const Traces trace = of_one([](TraceText& text) { text.load(200'000, ""); });
  PoolText pool;
  pool.size = "1 MiB";
  const TempDir folder;
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("size: 1048576 bytes have no page of 4096 for each of 21 ranks and process groups at 18"));
  pool.size = "2 MiB";
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("node 0 'm0': 'm0' needs 12288 bytes of the pool at each I/O controller"));
  pool.size = "1 TiB";
  pool.more = "access: {}\ngrants: [{group: x, owner: 0}]\n";
  EXPECT_THAT(run_into(folder, config_of("fred-d", trace, {pool.in(folder.path())})),
              HasSubstr("group: there is no process group 'x'"));
}

TEST(IoPoolBad, keys_that_contradict) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const TempDir folder;
  const std::string pool = PoolText().in(folder.path());
  const auto error = [&](Words more) -> std::string {
    more.push_back(pool);
    try {
      config_of("fred-d", trace, more);
    } catch (const InputError& bad) {
      return bad.what();
    }
    return "";
  };
  EXPECT_THAT(error({"memory.tensors=local"}), HasSubstr("memory.pool: has no effect; legal: with memory.tensors io"));
  EXPECT_THAT(error({"memory.latency=5"}), HasSubstr("memory.latency: has no effect beside memory.pool"));
  EXPECT_EQ(error({}), "");
}

// ---- what a trace needs

PoolNeed need_of(const Config& config) {
  PoolNeed need(config);
  EXPECT_THAT(npu::check_trace_nodes(config, [&need](RankId rank, const npu::TraceNode& node,
                                                     const npu::ProcessGroup* group) { need.add(rank, node, group); }),
              testing::IsEmpty());
  return need;
}

std::string too_small(const Config& config) {
  try {
    need_of(config).check();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A tensor of 64 bytes takes a page of 4 KiB at each of 18 controllers, and 20 ranks and a group of all have equal
// shares.
TEST(IoPoolNeed, three_tensors_of_a_rank_are_three_pages_for_everybody) {
  const Traces trace(20, [](TraceText& text, int rank) {
    for (int i = 0; i < (rank == 3 ? 3 : 2); ++i) text.load(64, "");
  });
  const TempDir folder;
  PoolText pool;
  pool.size = "4 MiB";
  static_assert(3 * 4096 * 21 * 18 == 4536 * 1024);
  EXPECT_THAT(too_small(config_of("fred-d", trace, {pool.in(folder.path())})),
              AllOf(HasSubstr("size: 4 MiB give each rank and process group 8 KiB at each I/O controller"),
                    HasSubstr("rank 3 needs 12 KiB"), HasSubstr("legal: 4536 KiB and more")));
  pool.size = "4536 KiB";
  EXPECT_EQ(too_small(config_of("fred-d", trace, {pool.in(folder.path())})), "");
}

/// The size that the error asks for.
std::uint64_t legal_size(const std::string& error) {
  const std::size_t at = error.find("legal: ");
  return at == std::string::npos
             ? 0
             : parse_quantity(error.substr(at + 7, error.find(" and more") - at - 7), Dimension::kBytes).num;
}

// Whether a run finds places for all tensors is another piece of code's answer.
TEST(IoPoolNeed, the_size_that_is_asked_for_is_the_least_that_runs) {
  const Traces trace(20, [](TraceText& text, int rank) {
    text.store(2'000'000, "0", text.load(3'000'000, "0"));
    text.store(70'000, "", text.load(rank == 7 ? 900'000 : 1000, ""));
  });
  const TempDir folder;
  PoolText pool;
  const auto run = [&](const std::string& name, std::uint64_t bytes) {
    pool.size = std::to_string(bytes) + " B";
    return run_into(TempDir(), config_of(name, trace, {pool.in(folder.path())}));
  };
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    pool.size = "2 MiB";
    const std::uint64_t legal = legal_size(too_small(config_of(name, trace, {pool.in(folder.path())})));
    ASSERT_GT(legal, 2u << 20) << name;
    EXPECT_EQ(run(name, legal), "") << name;
    EXPECT_THAT(run(name, legal - 1), HasSubstr("of the pool at each I/O controller")) << name;
  }
}

TEST(IoPoolNeed, grants_that_decide_nothing_are_told) {
  const Traces trace(20, [](TraceText& text, int) { text.store(64, "", text.load(64, "0")); });
  const TempDir folder;
  PoolText pool;
  pool.more =
      "access: {}\ngrants:\n- {tensor: n0, owner: 0}\n- {tensor: m*, of: 0-3, owner: 0}\n- {tensor: m1, of: 2-3, "
      "owner: 1}\n- {group: all, owner: 0}\n";
  EXPECT_THAT(need_of(config_of("fred-d", trace, {pool.in(folder.path())})).warnings(),
              testing::ElementsAre(
                  HasSubstr("pool.yaml:15:3: grants[0] means no load or store of the trace; there are 'm0', 'm1'; "
                            "did you mean 'm0'?"),
                  HasSubstr("pool.yaml:17:3: grants[2] decides nothing: grants before it mean all that it means")));
}

}  // namespace
}  // namespace weft::sc_models
