// SPDX-License-Identifier: Apache-2.0
// Where I/O controllers sit, and how the streams of controllers spread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fabric_flows.h"
#include "config/config.h"
#include "npu/interface/network_interface.h"

namespace weft::sc_models {

enum class Side { kLeft, kRight, kBottom, kTop };

/// A controller at the border of a mesh.
struct BorderSite {
  NodeId node{};  ///< the NPU whose port it shares
  Side side = Side::kLeft;
  bool x_first = true;             ///< the tree of its stream goes along x first, then along y
  std::uint8_t message_class = 0;  ///< trees along y first have one of their own, or they could deadlock with others
};

/// The sites of `fabric.io.controllers` controllers: the left side (x = 0) from y = 0 on, then the right side,
/// the bottom (y = 0) from x = 0 on, and the top. A corner has two sites.
std::vector<BorderSite> border_io_sites(const FabricSpec& fabric);

std::string_view name_of(Side side);

/// An I/O controller of a wafer.
struct IoSite {
  NodeId node{};
  npu::MessageClass data_class{};  ///< message class of what it sends to NPUs
  std::string name;                ///< "io[3]" or "npu[4] left"
};

/// All of a wafer, by number: nodes behind the NPUs, or at the border of a mesh.
std::vector<IoSite> io_sites(const FabricSpec& fabric);

/// The stream of controller `number` of a FRED fabric as a flow of its switches: from the controller to all NPUs.
FabricFlow stream_flow(const FabricSpec& fabric, std::uint32_t number);

}  // namespace weft::sc_models
