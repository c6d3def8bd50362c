// SPDX-License-Identifier: Apache-2.0
// Traces of other tools, played on an ideal network. They are found by the environment variable WEFT_TRACES.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "npu/trace/trace_files.h"
#include "tests/npu/player/array_bench.h"

namespace weft::npu {
namespace {

using testing::ArrayBench;
using testing::IdealNetworkSpec;
using ::testing::IsEmpty;
using testing::trace_config;

std::string samples() {
  const char* folder = std::getenv("WEFT_TRACES");
  return folder == nullptr ? "" : folder;
}

#define WEFT_NEEDS_SAMPLES() \
  if (samples().empty()) GTEST_SKIP() << "WEFT_TRACES does not name a folder of sample traces"

struct Sample {
  const char* prefix;
  const char* groups;
  std::size_t collectives;  ///< collective nodes of all ranks, from the sample's README
};

class SampleTrace : public ::testing::TestWithParam<Sample> {};

TEST_P(SampleTrace, plays_to_the_end_and_leaves_nothing) {
  WEFT_NEEDS_SAMPLES();
  const std::string prefix = samples() + "/" + GetParam().prefix;
  const std::string groups = *GetParam().groups == 0 ? "" : samples() + "/" + GetParam().groups;
  Config config = trace_config(static_cast<int>(find_trace_files(prefix).size()), prefix, groups);
  config.npu.peak_flops = 9e14;
  config.npu.memory_bytes_per_s = 1.6e12;
  IdealNetworkSpec network = ArrayBench::default_network();
  network.bytes_per_cycle = Rational{1000, 1};
  network.packet_bytes = 1 << 20;
  ArrayBench bench(config, network);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  EXPECT_THAT(bench.array().waiting_for(10), IsEmpty());
  std::size_t members = 0;
  for (const CollectiveSummary& row : bench.array().collectives(0)) {
    EXPECT_TRUE(row.finished) << row.name;
    members += row.members;
  }
  EXPECT_EQ(members, GetParam().collectives);
  for (std::uint32_t rank = 0; rank < bench.array().ranks(); ++rank) {
    const RankStatistics& statistics = bench.statistics(rank);
    EXPECT_LE(statistics.compute_cycles + statistics.exposed_comm_cycles, statistics.finish_cycle);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , SampleTrace,
    ::testing::Values(Sample{"astrasim_micro_1MB/all_reduce/16npus_1MB/all_reduce", "", 16},
                      Sample{"astrasim_micro_1MB/all_to_all/8npus_1MB/all_to_all", "", 8},
                      Sample{"stg_gpt_dp2tp2pp2_8/gpt_dp2tp2pp2", "stg_gpt_dp2tp2pp2_8/comm_group.json", 720},
                      Sample{"stg_gpt_dp4tp4_16/gpt_dp4tp4", "stg_gpt_dp4tp4_16/comm_group.json", 768},
                      Sample{"stg_gpt_fsdp8/gpt_fsdp8", "stg_gpt_fsdp8/comm_group.json", 112},
                      Sample{"stg_llama_tp4sp2_8/llama_tp4sp2", "stg_llama_tp4sp2_8/comm_group.json", 512},
                      Sample{"text_dlrm_hybrid8/dlrm_hyb8", "", 72}, Sample{"text_mlp_hybrid8/mlp_hyb8", "", 136},
                      Sample{"text_mlp_model4/mlp_mp4", "", 88}, Sample{"text_resnet50_dp8/resnet50_dp8", "", 432}),
    [](const auto& tested) {
      const std::string prefix = tested.param.prefix;
      return prefix.substr(prefix.rfind('/') + 1);
    });

// Fourteen steps of 131072 bytes at 50 * 2^30 bytes/s and 500 ns, seven reductions of 7 us. A step ends 2442 (2441.4
// rounded up) + 500 cycles after its start: 14 * 2942 + 49000. ASTRA-sim cuts where this model rounds up: 90174.
TEST(SampleTraces, ring_of_sends_and_receives_takes_its_closed_form) {
  WEFT_NEEDS_SAMPLES();
  Config config = trace_config(8, samples() + "/astrasim_custom_ring_allreduce_8/custom_allreduce");
  IdealNetworkSpec network;
  network.latency = 500;
  network.bytes_per_cycle = make_rational(std::uint64_t{50} << 30, 1'000'000'000);
  network.packet_bytes = 131072;
  ArrayBench bench(config, network);
  bench.run();
  EXPECT_TRUE(bench.array().finished());
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    EXPECT_EQ(bench.statistics(rank).finish_cycle, 90188u);
    EXPECT_EQ(bench.statistics(rank).compute_cycles, 49000u);
    EXPECT_EQ(bench.statistics(rank).exposed_comm_cycles, 41188u);
  }
}

}  // namespace
}  // namespace weft::npu
