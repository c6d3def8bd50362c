// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/resnet_trace.h"

#include <fmt/format.h>

#include <utility>

namespace weft::npu {
namespace {

constexpr const char* kReplicas = "1";
constexpr std::uint32_t kGradientPriority = 0;

// Stochastic gradient descent with a 4-byte master weight and momentum: each read and written.
constexpr std::uint64_t kMomentumStateBytes = 16;

}  // namespace

std::vector<SpecNumber> resnet_numbers(ResnetSpec& s) {
  return {
      {"npus", "ranks, one replica each", &s.npus, 1, kLargestSpecNumber},
      {"batch", "samples of an iteration over all replicas, a multiple of npus", &s.batch, 1, kLargestSpecNumber},
      {"bytes-per-element", "of activations, weights and gradients", &s.bytes_per_element, 1, 16},
      iterations_number(s.iterations),
      {"scale", "divides operations and bytes of every node, rounded up (bytes to elements)", &s.scale, 1, 1 << 30},
  };
}

ResnetTrace::ResnetTrace(const ResnetSpec& spec) : spec_(spec), layers_(resnet_152_layers()) {
  SpecProblems problems;
  problems.ranges(resnet_numbers(spec_));
  problems.divides("batch", spec.batch, "npus", spec.npus);
  problems.throw_if_any();
}

std::map<std::string, std::vector<RankId>> ResnetTrace::groups() const {
  std::map<std::string, std::vector<RankId>> groups;
  if (ranks() == 1) return groups;
  for (std::uint32_t rank = 0; rank < ranks(); ++rank) groups[kReplicas].push_back(RankId{rank});
  return groups;
}

std::optional<TrainingPhase> ResnetTrace::phase_of(const std::string& /*group*/) const { return TrainingPhase::kDp; }

std::vector<TraceNode> ResnetTrace::nodes(RankId /*rank*/) const {
  GraphBuilder graph(spec_.scale, spec_.bytes_per_element);
  Ids end;
  for (std::uint64_t i = 0; i < spec_.iterations; ++i) end = iteration(graph, i, std::move(end));
  return graph.take();
}

ResnetTrace::Ids ResnetTrace::iteration(GraphBuilder& graph, std::uint64_t number, Ids start) const {
  const std::uint64_t samples = spec_.batch / spec_.npus;
  const auto work = [&](const char* pass, std::uint64_t times, const ResnetLayer& layer, Ids deps) {
    const std::uint64_t elements = samples * layer.activations() + layer.parameters();
    return Ids{graph.compute(fmt::format("{}_i{}_{}", pass, number, layer.name),
                             times * 2 * samples * layer.multiply_adds(), times * elements * spec_.bytes_per_element,
                             std::move(deps))};
  };
  Ids at = std::move(start);
  for (const ResnetLayer& layer : layers_) at = work("fwd", 1, layer, std::move(at));
  Ids reduced;
  std::uint64_t parameters = 0;
  for (auto layer = layers_.rbegin(); layer != layers_.rend(); ++layer) {
    at = work("bwd", 2, *layer, std::move(at));
    parameters += layer->parameters();
    if (!spec_.overlap) continue;
    const Ids sum = all_reduce(graph, fmt::format("grad_i{}_{}", number, layer->name), layer->parameters(), at);
    reduced.insert(reduced.end(), sum.begin(), sum.end());
  }
  if (!spec_.overlap) reduced = all_reduce(graph, fmt::format("grad_i{}", number), parameters, std::move(at));
  return {graph.compute(fmt::format("update_i{}", number), 0,
                        parameters * (2 * spec_.bytes_per_element + kMomentumStateBytes), std::move(reduced))};
}

ResnetTrace::Ids ResnetTrace::all_reduce(GraphBuilder& graph, const std::string& name, std::uint64_t parameters,
                                         Ids deps) const {
  return graph.collective(name + "_all_reduce", CollectiveKind::kAllReduce, parameters * spec_.bytes_per_element,
                          {kReplicas, spec_.npus}, kGradientPriority, std::move(deps));
}

}  // namespace weft::npu
