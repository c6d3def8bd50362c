// SPDX-License-Identifier: Apache-2.0
// The pool that a configuration names: whether it fits, and what a check says of it.
#include "mem/pool/pool_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "config/load.h"
#include "mem/memory_check.h"
#include "tests/mem/support/pool_text.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

namespace weft::mem {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using weft::test::TempDir;

/// 20 NPUs and 18 I/O controllers at 1 GHz, with `pool`, whose file lies in `folder`, behind them.
Config config_with(const TempDir& folder, const PoolText& pool) {
  std::ofstream((folder / "t.0.json").string()) << R"({"workload_graph": []})";
  return load_config(weft::test::source("configs/fred-d.yaml"),
                     {"clock=1 GHz", "fabric.levels[0].planes=6", "memory.tensors=io",
                      "workload.trace.chakra=" + (folder / "t").string(), pool.in(folder.path())});
}

std::string problem(const PoolText& pool) {
  std::string text;
  const TempDir folder;
  for (const ConfigProblem& each : check_memory(config_with(folder, pool))) text += each.path + ": " + each.sentence;
  return text;
}

TEST(PoolConfig, files_are_checked_before_a_run_bad) {
  PoolText pool;
  const auto checked = [&pool](const std::string& more) {
    pool.more = more;
    return problem(pool);
  };
  EXPECT_EQ(checked(""), "");
  EXPECT_THAT(checked("acces: {}\n"),
              AllOf(HasSubstr("memory.pool: "), HasSubstr("pool.yaml:13:1: unknown key 'acces'")));
  EXPECT_THAT(
      checked("access: {}\ngrants: [{owner: 20}]\n"),
      HasSubstr("pool.yaml:14:18: grants[0].owner: there is no rank 20, the wafer has places for 20; legal: 0 to 19"));
  EXPECT_THAT(checked("access: {}\ngrants: [{owner: 1, readers: 3-20}]\n"),
              HasSubstr("pool.yaml:14:30: grants[0].readers: there is no rank 20"));
  PoolText other;
  other.line = "1 GB/s, count: 17";
  EXPECT_THAT(problem(other), HasSubstr("pool.yaml:5:41: controllers.count: 17, but the wafer has 18 I/O controllers"));
}

TEST(PoolConfig, a_check_says_what_a_pool_is_made_of) {
  PoolText pool;
  pool.groups = 3;
  pool.modules = 2;
  pool.module = "{latency: 200 ns, bandwidth: 256 GB/s, queue: 64}";
  pool.more = "access: {page: 64 KiB}\ngrants: [{owner: 1}]\n";
  const TempDir folder;
  EXPECT_THAT(
      describe_pool(config_with(folder, pool)),
      testing::ElementsAre("pool       switches 1, groups 3, modules 2 in each group, 321 cycles to the first byte, "
                           "1 of them for access control",
                           "           modules 1536 GB/s together, controllers 1.843e+04 GB/s",
                           "           access control: pages of 65536 B, grants 1, a refusal ends the run",
                           // 64 x 512 bytes in 200 + 2 cycles
                           "warning: a module's queue of 64 accesses of 512 B lets it serve 162.2 GB/s, less "
                           "than its 256 GB/s"));
}

TEST(MemoryCheck, names_the_keys_bad) {
  Config config;
  config.memory.timing = "hbm33";
  config.memory.tensors = TensorMemory::kRemote;
  config.memory.remote = "/no/such.json";
  const std::vector<ConfigProblem> problems = check_memory(config);
  ASSERT_EQ(problems.size(), 2U);
  EXPECT_EQ(problems[0].path, "memory.timing");
  EXPECT_THAT(problems[0].sentence, HasSubstr("hbm3"));
  EXPECT_EQ(problems[1].path, "memory.remote");
  EXPECT_THAT(problems[1].sentence, HasSubstr("/no/such.json"));
  EXPECT_TRUE(check_memory(Config()).empty());
}

}  // namespace
}  // namespace weft::mem
