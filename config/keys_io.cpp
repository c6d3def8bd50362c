// SPDX-License-Identifier: Apache-2.0
// Keys of the I/O controllers at any fabric.
#include "config/fabric_rules.h"
#include "config/key_builders.h"

namespace weft {

void add_io_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(integer_key(
      "io.controllers", 0, 65535, "0",
      "I/O controllers. With fred they are spread as evenly as possible over the switches of the lowest level, as "
      "nodes "
      "of their own behind the NPUs. On a mesh they sit beside the NPUs of the border, whose ports they share: first "
      "along the left side from y = 0 on, then along the right side, then along the bottom (y = 0) from x = 0 on, then "
      "along the top; at most 2 (X + Y). A torus has no border.",
      [](auto& c) -> auto& { return c.fabric.io.controllers; }));
  ConfigKey bandwidth = basic_key("io.bandwidth", ValueType::kBandwidth, "",
                                  "Bandwidth of each direction of one controller, with fred in all planes together.");
  bandwidth.note = "one flit per cycle, with fred in each plane";
  bandwidth.range.low = Rational{1, 1};
  bandwidth.needs = {"clock", "fabric.flit_bytes", "fabric.levels[0].planes"};
  bandwidth.apply = [](Config& c, const Value& v) {
    c.fabric.io.rate = rules_of(c.fabric).io_rate(c, std::get<Rational>(v));
  };
  bandwidth.show = [](const Config& c) { return rules_of(c.fabric).io_bandwidth_text(c); };
  keys.push_back(bandwidth);
  ConfigKey routing = word_key(
      "io.routing", io_routing_names(), "edge_first",
      "How the streams of controllers spread over a mesh. edge_first: straight in from the controller's side, then "
      "along "
      "it, so that left and right go X-Y, and bottom and top Y-X in VCs of their own (npu.message_classes 2). xy: all "
      "along x first.",
      [](auto& c) -> auto& { return c.fabric.io.routing; });
  keys.push_back(routing.only_with(FabricFeature::kRows, "one way for all"));
}

}  // namespace weft
