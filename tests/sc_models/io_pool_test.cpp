// SPDX-License-Identifier: Apache-2.0
// The contended pool behind the I/O controllers of whole wafers: times by hand, contention, the laws of time. Each run
// is a process of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sc_models/support/io_pool_run.h"

namespace weft::sc_models {
namespace {

using testing::HasSubstr;

// ---- times

TEST(IoPool, one_small_load_takes_links_and_module) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  for (const std::string name : {"fred-d", "mesh-wafer"})
    EXPECT_EQ(with_pool(name, trace, PoolText()) - without_pool(name, trace), kAdapterCycles + kPath + kModule + 1)
        << name;
}

// Half as many cycles of the NPUs' clock for links and module, of two cycles of the fabric's each.
TEST(IoPool, the_pool_runs_on_the_clock_of_the_npus) {
  const Traces trace = of_one([](TraceText& text) { text.load(64, ""); });
  const Words slow{"npu.clock=500 MHz"};
  EXPECT_EQ(with_pool("mesh-wafer", trace, PoolText(), slow) - without_pool("mesh-wafer", trace, slow),
            2 * (kAdapterCycles + kPath / 2 + kModule / 2 + 1));
}

TEST(IoPool, one_store_is_confirmed_when_the_module_has_it) {
  const Traces trace = of_one([](TraceText& text) { text.store(512, ""); });
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 64 GB/s}";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    // 8 flits go down in one cycle (16 per cycle), and the module takes 8 cycles for them.
    EXPECT_EQ(with_pool(name, trace, pool) - without_pool(name, trace), kAdapterCycles + kPath + kModule + 8) << name;
  }
}

TEST(IoPool, slow_modules_bound_the_rate) {
  constexpr std::uint64_t kBytes = 400'000;
  const Traces trace = of_one([](TraceText& text) { text.load(kBytes, ""); });
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 4 GB/s}";
  for (const int modules : {1, 2, 4}) {
    pool.modules = modules;
    for (const std::string name : {"fred-d", "mesh-wafer"}) {
      const double bound = static_cast<double>(kBytes) / (4.0 * modules);
      const auto took = static_cast<double>(with_pool(name, trace, pool));
      EXPECT_GE(took, bound) << name << " " << modules;
      // Beside the bytes: the way there and back, and pieces that do not fill all modules alike.
      EXPECT_LE(took, bound * 1.1 + 1000) << name << " " << modules;
    }
  }
}

TEST(IoPool, two_that_share_a_module_take_twice_as_long) {
  const auto make = [](int ranks) {
    return Traces(20, [ranks](TraceText& text, int rank) {
      if (rank < ranks) {
        text.load(200'000, "");
      } else {
        text.compute(1);
      }
    });
  };
  PoolText pool;
  pool.module = "{latency: 100 ns, bandwidth: 4 GB/s}";
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const auto one = static_cast<double>(with_pool(name, make(1), pool));
    const auto two = static_cast<double>(with_pool(name, make(2), pool));
    EXPECT_NEAR(two / one, 2.0, 0.02) << name;
  }
}

// What a pool adds whose links and modules are much faster than all lines is its latency.
TEST(IoPool, a_fast_pool_is_a_fixed_latency) {
  const Traces trace = of_one([](TraceText& text) { text.load(6'000'000, ""); });
  PoolText pool;
  pool.groups = 18;
  pool.line = pool.link = "65536 GB/s";
  pool.module = "{latency: 100 ns, bandwidth: 65536 GB/s, queue: 4096}";
  const std::string latency = fmt::format("memory.latency={}", kAdapterCycles + kPath + kModule + 1);
  for (const std::string name : {"fred-d", "mesh-wafer"}) {
    const std::uint64_t fixed = without_pool(name, trace, {latency});
    EXPECT_NEAR(static_cast<double>(with_pool(name, trace, pool)), static_cast<double>(fixed), 4) << name;
  }
}

TEST(IoPool, all_bytes_pass_the_modules_and_all_modules_have_some) {
  const Traces trace(20, [](TraceText& text, int) {
    text.store(300'000, "0", text.load(400'000, "0"));
    text.load(10'000, "");
  });
  PoolText pool;
  pool.groups = 3;
  pool.modules = 2;
  for (const std::string name : {"fred-d", "fred-c", "mesh-wafer"}) {
    const TempDir folder;
    ASSERT_EQ(run_into(folder, config_of(name, trace, {pool.in(folder.path())})), "") << name;
    EXPECT_EQ(sum(folder, "pool.module", "bytes"), 400'000U + 300'000 + 20 * 10'000) << name;
    EXPECT_EQ(sum(folder, "pool.io", "bytes"), 400'000U + 300'000 + 20 * 10'000) << name;
    const CsvTable table(folder / "memory.csv");
    ASSERT_EQ(table.rows(), 18U + 6) << name;
    for (std::size_t i = 18; i < table.rows(); ++i) EXPECT_GT(std::stoull(table.at(i, "bytes")), 50'000U) << name;
  }
}

// ---- the laws of time

std::string tables(const TempDir& folder) {
  return read_text(folder / "io_controllers.csv") + read_text(folder / "links.csv") + read_text(folder / "memory.csv") +
         refused_of(folder) + std::to_string(cycles(folder));
}

TEST(IoPool, threads_and_form_change_nothing) {
  const Traces trace(20, [](TraceText& text, int rank) {
    text.store(60'000, "0", text.compute(1 + rank % 3, text.load(400'000, "0")));
    text.store(5'000, "", text.load(10'000, ""));
  });
  PoolText pool;
  pool.line = "128 GB/s";
  pool.modules = 3;
  pool.module = "{latency: 100 ns, bandwidth: 50 GB/s, service: serial, recovery: 3 ns}";
  pool.more =
      "access: {check: 2 ns, miss: 40 ns, walkers: 2, cache: {entries: 16, ways: 2}, encryption: 20 ns, tag: 8 B, "
      "on_refused: continue}\n"
      "grants: [{tensor: m*, of: 4-9, owner: 0, readers: 4-7}]\n";
  for (const auto& [name, forms] : {std::pair<std::string, std::vector<Words>>(
                                        "mesh-wafer", {{}, {"threads=2"}, {"threads=3"}, {"fabric.form=modules"}}),
                                    std::pair<std::string, std::vector<Words>>(
                                        "fred-d", {{}, {"threads=2"}, {"threads=3"}, {"fabric.form=modules"}})}) {
    std::string first;
    for (const Words& more : forms) {
      const TempDir folder;
      Words all = more;
      all.push_back(pool.in(folder.path()));
      ASSERT_EQ(run_into(folder, config_of(name, trace, all)), "") << name;
      if (first.empty()) first = tables(folder);
      EXPECT_EQ(tables(folder), first) << name;
    }
    EXPECT_THAT(first, HasSubstr("read_only")) << name;
  }
}

}  // namespace
}  // namespace weft::sc_models
