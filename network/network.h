// SPDX-License-Identifier: Apache-2.0
// The network as a description: nodes, links, and what both are called. It is a function of the resolved configuration
// alone, is there before SystemC elaborates, and never changes. Waves, log, tables and the system read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rational.h"
#include "base/types.h"

namespace weft::network {

enum class NodeKind : std::uint8_t {
  kNpu,
  kIoController,
  kSwitch,  ///< tells what it does (its setting, its flows); routers do not
};

/// Clock domains by number.
inline constexpr std::size_t kFabricClock = 0;
inline constexpr std::size_t kNpuClock = 1;

/// Who sends and receives packets, or a switch whose activity can be watched.
struct Node {
  NodeKind kind = NodeKind::kNpu;
  std::string name;     ///< `npu[3]`, `io[0]`, `fabric.l1[2].plane[0]`
  std::uint32_t x = 0;  ///< where to draw it, in steps of one node
  std::uint32_t y = 0;
  std::size_t clock = kFabricClock;
};

/// The parts of a fabric that a link lies in as a whole; -1 = it lies in none, or leads from one to another.
struct LinkParts {
  int row = -1;  ///< row and column of a grid: a link between a router and its NPU lies in both
  int column = -1;
  int plane = -1;  ///< plane of a fabric of switches
};

/// One directed link with credits. Signals and statistics of it lie beneath `name`.
struct Link {
  std::string name;  ///< `fabric.router[3,2].east`; "" = a number that no link has
  std::string from;  ///< who sends: `router[3,2]`
  std::string to;    ///< who receives
  Rational flits_per_cycle{1, 1};
  int vcs = 1;
  std::vector<std::string> vc_names;  ///< where they have names: one for each VC
  std::vector<int> buffer_flits;      ///< behind the link: one size for all VCs, or one for each
  std::size_t clock = kFabricClock;   ///< clock domain of the sender
  LinkParts parts;
};

/// Links that tables show as one row: one link, or those of an interface into all planes.
struct LinkRow {
  std::string name;
  std::string from;
  std::string to;
  Rational flits_per_cycle{1, 1};  ///< flits per cycle of all its links together
  bool at_endpoint = false;        ///< from or to a network interface; other links are between routers or switches
};

/// Who sends on the links of a row: a network interface, or a port of a router or switch. Owners have the numbers of
/// their blocks: nodes, routers, chiplets.
struct LinkSource {
  bool interface = false;
  std::uint32_t owner = 0;
  std::uint32_t port = 0;  ///< port of the router or switch
};

/// The numbers are those of the blocks: NodeId and LinkId of probes, endpoints of interfaces, rows of tables.
/// Everything is made when it is asked for, so that the names of a million links need not exist at once.
class Network {
 public:
  virtual ~Network() = default;
  /// NPUs, then I/O controllers: nodes with a network interface.
  virtual std::size_t endpoints() const = 0;
  /// Endpoints, then switches.
  virtual std::size_t nodes() const = 0;
  virtual Node node(NodeId node) const = 0;
  /// Links have the numbers from 0 to links() - 1; some numbers may stand for none.
  virtual std::size_t links() const = 0;
  virtual Link link(LinkId link) const = 0;
  virtual std::size_t link_rows() const = 0;
  virtual LinkRow link_row(std::size_t number) const = 0;
  virtual LinkSource row_source(std::size_t number) const = 0;
  /// For the first line of a report: "8 x 8 mesh, xy".
  virtual std::string summary() const = 0;
};

}  // namespace weft::network
