// SPDX-License-Identifier: Apache-2.0
// A switch of the pool: a queue per input and output, wormhole, one round-robin pointer per output.
#pragma once

#include <cstdint>
#include <vector>

#include "mem/pool/pool_net.h"

namespace weft::mem {

/// Forwards packets of one direction. Flits of a packet stay together on each output. The queues of an input share the
/// buffer of its link; a packet waits for those before it only if they go to the same output.
class PoolSwitch final : public PoolNode {
 public:
  /// Output of a packet, an index into `outputs`.
  using Route = std::uint32_t (*)(const PoolPacket& packet);

  PoolSwitch(PoolNet& net, std::vector<std::uint32_t> inputs, const std::vector<std::uint32_t>& outputs, Route route);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const override;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Output {
    std::uint32_t link = 0;
    std::uint32_t owner = kNone;         ///< input whose packet is on its way
    std::uint32_t next = 0;              ///< input that is looked at first
    std::uint32_t flits = 0;             ///< in all queues
    std::vector<std::uint64_t> waiting;  ///< bit set of the inputs whose queue holds flits
  };
  struct Queue {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Held {
    PoolFlit flit;
    std::uint32_t behind = kNone;
  };

  void sort_in(std::uint32_t input);
  void forward(Output& output, std::uint32_t number, Cycle now);
  std::uint32_t next_waiting(const Output& output) const;
  Queue& queue(std::uint32_t input, std::uint32_t output) { return queues_[input * outputs_.size() + output]; }

  PoolNet& net_;
  std::vector<std::uint32_t> inputs_;
  std::vector<Output> outputs_;
  Route route_;
  std::vector<Queue> queues_;
  std::vector<Held> held_;  ///< flits of all queues, in lists
  std::vector<std::uint32_t> free_;
};

}  // namespace weft::mem
