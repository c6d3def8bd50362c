// SPDX-License-Identifier: Apache-2.0
#include "network/router_graph.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::network {
namespace {

/// RouterPort::peer_port of a port that is not joined yet.
constexpr std::uint32_t kNone = ~std::uint32_t{0};

}  // namespace

std::uint32_t RouterGraph::add_router(std::string name, std::uint32_t x, std::uint32_t y) {
  routers_.push_back({std::move(name), x, y, {}, 0});
  return static_cast<std::uint32_t>(routers_.size() - 1);
}

void RouterGraph::attach_npu(std::uint32_t router, std::string port_name, const LinkSpec& link) {
  std::vector<RouterPort>& ports = routers_.at(router).ports;
  const auto npu = static_cast<std::uint32_t>(npus_.size());
  npus_.push_back({router, static_cast<std::uint32_t>(ports.size())});
  ports.push_back({std::move(port_name), true, npu, 0, link});
}

void RouterGraph::add_port(std::uint32_t router, std::string name, const LinkSpec& link) {
  routers_.at(router).ports.push_back({std::move(name), false, 0, kNone, link});
}

void RouterGraph::join(Attachment a, Attachment b) {
  RouterPort& at_a = routers_.at(a.router).ports.at(a.port);
  RouterPort& at_b = routers_.at(b.router).ports.at(b.port);
  WEFT_CHECK(a.router != b.router && !at_a.to_npu && !at_b.to_npu && at_a.peer_port == kNone && at_b.peer_port == kNone,
             "a port of a router is joined twice or with its own router");
  at_a.peer = b.router;
  at_a.peer_port = b.port;
  at_b.peer = a.router;
  at_b.peer_port = a.port;
}

void RouterGraph::number_links() {
  links_ = static_cast<std::uint32_t>(npus_.size());
  for (RouterNode& router : routers_) {
    for (const RouterPort& port : router.ports) {
      WEFT_CHECK(port.to_npu || port.peer_port != kNone, "a port of a router leads nowhere");
    }
    router.first_link = links_;
    links_ += static_cast<std::uint32_t>(router.ports.size());
  }
}

Attachment RouterGraph::port_of(LinkId link) const {
  const auto after =
      std::upper_bound(routers_.begin(), routers_.end(), index(link),
                       [](std::uint32_t number, const RouterNode& router) { return number < router.first_link; });
  const auto router = after - 1;
  return {static_cast<std::uint32_t>(router - routers_.begin()), index(link) - router->first_link};
}

}  // namespace weft::network
