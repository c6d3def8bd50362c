// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_fabric.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace weft::mem {
namespace {

const PoolSpec& checked(const PoolSpec& spec) {
  check_pool(spec);
  return spec;
}

std::uint32_t to_group(const PoolPacket& packet) { return packet.location.group; }
std::uint32_t to_module(const PoolPacket& packet) { return packet.location.module; }
std::uint32_t to_lane(const PoolPacket& packet) { return packet.location.lane; }
std::uint32_t to_controller(const PoolPacket& packet) { return packet.controller; }

/// Links [first][number] of all `first`.
std::vector<std::uint32_t> column(const std::vector<std::vector<std::uint32_t>>& links, std::uint32_t number) {
  std::vector<std::uint32_t> picked;
  for (const auto& row : links) picked.push_back(row[number]);
  return picked;
}

}  // namespace

PoolFabric::Numbers::Numbers(const PoolSpec& spec)
    : switch_down(spec.controllers),
      switch_up(switch_down + spec.switches),
      group_down(switch_up + spec.switches),
      group_up(group_down + spec.groups),
      module(group_up + spec.groups),
      all(module + spec.all_modules()) {}

PoolFabric::PoolFabric(const PoolSpec& spec) : spec_(checked(spec)) {
  const Numbers numbers(spec_);
  add_links(numbers);
  for (std::uint32_t c = 0; c < spec_.controllers; ++c) {
    auto port = std::make_unique<PoolPort>(net_, spec_, c, controller_down_[c], controller_up_[c]);
    ports_.push_back(port.get());
    add_node(std::move(port));
  }
  add_switches();
  add_modules();
  WEFT_CHECK(nodes_.size() == numbers.all, "the memory pool has another number of nodes than its links know");
  next_.assign(nodes_.size(), kNever);
  order_.resize(nodes_.size());
  std::iota(order_.begin(), order_.end(), 0U);
}

void PoolFabric::add_links(const Numbers& numbers) {
  for (std::uint32_t c = 0; c < spec_.controllers; ++c) {
    auto& down = controller_down_.emplace_back();
    auto& up = controller_up_.emplace_back();
    for (std::uint32_t s = 0; s < spec_.switches; ++s) {
      down.push_back(net_.add_link(spec_.controller_link, c, numbers.switch_down + s));
      up.push_back(net_.add_link(spec_.controller_link, numbers.switch_up + s, c));
    }
  }
  for (std::uint32_t s = 0; s < spec_.switches; ++s) {
    auto& down = group_down_.emplace_back();
    auto& up = group_up_.emplace_back();
    for (std::uint32_t g = 0; g < spec_.groups; ++g) {
      down.push_back(net_.add_link(spec_.group_link, numbers.switch_down + s, numbers.group_down + g));
      up.push_back(net_.add_link(spec_.group_link, numbers.group_up + g, numbers.switch_up + s));
    }
  }
  for (std::uint32_t m = 0; m < spec_.all_modules(); ++m) {
    const std::uint32_t group = m / spec_.modules;
    module_down_.push_back(net_.add_link(spec_.module_link, numbers.group_down + group, numbers.module + m));
    module_up_.push_back(net_.add_link(spec_.module_link, numbers.module + m, numbers.group_up + group));
  }
}

void PoolFabric::add_switches() {
  for (std::uint32_t s = 0; s < spec_.switches; ++s)
    add_node(std::make_unique<PoolSwitch>(net_, column(controller_down_, s), group_down_[s], to_group));
  for (std::uint32_t s = 0; s < spec_.switches; ++s)
    add_node(std::make_unique<PoolSwitch>(net_, group_up_[s], column(controller_up_, s), to_controller));
  const auto of_group = [this](const std::vector<std::uint32_t>& links, std::uint32_t group) {
    const auto first = links.begin() + static_cast<std::ptrdiff_t>(std::size_t{group} * spec_.modules);
    return std::vector<std::uint32_t>(first, first + spec_.modules);
  };
  for (std::uint32_t g = 0; g < spec_.groups; ++g)
    add_node(std::make_unique<PoolSwitch>(net_, column(group_down_, g), of_group(module_down_, g), to_module));
  for (std::uint32_t g = 0; g < spec_.groups; ++g)
    add_node(std::make_unique<PoolSwitch>(net_, of_group(module_up_, g), column(group_up_, g), to_lane));
}

void PoolFabric::add_modules() {
  for (std::uint32_t m = 0; m < spec_.all_modules(); ++m) {
    auto module = std::make_unique<PoolModule>(net_, spec_, module_down_[m], module_up_[m]);
    modules_.push_back(module.get());
    add_node(std::move(module));
  }
}

void PoolFabric::add_node(std::unique_ptr<PoolNode> node) {
  nodes_.push_back(node.get());
  owned_.push_back(std::move(node));
}

void PoolFabric::submit(std::uint32_t controller, const PoolAccess& access, Cycle at) {
  WEFT_CHECK(controller < ports_.size(),
             fmt::format("I/O controller {} of {} of a memory pool", controller, ports_.size()));
  ports_[controller]->submit(access, at);
  next_[controller] = std::min(next_[controller], at);
}

void PoolFabric::on_done(const Done& done) {
  for (PoolPort* port : ports_) port->on_done(done);
}

void PoolFabric::step(Cycle now) {
  const auto wake = [this, now](std::uint32_t node, std::uint32_t /*link*/) {
    next_[node] = std::min(next_[node], now);
  };
  net_.deliver(now, wake, wake);
  for (const std::uint32_t node : order_) {
    if (next_[node] > now) continue;
    nodes_[node]->step(now);
    next_[node] = nodes_[node]->next_work(now);
  }
}

Cycle PoolFabric::next_work(Cycle now) const {
  const Cycle next = std::min(net_.next_arrival(now), *std::min_element(next_.begin(), next_.end()));
  WEFT_CHECK(next != kNever || open() == 0,
             fmt::format("{} accesses of the memory pool are under way, and nothing moves any more", open()));
  return next == kNever ? next : std::max(next, now + 1);
}

std::size_t PoolFabric::open() const {
  std::size_t open = 0;
  for (const PoolPort* port : ports_) open += port->open();
  return open;
}

CreditLinkFigures PoolFabric::group_link(std::uint32_t pool_switch, std::uint32_t group, bool responses) const {
  return net_.figures((responses ? group_up_ : group_down_)[pool_switch][group]);
}

std::uint64_t PoolFabric::state_hash(Cycle now) const {
  class Ages final : public AccessAges {
   public:
    explicit Ages(const std::vector<PoolPort*>& ports) : ports_(ports) {}
    std::uint64_t age(std::uint32_t controller, std::uint32_t slot) const override {
      return ports_[controller]->age(slot);
    }

   private:
    const std::vector<PoolPort*>& ports_;
  };
  const Ages ages(ports_);
  StateHash hash;
  hash.add(net_.state_hash(now, [&](PoolFlit flit) { return net_.flit_hash(flit, ages); }));
  for (const PoolNode* node : nodes_) hash.add(node->state_hash(now, ages));
  return hash.value();
}

void PoolFabric::set_order(std::vector<std::uint32_t> order) {
  WEFT_CHECK(order.size() == nodes_.size(), "an order of the pool's nodes leaves some out");
  order_ = std::move(order);
}

}  // namespace weft::mem
