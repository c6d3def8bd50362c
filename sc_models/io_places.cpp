// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_places.h"

namespace weft::sc_models {

std::vector<IoPlace> border_io_places(const FabricSpec& fabric) {
  std::vector<IoPlace> places;
  const bool edge_first = fabric.border_io.routing == IoRouting::kEdgeFirst;
  const auto add = [&](int x, int y, Side side) {
    if (static_cast<int>(places.size()) == fabric.border_io.controllers) return;
    const bool x_first = !edge_first || side == Side::kLeft || side == Side::kRight;
    const std::uint8_t message_class = x_first ? 0 : 1;
    places.push_back({NodeId{static_cast<std::uint32_t>(y * fabric.size_x + x)}, side, x_first, message_class});
  };
  for (int y = 0; y < fabric.size_y; ++y) add(0, y, Side::kLeft);
  for (int y = 0; y < fabric.size_y; ++y) add(fabric.size_x - 1, y, Side::kRight);
  for (int x = 0; x < fabric.size_x; ++x) add(x, 0, Side::kBottom);
  for (int x = 0; x < fabric.size_x; ++x) add(x, fabric.size_y - 1, Side::kTop);
  return places;
}

std::string_view name_of(Side side) {
  constexpr std::string_view kNames[] = {"left", "right", "bottom", "top"};
  return kNames[static_cast<int>(side)];
}

FabricFlow stream_flow(const FabricSpec& fabric, std::uint32_t number) {
  const auto npus = static_cast<std::uint32_t>(fabric.nodes());
  FabricFlow flow;
  flow.inputs = {NodeId{npus + number}};
  for (std::uint32_t node = 0; node < npus; ++node) flow.outputs.push_back(NodeId{node});
  return flow;
}

}  // namespace weft::sc_models
