// SPDX-License-Identifier: Apache-2.0
#include "sc_models/route_tree.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::sc_models {
namespace {

using router::Coordinates;
using router::kLocal;

std::uint8_t bit(PortId port) { return static_cast<std::uint8_t>(1U << index(port)); }

/// The direction from a router to its neighbour along the route X-then-Y to `to`; kLocal when there.
PortId towards(Coordinates from, Coordinates to) {
  if (from.x != to.x) return to.x > from.x ? router::kEast : router::kWest;
  if (from.y != to.y) return to.y > from.y ? router::kNorth : router::kSouth;
  return kLocal;
}

/// The router beyond `port` on the mesh: no wrap-around.
Coordinates beyond(Coordinates from, PortId port) {
  if (port == router::kEast) return {from.x + 1, from.y};
  if (port == router::kWest) return {from.x - 1, from.y};
  return {from.x, port == router::kNorth ? from.y + 1 : from.y - 1};
}

}  // namespace

void RouteTree::clear() {
  for (const Use& each : uses_) number_[index(each.node)] = kUnused;
  uses_.clear();
}

RouteTree::Use& RouteTree::use(NodeId node) {
  std::uint32_t& number = number_[index(node)];
  if (number == kUnused) {
    number = static_cast<std::uint32_t>(uses_.size());
    uses_.push_back({node, 0, 0});
  }
  return uses_[number];
}

void RouteTree::start(NodeId source) { use(source).inputs = bit(kLocal); }

void RouteTree::end(NodeId node) { use(node).outputs |= bit(kLocal); }

// Goes back to the first router that the message passes anyway.
void RouteTree::add_receiver(NodeId source, NodeId receiver, Order order) {
  const Coordinates from = grid_.coordinates(source);
  Coordinates at = grid_.coordinates(receiver);
  std::uint8_t output = bit(kLocal);
  for (;;) {
    Use& here = use(grid_.node(at));
    here.outputs |= output;
    if (here.inputs != 0) return;
    // The last step of the route here was along the second dimension unless nothing had to be done there.
    const bool along_y = order == Order::kXThenY ? at.y != from.y : at.x == from.x;
    const PortId back =
        along_y ? (at.y > from.y ? router::kSouth : router::kNorth) : (at.x > from.x ? router::kWest : router::kEast);
    here.inputs = bit(back);
    output = bit(router::opposite(back));
    at = beyond(at, back);
  }
}

void RouteTree::add_operand(NodeId operand, NodeId receiver) {
  const Coordinates to = grid_.coordinates(receiver);
  Coordinates at = grid_.coordinates(operand);
  std::uint8_t input = bit(kLocal);
  for (;;) {
    Use& here = use(grid_.node(at));
    here.inputs |= input;
    if (here.outputs != 0) return;
    const PortId out = towards(at, to);
    here.outputs = bit(out);
    if (out == kLocal) return;
    input = bit(router::opposite(out));
    at = beyond(at, out);
  }
}

PortId RouteTree::port_to(NodeId from, NodeId to, const std::string& subject) const {
  const Coordinates here = grid_.coordinates(from);
  const Coordinates there = grid_.coordinates(to);
  for (const PortId port : {router::kEast, router::kWest, router::kNorth, router::kSouth}) {
    const Coordinates next = beyond(here, port);
    if (next.x == there.x && next.y == there.y) return port;
  }
  throw InputError(fmt::format("{}: the path goes from router [{},{}] to [{},{}], which is not beside it", subject,
                               here.x, here.y, there.x, there.y));
}

void RouteTree::step(NodeId from, NodeId to, const std::string& subject) {
  const PortId port = port_to(from, to, subject);
  if (use(to).inputs != 0) {
    const Coordinates there = grid_.coordinates(to);
    throw InputError(fmt::format("{}: the path comes to router [{},{}] twice, which makes a circle of the route",
                                 subject, there.x, there.y));
  }
  use(from).outputs |= bit(port);
  use(to).inputs = bit(router::opposite(port));
}

void RouteTree::add_operand_path(NodeId operand, const std::vector<NodeId>& path, const std::string& subject) {
  NodeId at = operand;
  std::uint8_t input = bit(kLocal);
  std::vector<NodeId> passed{operand};
  for (std::size_t i = 0; i <= path.size(); ++i) {
    const std::uint8_t output = i == path.size() ? bit(kLocal) : bit(port_to(at, path[i], subject));
    Use& here = use(at);
    here.inputs |= input;
    if (here.outputs != 0 && here.outputs != output) {
      const Coordinates where = grid_.coordinates(at);
      throw InputError(
          fmt::format("{}: at router [{},{}] another operand of the flow goes on to another side; what meets "
                      "in a router is merged and has one way on",
                      subject, where.x, where.y));
    }
    here.outputs = output;
    if (i == path.size()) return;
    input = bit(router::opposite(port_to(at, path[i], subject)));
    at = path[i];
    if (std::find(passed.begin(), passed.end(), at) != passed.end()) {
      const Coordinates where = grid_.coordinates(at);
      throw InputError(fmt::format("{}: the path comes to router [{},{}] twice, which makes a circle of the route",
                                   subject, where.x, where.y));
    }
    passed.push_back(at);
  }
}

}  // namespace weft::sc_models
