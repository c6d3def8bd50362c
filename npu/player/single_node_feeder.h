// SPDX-License-Identifier: Apache-2.0
// The graph of a workload that is one collective: a node, or nothing for ranks outside its group.
#pragma once

#include <optional>
#include <utility>

#include "npu/trace/trace_node.h"

namespace weft::npu {

class SingleNodeFeeder final : public TraceFeeder {
 public:
  explicit SingleNodeFeeder(std::optional<TraceNode> node) : node_(std::move(node)), open_(node_.has_value()) {}
  std::optional<TraceNode> pop_ready() override { return std::exchange(node_, std::nullopt); }
  void finish(std::uint64_t /*id*/) override { open_ = false; }
  bool done() override { return !open_; }

 private:
  std::optional<TraceNode> node_;
  bool open_;
};

}  // namespace weft::npu
