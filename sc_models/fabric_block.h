// SPDX-License-Identifier: Apache-2.0
// A fabric and the network interfaces at it, stepped together.
#pragma once

#include <algorithm>

#include "base/block.h"
#include "npu/interface/local_block.h"

namespace weft::sc_models {

/// `Fabric` is stepped as a Block is.
template <typename Fabric>
class FabricBlock final : public Block {
 public:
  FabricBlock(Fabric& fabric, npu::LocalBlock& local) : fabric_(fabric), local_(local) {}
  void step(Cycle now) override {
    fabric_.step(now);
    local_.step(now);
  }
  Cycle next_work(Cycle now) const override { return std::min(fabric_.next_work(now), local_.next_work(now)); }

 private:
  Fabric& fabric_;
  npu::LocalBlock& local_;
};

}  // namespace weft::sc_models
