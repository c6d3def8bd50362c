// SPDX-License-Identifier: Apache-2.0
// The memory of `weft run` where links or clocks are slow: it follows the fabric and what is on its way, not the
// cycles.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "npu/trace/chakra_writer.h"
#include "tests/cli/program_case.h"
#include "tests/support/source.h"

namespace weft::cli {
namespace {

// An empty fabric takes some 24 MB; with sanitizers far more.
constexpr double kMostBytes = 60e6;
constexpr const char* kPatience = "limits.watchdog_cycles=1000000000000000000";

class RunMemory : public ProgramCase {
 protected:
  /// Runs one of configs/ and returns summary.json.
  nlohmann::json run(const std::string& config, const std::string& setting, const std::string& other) const {
    const auto result = weft({"run", test::source("configs/") + config, "--set", setting, "--set", other, "--set",
                              kPatience, "--quiet", "--no-report", "--out", "o"});
    EXPECT_EQ(result.status, 0) << result.err;
    return summary("o");
  }
  static void expect_little(const nlohmann::json& summary) {
#if !defined(WEFT_SANITIZED)
    EXPECT_LT(summary["peak_rss_bytes"].get<double>(), kMostBytes);
#endif
    EXPECT_EQ(summary["finished"], true);
  }
};

// An all-reduce of 8 bytes over 8 NPUs is 14 steps, each of one flit of 512 bytes over one link.
TEST_F(RunMemory, slow_links) {
  for (const auto& [bandwidth, flit_cycles] : {std::tuple("100 kB/s", 5120000.0), std::tuple("1 B/s", 512e9)}) {
    const auto s =
        run("astrasim-ring-8.yaml", std::string("fabric.link.bandwidth=") + bandwidth, "workload.collective.size=8 B");
    expect_little(s);
    // Latencies of 500 cycles a step and delays of the end points come on top of the flits' own time.
    EXPECT_NEAR(s["cycles"].get<double>() / (14 * flit_cycles), 1, 1e-3) << bandwidth;
  }
}

TEST_F(RunMemory, slow_clock_of_the_npus) {
  const double fast = run("demo.yaml", "npu.clock=10 kHz", "waves.file=")["cycles"];
  const auto slow = run("demo.yaml", "npu.clock=1 Hz", "waves.file=");
  expect_little(slow);
  // The NPUs take nearly all of the time in both, and equally many of their own cycles.
  EXPECT_NEAR(slow["cycles"].get<double>() / fast, 10000, 100);
}

// The figure behind "about" in what `weft check` says of memory.
double bytes_of(const std::string& check) {
  const std::size_t at = check.find(" bytes of memory");
  const std::size_t from = check.rfind("about ", at) + 6;
  const double number = std::stod(check.substr(from));
  return number * (check[at - 1] == 'M' ? 1e6 : check[at - 1] == 'G' ? 1e9 : 1);
}

/// `count` nodes, each of which needs the one before; the file begins with the last one.
void write_backwards(const std::string& path, std::uint64_t count) {
  npu::ChakraWriter writer(path);
  for (std::uint64_t id = count; id-- > 0;) {
    npu::TraceNode node;
    node.id = id;
    node.name = "a";
    node.type = npu::TraceNodeType::kCompute;
    node.num_ops = node.tensor_bytes = 1;
    if (id > 0) node.deps = {id - 1};
    writer.write(node);
  }
  writer.close();
}

/// The same in JSON and in their order.
std::string json_trace(std::uint64_t count) {
  std::string text = R"({"workload_graph":[)";
  for (std::uint64_t id = 0; id < count; ++id) {
    text += (id == 0 ? "" : ",") + fmt::format(R"({{"Id":{},"Name":"a","NodeType":4,"num_ops":1,"tensor_size":1)", id);
    if (id > 0) text += fmt::format(R"(,"data_deps":[{}])", id - 1);
    text += "}";
  }
  return text + "]}";
}

// What takes memory beside the routers: modules, the instructions that engines hold for each chunk, traces whose order
// is not that of their dependencies or that are held as a whole, packets of the log, traffic classes of unicasts.
TEST_F(RunMemory, check_is_right_within_a_factor_of_2) {
#if defined(WEFT_SANITIZED)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  write_backwards((dir_ / "back.0.et").string(), 200'000);
  test::write_text(dir_ / "forth.0.json", json_trace(100'000));
  test::write_text(
      dir_ / "one.yaml",
      "clock: 1 GHz\nfabric: {size: [1, 1]}\nnpu: {peak_flops: 1 GFLOP/s}\nworkload: {trace: {chakra: back}}\n");
  const std::string one = (dir_ / "one.yaml").string();
  test::write_text(dir_ / "fred.yaml",
                   "fabric: {kind: fred, flit_bytes: 512, levels: [{groups: 16, uplinks: 16}, {groups: 1}]}\n"
                   "npu: {count: 256}\n"
                   "workload: {collective: {kind: all_to_all, algorithm: direct, size: 256 KiB}}\n");
  const std::string fred = (dir_ / "fred.yaml").string();
  const std::vector<std::vector<std::string>> cases = {
      {one},
      {one, "--set", "workload.trace.chakra=forth"},
      {fred},
      {fred, "--set", "npu.count=64", "--set", "fabric.levels=[{groups: 4, uplinks: 16}, {groups: 1}]", "--set",
       "workload.collective.kind=all_gather"},
      {"torus-8x8.yaml", "--set", "log.level=packets"},
      {"mesh-wafer.yaml", "--set", "log.level=packets", "--set", "workload.collective.size=4 MiB"},
      {"booksim-ref4.yaml", "--set", "fabric.size=[48,48]", "--set", "fabric.form=modules", "--set",
       "workload.traffic={rate: 0.001, warmup_cycles: 10, measure_cycles: 20}"},
      {"mesh-wafer.yaml", "--set", "fabric.size=[8,8]", "--set", "workload.collective.size=4 KiB", "--set",
       "limits.cycles=100"},
      {"mesh-wafer.yaml", "--set", "workload.collective.size=64 KiB", "--set", "workload.collective.chunks=1", "--set",
       "workload.collective.data=values"}};
  for (std::vector<std::string> arguments : cases) {
    if (arguments[0] != one && arguments[0] != fred) arguments[0] = test::source("configs/") + arguments[0];
    arguments.insert(arguments.begin(), "check");
    const auto check = weft(arguments);
    ASSERT_EQ(check.status, 0) << check.err;
    arguments[0] = "run";
    arguments.insert(arguments.end(), {"--quiet", "--no-report", "--out", "o"});
    weft(arguments);
    const double ratio = bytes_of(check.out) / summary("o")["peak_rss_bytes"].get<double>();
    EXPECT_GT(ratio, 0.5) << check.out;
    EXPECT_LT(ratio, 2) << check.out;
  }
}

// With 1 GB of address space. A million routers need 1470 bytes each, and each has 0.001 packets per cycle on its way
// for 667.7 hops of 4 cycles, of 160 bytes.
TEST_F(RunMemory, a_warning_where_it_will_not_do) {
#if defined(WEFT_SANITIZED)
  GTEST_SKIP() << "sanitizers do not run in so little address space";
#endif
  const auto in_little = [&](const std::string& command, const std::string& size) {
    const std::string words = " " + test::source("configs/booksim-ref4.yaml") + " --set fabric.size=" + size +
                              " --set workload.traffic.rate=0.001";
    return test::run_child({"/bin/sh", "-c", "ulimit -v 1000000; exec " WEFT_PROGRAM " " + command + words},
                           dir_.path().string());
  };
  const std::string warning = "warning: the run needs about 1.92 G bytes";
  const auto check = in_little("check", "[1000,1000]");
  EXPECT_EQ(check.status, 0) << check.err;
  EXPECT_THAT(check.out, testing::HasSubstr(warning));
  EXPECT_THAT(check.out, testing::HasSubstr("more than the 1.02 G bytes that this process may use (ulimit -v)"));
  EXPECT_THAT(in_little("check", "[100,100]").out, testing::Not(testing::HasSubstr("warning: the run needs")));
  const auto run = in_little("run --quiet --out o", "[1000,1000]");
  EXPECT_EQ(run.status, 1);
  EXPECT_THAT(run.err, testing::StartsWith("weft: " + warning));
  EXPECT_THAT(run.err, testing::EndsWith("weft: error: out of memory\n"));
}

}  // namespace
}  // namespace weft::cli
