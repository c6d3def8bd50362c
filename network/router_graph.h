// SPDX-License-Identifier: Apache-2.0
// Routers with any number of ports, joined in any way: what small builders of network/kinds/ make.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.h"
#include "config/config.h"

namespace weft::network {

/// One port of a router: a link in each direction.
struct RouterPort {
  std::string name;             ///< name of the link out of it: `east`, `local`
  bool to_npu = false;          ///< an NPU is there; otherwise another router
  std::uint32_t peer = 0;       ///< number of the NPU, or of the router
  std::uint32_t peer_port = 0;  ///< port of that router
  LinkSpec link;                ///< link of both directions
};

struct RouterNode {
  std::string name;     ///< `router[3]`
  std::uint32_t x = 0;  ///< where to draw it
  std::uint32_t y = 0;
  std::vector<RouterPort> ports;
  std::uint32_t first_link = 0;  ///< number of the link out of port 0; those of the others follow
};

/// A port of a router; of an NPU: where it is attached.
struct Attachment {
  std::uint32_t router = 0;
  std::uint32_t port = 0;
};

/// Numbers of links: first those from NPUs into routers, by NPU, then those out of routers, by router and port.
class RouterGraph {
 public:
  /// A router without ports; returns its number.
  std::uint32_t add_router(std::string name, std::uint32_t x, std::uint32_t y);
  /// Attaches the next NPU.
  void attach_npu(std::uint32_t router, std::string port_name, const LinkSpec& link);
  /// A port towards another router, for join.
  void add_port(std::uint32_t router, std::string name, const LinkSpec& link);
  /// Joins ports of two routers, whose links must be alike.
  void join(Attachment a, Attachment b);
  /// To be called once when all is there.
  void number_links();

  const std::vector<RouterNode>& routers() const { return routers_; }
  /// By NPU.
  const std::vector<Attachment>& npus() const { return npus_; }
  std::uint32_t links() const { return links_; }
  LinkId link_of(std::uint32_t router, std::uint32_t port) const { return LinkId{routers_[router].first_link + port}; }
  /// Router and port of a link out of a router.
  Attachment port_of(LinkId link) const;

 private:
  std::vector<RouterNode> routers_;
  std::vector<Attachment> npus_;
  std::uint32_t links_ = 0;
};

}  // namespace weft::network
