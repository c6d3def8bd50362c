// SPDX-License-Identifier: Apache-2.0
// What a plan of set-up routes must be, before the first cycle.
#include <fmt/format.h>

#include <unordered_map>

#include "base/error.h"
#include "base/rational_math.h"
#include "router/alloc/round_robin.h"
#include "router/colour/colour_plane.h"

namespace weft::router {
namespace {

class PlanCheck {
 public:
  PlanCheck(const ColourPlan& plan, const FabricSpec& fabric) : plan_(plan), fabric_(fabric), grid_(fabric) {}

  void run() {
    if (plan_.empty()) return;
    for (const LinkSpec* link : {&fabric_.link, &fabric_.link_along_y(), &fabric_.local}) {
      if (link->flits_per_cycle != Rational{1, 1}) {
        throw InputError(fmt::format(
            "fabric.router.colours: set-up routes need links of exactly one flit per cycle, found {}; leave "
            "out the bandwidth of the links, or set fabric.router.colours to 0",
            to_text(link->flits_per_cycle)));
      }
    }
    for (const ColourStop& stop : plan_.stops) inputs_[key(stop.node, stop.colour)] = inputs_of(stop);
    for (const ColourStop& stop : plan_.stops) check(stop);
  }

 private:
  static std::uint64_t key(NodeId node, std::uint8_t colour) { return std::uint64_t{index(node)} << 8 | colour; }
  std::uint8_t inputs_of(const ColourStop& stop) const {
    std::uint8_t inputs = 0;
    for (std::uint32_t i = 0; i < stop.count; ++i) inputs |= plan_.positions[stop.first + i].inputs;
    return inputs;
  }
  [[noreturn]] void refuse(const ColourStop& stop, const std::string& what) const {
    const Coordinates at = grid_.coordinates(stop.node);
    throw InputError(fmt::format("colour {} at router [{},{}]: {}", stop.colour, at.x, at.y, what));
  }

  void check(const ColourStop& stop) const {
    if (stop.colour >= fabric_.router.colours) {
      refuse(stop, fmt::format("the routers have colours 0 to {}: fabric.router.colours is {}",
                               fabric_.router.colours - 1, fabric_.router.colours));
    }
    for (std::uint32_t i = 0; i < stop.count; ++i) {
      const ColourPosition& position = plan_.positions[stop.first + i];
      const int inputs = __builtin_popcount(position.inputs);
      if (position.outputs == 0 || inputs == 0) refuse(stop, "a route without input or output");
      if (position.merge != (inputs > 1)) {
        refuse(stop, position.merge ? "a merge of one flow" : "two inputs at once that are not merged");
      }
      check_outputs(stop, position);
    }
  }

  void check_outputs(const ColourStop& stop, const ColourPosition& position) const {
    for_each_bit(std::uint32_t{position.outputs}, [&](int number) {
      const PortId port{static_cast<std::uint8_t>(number)};
      if (port == kLocal) return;
      if ((position.inputs >> number & 1) != 0) {
        refuse(stop, fmt::format("the route goes back to where it comes from, {}", port_name(port)));
      }
      Coordinates there{};
      if (!grid_.neighbour(grid_.coordinates(stop.node), port, &there)) {
        refuse(stop, fmt::format("the route leaves the wafer by {}", port_name(port)));
      }
      const auto next = inputs_.find(key(grid_.node(there), stop.colour));
      if (next == inputs_.end() || (next->second >> (number ^ 1) & 1) == 0) {
        refuse(stop, fmt::format("router [{},{}] has no route for what comes from here", there.x, there.y));
      }
    });
  }

  const ColourPlan& plan_;
  const FabricSpec& fabric_;
  Grid grid_;
  std::unordered_map<std::uint64_t, std::uint8_t> inputs_;
};

}  // namespace

void check_colour_plan(const ColourPlan& plan, const FabricSpec& fabric) { PlanCheck(plan, fabric).run(); }

}  // namespace weft::router
