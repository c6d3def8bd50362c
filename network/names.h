// SPDX-License-Identifier: Apache-2.0
// The names of nodes and links: the only code that writes them and takes them apart. Builders of networks write them.
// Whoever has a network reads them, and what they are of, from it; take_apart() is for those that only have a file in
// which they stand.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::network {

// ---- nodes

/// `npu[3]`
std::string npu_name(std::size_t number);
/// `io[0]`
std::string io_name(std::size_t number);
/// `router[3]`
std::string router_name(std::size_t number);
/// `router[3,2]`; of a block of routers `x` and `y` are ranges: `router[0-3,2]`.
std::string router_name(int x, int y);
std::string router_name(std::string_view x, std::string_view y);

/// A switch of several levels. What is -1 is not part of the name.
struct SwitchNumbers {
  int level = 0;  ///< from 1
  int group = 0;  ///< the logical switch of its level
  int slice = -1;
  int plane = -1;
};
/// `l2[1]` for a logical switch, `l2[1].slice[0].plane[3]` for a chiplet of it.
std::string switch_name(const SwitchNumbers& numbers);

/// `fabric.router[3,2]`: what lies within the fabric, as signals and paths have it.
std::string in_fabric(std::string_view node);

// ---- links

/// `port[3]`, `to[3]`: one of several ports alike.
std::string numbered_port(std::string_view port, std::size_t number);
/// `fabric.router[3,2].east`: the link out of a port of a node of the fabric.
std::string link_name(std::string_view node, std::string_view port);
/// `npu[3].out`: the link of a network interface into its fabric.
std::string out_link_name(std::string_view node);
/// `npu[3].out.plane[2]`: its link into one plane.
std::string out_link_name(std::string_view node, int plane);

// ---- names in files

enum class NameKind { kNone, kNpu, kIo, kRouter, kSwitch };

/// A name taken apart. Numbers that it does not have are -1.
struct NameParts {
  NameKind kind = NameKind::kNone;
  int number = -1;  ///< number of an NPU or I/O controller, or of a router that has no coordinates
  int x = -1;       ///< column of a router of a grid
  int y = -1;
  SwitchNumbers in_switch{-1, -1, -1, -1};
};

/// The parts of a node's name; kNone for what is no such name.
NameParts take_apart(std::string_view name);
/// The parts of the node at the front of the name of a link or signal: of `fabric.router[3,2]` for
/// `fabric.router[3,2].east.valid`.
NameParts node_in_front(std::string_view name);

/// How the levels of a chiplet's name begin that somebody who looks for it may leave out.
inline constexpr std::array<std::string_view, 2> kChipletLevels{"plane[", "slice["};

}  // namespace weft::network
