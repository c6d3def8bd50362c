// SPDX-License-Identifier: Apache-2.0
// The routers that one message passes: a route, a tree from one sender, or a tree to one receiver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "router/grid_names.h"

namespace weft::sc_models {

/// Collects the routers of a message and what each does with it. Ports are bits (1 << port).
class RouteTree {
 public:
  struct Use {
    NodeId node{};
    std::uint8_t inputs = 0;
    std::uint8_t outputs = 0;
  };

  explicit RouteTree(const router::Grid& grid)
      : grid_(grid), number_(static_cast<std::size_t>(grid.nodes()), kUnused) {}

  /// Forgets the last message.
  void clear();
  /// The message enters at `source`; call first, but for add_operand.
  void start(NodeId source);
  enum class Order { kXThenY, kYThenX };
  /// Adds a receiver; all routes from `source` go along one dimension first.
  void add_receiver(NodeId source, NodeId receiver, Order order = Order::kXThenY);
  /// Adds an operand, which goes X-then-Y to `receiver` and is merged with the others where it meets them.
  void add_operand(NodeId operand, NodeId receiver);
  /// Adds an operand that goes along `path` (every router after its own, the last one the receiver's). InputError that
  /// begins with `subject` where a step is none, or where a router that others pass already sends on to elsewhere.
  void add_operand_path(NodeId operand, const std::vector<NodeId>& path, const std::string& subject);
  /// Goes on from `from` to its neighbour `to` on an explicit path. InputError that begins with `subject` where `to` is
  /// not beside `from`, or was there before.
  void step(NodeId from, NodeId to, const std::string& subject);
  /// The message leaves the fabric at `node`, too.
  void end(NodeId node);

  const std::vector<Use>& uses() const { return uses_; }

 private:
  static constexpr std::uint32_t kUnused = ~std::uint32_t{0};
  Use& use(NodeId node);
  PortId port_to(NodeId from, NodeId to, const std::string& subject) const;

  router::Grid grid_;
  std::vector<std::uint32_t> number_;  ///< per node: its index in uses_
  std::vector<Use> uses_;
};

}  // namespace weft::sc_models
