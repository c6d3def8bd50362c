// SPDX-License-Identifier: Apache-2.0
// ResNet-152: its table against what is published and against sums by hand, its iterations node by node.
#include "npu/tracegen/resnet_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/npu/tracegen/generated_graphs.h"

namespace weft::npu {
namespace {

using ::testing::AllOf;
using testing::bytes_of;
using testing::edges_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::named;
using testing::ops_of;

/// 4 replicas with 16 samples each.
ResnetSpec four_replicas(bool overlap = false, std::uint64_t iterations = 1) {
  ResnetSpec spec;
  spec.npus = 4;
  spec.batch = 64;
  spec.iterations = iterations;
  spec.overlap = overlap;
  return spec;
}

/// The stage of "conv4_36_3x3" is "conv4".
std::string stage_of(const ResnetLayer& layer) { return layer.name.substr(0, layer.name.find('_')); }

// 1 + 3 x (3 + 8 + 36 + 3) convolutions on the main path, a shortcut in each of 4 stages, and the classifier.
TEST(ResnetLayers, counts_are_those_of_the_name) {
  std::map<std::uint64_t, int> by_kernel;
  std::map<std::string, int> by_stage;
  std::set<std::string> names;
  for (const ResnetLayer& layer : resnet_152_layers()) {
    ++by_kernel[layer.kernel];
    ++by_stage[stage_of(layer)];
    EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
  }
  EXPECT_EQ(by_kernel, (std::map<std::uint64_t, int>{{1, 2 * 50 + 4 + 1}, {3, 50}, {7, 1}}));
  EXPECT_EQ(by_stage, (std::map<std::string, int>{
                          {"conv1", 1}, {"conv2", 10}, {"conv3", 25}, {"conv4", 109}, {"conv5", 10}, {"fc", 1}}));
}

// Weights and two numbers of the normalisation per output channel, by stage; 60,192,808 is the published sum. The
// first block of conv2: 64 x 64 + 9 x 64 x 64 + 64 x 256 + 64 x 256 weights and 2 (64 + 64 + 256 + 256) more, the other
// two: 256 x 64 + 9 x 64 x 64 + 64 x 256 and 2 (64 + 64 + 256); the classifier: 2048 x 1000 + 1000.
TEST(ResnetLayers, parameters_are_the_published_ones) {
  std::map<std::string, std::uint64_t> parameters;
  std::uint64_t all = 0;
  for (const ResnetLayer& layer : resnet_152_layers()) {
    parameters[stage_of(layer)] += layer.parameters();
    all += layer.parameters();
  }
  EXPECT_EQ(parameters, (std::map<std::string, std::uint64_t>{{"conv1", 9'536},
                                                              {"conv2", 215'808},
                                                              {"conv3", 2'339'840},
                                                              {"conv4", 40'613'888},
                                                              {"conv5", 14'964'736},
                                                              {"fc", 2'049'000}}));
  EXPECT_EQ(all, 60'192'808u);
}

// A weight is used once for each pixel of the output. conv1: 147 x 64 x 112 x 112. conv2: (73728 + 2 x 69632) x 56
// x 56. conv3: 32768 x 56 x 56 in front of the stride, (344064 + 7 x 278528) x 28 x 28 behind it.
TEST(ResnetLayers, multiply_adds_are_the_published_ones) {
  std::map<std::string, std::uint64_t> work;
  std::uint64_t all = 0;
  for (const ResnetLayer& layer : resnet_152_layers()) {
    work[stage_of(layer)] += layer.multiply_adds();
    all += layer.multiply_adds();
  }
  EXPECT_EQ(work, (std::map<std::string, std::uint64_t>{{"conv1", 118'013'952},
                                                        {"conv2", 667'942'912},
                                                        {"conv3", 1'901'068'288},
                                                        {"conv4", 8'015'314'944},
                                                        {"conv5", 809'238'528},
                                                        {"fc", 2'048'000}}));
  EXPECT_EQ(all, 11'513'626'624u);
  EXPECT_NEAR(static_cast<double>(all), 11.514e9, 11.514e6);
}

// 3 x 224 x 224 + 64 x 112 x 112 in conv1; the first 3x3 of conv3 reads 128 images of 56 x 56 and makes 128 of 28 x 28.
TEST(ResnetLayers, activations_of_some_layers_by_hand) {
  std::map<std::string, std::uint64_t> activations;
  for (const ResnetLayer& layer : resnet_152_layers()) activations[layer.name] = layer.activations();
  EXPECT_EQ(activations["conv1"], 150'528u + 802'816);
  EXPECT_EQ(activations["conv2_1_1x1a"], 2u * 200'704);
  EXPECT_EQ(activations["conv3_1_1x1a"], 802'816u + 401'408);
  EXPECT_EQ(activations["conv3_1_3x3"], 401'408u + 100'352);
  EXPECT_EQ(activations["conv3_1_shortcut"], 802'816u + 401'408);
  EXPECT_EQ(activations["conv5_3_1x1b"], 25'088u + 100'352);
  EXPECT_EQ(activations["fc"], 2048u + 1000);
}

// 16 samples: conv1 has 2 x 16 x 118013952 operations forward and moves 16 x 953344 + 9536 elements of 2 bytes.
TEST(ResnetTrace, operations_and_bytes_follow_the_table) {
  const std::vector<TraceNode> nodes = ResnetTrace(four_replicas()).nodes(RankId{3});
  EXPECT_EQ(nodes.size(), 2u * 156 + 2);
  EXPECT_EQ(named(nodes, "fwd_i0_conv1").num_ops, 3'776'446'464u);
  EXPECT_EQ(named(nodes, "fwd_i0_conv1").tensor_bytes, 2u * 15'263'040);
  EXPECT_EQ(named(nodes, "bwd_i0_conv1").num_ops, 2u * 3'776'446'464);
  EXPECT_EQ(named(nodes, "bwd_i0_conv1").tensor_bytes, 4u * 15'263'040);
  EXPECT_EQ(ops_of(nodes), 3u * 16 * 23'027'253'248);  // 1.1053e12
  EXPECT_EQ(named(nodes, "update_i0").tensor_bytes, 20u * 60'192'808);
}

TEST(ResnetTrace, gradients_are_reduced_behind_the_backward_pass) {
  const ResnetTrace trace(four_replicas());
  const std::vector<TraceNode> nodes = trace.nodes(RankId{0});
  const TraceNode sum = named(nodes, "grad_i0_all_reduce");
  EXPECT_EQ(sum.comm_bytes, 120'385'616u);
  EXPECT_EQ(sum.collective, CollectiveKind::kAllReduce);
  EXPECT_EQ(sum.group, "1");
  const std::vector<std::string> edges = edges_of(nodes);
  EXPECT_EQ(edges.front(), "fwd_i0_conv1 <-");
  EXPECT_EQ(edges[4], "fwd_i0_conv2_1_shortcut <- fwd_i0_conv2_1_1x1b");
  EXPECT_EQ(edges[155], "fwd_i0_fc <- fwd_i0_conv5_3_1x1b");
  EXPECT_EQ(edges[156], "bwd_i0_fc <- fwd_i0_fc");
  EXPECT_EQ(edges[157], "bwd_i0_conv5_3_1x1b <- bwd_i0_fc");
  EXPECT_THAT(std::vector<std::string>(edges.end() - 2, edges.end()),
              ElementsAre("grad_i0_all_reduce <- bwd_i0_conv1", "update_i0 <- grad_i0_all_reduce"));
}

TEST(ResnetTrace, overlapped_gradients_do_not_hold_up_the_layers_before) {
  const std::vector<TraceNode> nodes = ResnetTrace(four_replicas(true)).nodes(RankId{0});
  const std::vector<std::string> sums = edges_of(nodes, TraceNodeType::kCollective);
  ASSERT_EQ(sums.size(), 156u);
  EXPECT_EQ(sums.front(), "grad_i0_fc_all_reduce <- bwd_i0_fc");
  EXPECT_EQ(sums[1], "grad_i0_conv5_3_1x1b_all_reduce <- bwd_i0_conv5_3_1x1b");
  EXPECT_EQ(sums.back(), "grad_i0_conv1_all_reduce <- bwd_i0_conv1");
  EXPECT_EQ(named(nodes, "grad_i0_fc_all_reduce").comm_bytes, 4'098'000u);
  EXPECT_EQ(named(nodes, "grad_i0_conv1_all_reduce").comm_bytes, 19'072u);
  EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, "1"), 120'385'616u);
  const std::vector<std::string> edges = edges_of(nodes);
  EXPECT_EQ(edges[158], "bwd_i0_conv5_3_1x1b <- bwd_i0_fc");
  EXPECT_EQ(named(nodes, "update_i0").deps.size(), 156u);
}

TEST(ResnetTrace, an_iteration_waits_for_the_weights_of_the_one_before) {
  for (const bool overlap : {false, true}) {
    const std::vector<TraceNode> nodes = ResnetTrace(four_replicas(overlap, 3)).nodes(RankId{0});
    EXPECT_EQ(nodes.size(), 3u * (2 * 156 + 1 + (overlap ? 156 : 1)));
    EXPECT_EQ(ops_of(nodes), 3u * 3 * 16 * 23'027'253'248);
    EXPECT_EQ(bytes_of(nodes, CollectiveKind::kAllReduce, "1"), 3u * 120'385'616);
    EXPECT_THAT(named(nodes, "fwd_i1_conv1").deps, ElementsAre(named(nodes, "update_i0").id));
    EXPECT_THAT(named(nodes, "fwd_i2_conv1").deps, ElementsAre(named(nodes, "update_i1").id));
  }
}

TEST(ResnetTrace, one_group_of_all_ranks_belongs_to_data_parallelism) {
  const ResnetTrace trace(four_replicas());
  EXPECT_THAT(trace.groups().at("1"), ElementsAre(RankId{0}, RankId{1}, RankId{2}, RankId{3}));
  EXPECT_EQ(trace.groups().size(), 1u);
  EXPECT_EQ(trace.phase_of("1"), TrainingPhase::kDp);
  ResnetSpec alone;
  alone.npus = 1;
  for (const bool overlap : {false, true}) {
    alone.overlap = overlap;
    const ResnetTrace single(alone);
    EXPECT_THAT(single.groups(), IsEmpty());
    EXPECT_THAT(edges_of(single.nodes(RankId{0}), TraceNodeType::kCollective), IsEmpty());
    EXPECT_FALSE(named(single.nodes(RankId{0}), "update_i0").deps.empty());
  }
}

// 3776446464 / 1000 and 120385616 / 2000 are rounded up, the latter to elements of 2 bytes.
TEST(ResnetTrace, scale_divides_operations_and_bytes) {
  ResnetSpec spec = four_replicas();
  spec.scale = 1000;
  const std::vector<TraceNode> nodes = ResnetTrace(spec).nodes(RankId{0});
  EXPECT_EQ(named(nodes, "fwd_i0_conv1").num_ops, 3'776'447u);
  EXPECT_EQ(named(nodes, "grad_i0_all_reduce").comm_bytes, 2u * 60'193);
}

TEST(ResnetTrace, traces_are_sound_and_play_to_the_end) {
  for (const bool overlap : {false, true}) {
    ResnetSpec spec = four_replicas(overlap, 2);
    spec.scale = 1 << 20;
    testing::expect_sound(ResnetTrace(spec));
    testing::expect_played(ResnetTrace(spec));
  }
}

TEST(ResnetTrace, numbers_that_do_not_fit_bad) {
  ResnetSpec spec = four_replicas();
  spec.npus = 3;
  spec.iterations = 0;
  EXPECT_THAT(error_of([&] { ResnetTrace trace(spec); }), AllOf(HasSubstr("batch (64) is not a multiple of npus (3)"),
                                                                HasSubstr("iterations is 0; legal are 1 to 1000")));
  spec.npus = 0;
  EXPECT_THAT(error_of([&] { ResnetTrace trace(spec); }), HasSubstr("npus is 0; legal are 1 to 1048576"));
}

}  // namespace
}  // namespace weft::npu
