// SPDX-License-Identifier: Apache-2.0
// The graph of a workload that is one collective: a node, or nothing for ranks outside its group.
#pragma once

#include <optional>

#include "npu/trace/trace_node.h"

namespace weft::npu {

class SingleNodeFeeder final : public TraceFeeder {
 public:
  /// `node` is shared by the ranks of its group and outlives them; null = there is none.
  explicit SingleNodeFeeder(const TraceNode* node) : node_(node), open_(node != nullptr) {}
  std::optional<TraceNode> pop_ready() override {
    if (node_ == nullptr) return std::nullopt;
    const TraceNode& node = *node_;
    node_ = nullptr;
    return node;
  }
  void finish(std::uint64_t /*id*/) override { open_ = false; }
  bool done() override { return !open_; }
  void keep(Checkpoint& checkpoint) override {
    bool waits = node_ != nullptr;
    checkpoint.values(waits, open_);
    if (!waits) node_ = nullptr;
  }

 private:
  const TraceNode* node_;
  bool open_;
};

}  // namespace weft::npu
