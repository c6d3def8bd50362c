// SPDX-License-Identifier: Apache-2.0
// A workload graph that a test writes down in its source, behind the interface of the trace readers.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "npu/trace/trace_node.h"

namespace weft::npu::testing {

/// Hands out the nodes given to it; the order of the list stands for the order in the file.
class MemoryFeeder final : public TraceFeeder {
 public:
  explicit MemoryFeeder(std::vector<TraceNode> nodes) : nodes_(std::move(nodes)) {
    missing_.resize(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      missing_[i] = nodes_[i].deps.size();
      for (const std::uint64_t dep : nodes_[i].deps) children_[dep].push_back(i);
      if (missing_[i] == 0) ready_.insert(i);
    }
  }

  std::optional<TraceNode> pop_ready() override {
    if (ready_.empty()) return std::nullopt;
    const std::size_t at = *ready_.begin();
    ready_.erase(ready_.begin());
    running_.insert(nodes_[at].id);
    return nodes_[at];
  }
  void finish(std::uint64_t id) override {
    WEFT_CHECK(running_.erase(id) == 1, "a node finishes that has not been given out, or twice");
    ++finished_;
    for (const std::size_t child : children_[id]) {
      if (--missing_[child] == 0) ready_.insert(child);
    }
  }
  bool done() override { return finished_ == nodes_.size(); }

 private:
  std::vector<TraceNode> nodes_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> children_;
  std::vector<std::size_t> missing_;
  std::set<std::size_t> ready_;
  std::set<std::uint64_t> running_;
  std::size_t finished_ = 0;
};

inline TraceNode make_node(std::uint64_t id, TraceNodeType type, std::vector<std::uint64_t> deps) {
  TraceNode node;
  node.id = id;
  node.name = "n" + std::to_string(id);
  node.type = type;
  node.deps = std::move(deps);
  return node;
}
inline TraceNode compute(std::uint64_t id, std::uint64_t microseconds, std::vector<std::uint64_t> deps = {}) {
  TraceNode node = make_node(id, TraceNodeType::kCompute, std::move(deps));
  node.duration_us = microseconds;
  return node;
}
inline TraceNode host_compute(std::uint64_t id, std::uint64_t microseconds, std::vector<std::uint64_t> deps = {}) {
  TraceNode node = compute(id, microseconds, std::move(deps));
  node.is_cpu_op = true;
  return node;
}
inline TraceNode send(std::uint64_t id, std::uint32_t dst, std::uint64_t tag, std::uint64_t bytes,
                      std::vector<std::uint64_t> deps = {}) {
  TraceNode node = make_node(id, TraceNodeType::kSend, std::move(deps));
  node.dst = RankId{dst};
  node.tag = tag;
  node.comm_bytes = bytes;
  return node;
}
inline TraceNode receive(std::uint64_t id, std::uint32_t src, std::uint64_t tag, std::uint64_t bytes,
                         std::vector<std::uint64_t> deps = {}) {
  TraceNode node = make_node(id, TraceNodeType::kRecv, std::move(deps));
  node.src = RankId{src};
  node.tag = tag;
  node.comm_bytes = bytes;
  return node;
}
inline TraceNode collective(std::uint64_t id, CollectiveKind kind, std::uint64_t bytes, std::string group = "",
                            std::vector<std::uint64_t> deps = {}) {
  TraceNode node = make_node(id, TraceNodeType::kCollective, std::move(deps));
  node.collective = kind;
  node.comm_bytes = bytes;
  node.group = std::move(group);
  return node;
}

}  // namespace weft::npu::testing
