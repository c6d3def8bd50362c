// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/graph_builder.h"

#include <algorithm>
#include <utility>

#include "base/checked.h"

namespace weft::npu {
namespace {

TraceNode node_of(TraceNodeType type, const std::string& name) {
  TraceNode node;
  node.name = name;
  node.type = type;
  return node;
}

}  // namespace

GraphBuilder::Id GraphBuilder::compute(const std::string& name, std::uint64_t ops, std::uint64_t bytes, Ids deps) {
  TraceNode node = node_of(TraceNodeType::kCompute, name);
  node.num_ops = divided_up(ops, scale_);
  node.tensor_bytes = divided_up(bytes, scale_);
  return add(std::move(node), std::move(deps));
}

GraphBuilder::Ids GraphBuilder::collective(const std::string& name, CollectiveKind kind, std::uint64_t bytes,
                                           const Group& group, std::uint32_t priority, Ids deps) {
  if (group.ranks == 1) return deps;
  const std::uint64_t parts = kind == CollectiveKind::kAllToAll ? group.ranks : 1;
  TraceNode node = node_of(TraceNodeType::kCollective, name);
  node.collective = kind;
  node.comm_bytes = parts * scaled_bytes(bytes / parts);
  node.group = group.name;
  node.priority = priority;
  return {add(std::move(node), std::move(deps))};
}

GraphBuilder::Id GraphBuilder::send(const std::string& name, RankId dst, std::uint64_t bytes, std::uint64_t tag,
                                    Ids deps) {
  TraceNode node = node_of(TraceNodeType::kSend, name);
  node.dst = dst;
  return message(std::move(node), bytes, tag, std::move(deps));
}

GraphBuilder::Id GraphBuilder::receive(const std::string& name, RankId src, std::uint64_t bytes, std::uint64_t tag,
                                       Ids deps) {
  TraceNode node = node_of(TraceNodeType::kRecv, name);
  node.src = src;
  return message(std::move(node), bytes, tag, std::move(deps));
}

GraphBuilder::Id GraphBuilder::message(TraceNode node, std::uint64_t bytes, std::uint64_t tag, Ids deps) {
  node.comm_bytes = scaled_bytes(bytes);
  node.tag = tag;
  return add(std::move(node), std::move(deps));
}

GraphBuilder::Id GraphBuilder::load(const std::string& name, std::uint64_t bytes, const Group& group, Ids deps) {
  return memory(TraceNodeType::kMemLoad, name, bytes, group, std::move(deps));
}

GraphBuilder::Id GraphBuilder::store(const std::string& name, std::uint64_t bytes, const Group& group, Ids deps) {
  return memory(TraceNodeType::kMemStore, name, bytes, group, std::move(deps));
}

GraphBuilder::Id GraphBuilder::memory(TraceNodeType type, const std::string& name, std::uint64_t bytes,
                                      const Group& group, Ids deps) {
  TraceNode node = node_of(type, name);
  node.tensor_bytes = scaled_bytes(bytes);
  if (group.ranks > 1) node.group = group.name;
  return add(std::move(node), std::move(deps));
}

std::uint64_t GraphBuilder::scaled_bytes(std::uint64_t bytes) const {
  if (scale_ == 1) return bytes;
  return divided_up(bytes, scale_ * element_bytes_) * element_bytes_;
}

GraphBuilder::Id GraphBuilder::add(TraceNode node, Ids deps) {
  node.id = nodes_.size();
  node.name.insert(0, prefix_);
  std::sort(deps.begin(), deps.end());
  deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
  node.deps = std::move(deps);
  nodes_.push_back(std::move(node));
  return nodes_.back().id;
}

}  // namespace weft::npu
