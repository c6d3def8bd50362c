// SPDX-License-Identifier: Apache-2.0
// The disaggregated memory pool: I/O controllers, switches and modules, joined by links with credits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/block.h"
#include "mem/pool/pool_module.h"
#include "mem/pool/pool_net.h"
#include "mem/pool/pool_port.h"
#include "mem/pool/pool_spec.h"
#include "mem/pool/pool_switch.h"

namespace weft::mem {

/// A pool as a block. The constructor is the wiring:
///
///   controllers -> switches -> groups -> modules -> groups -> switches -> controllers
///
/// with requests on the way down and responses on the way up; both directions have buffers of their own, so neither can
/// wait for the other in a circle.
class PoolFabric final : public Block {
 public:
  using Done = std::function<void(std::uint64_t id, Cycle now)>;

  /// InputError when the spec cannot be.
  explicit PoolFabric(const PoolSpec& spec);
  PoolFabric(const PoolFabric&) = delete;
  PoolFabric& operator=(const PoolFabric&) = delete;

  const PoolSpec& spec() const { return spec_; }
  /// Gives an access to a controller, which may send it from edge `at` on: later than every edge executed, and not
  /// earlier than that of its last one.
  void submit(std::uint32_t controller, const PoolAccess& access, Cycle at);
  /// Called at the edge at which the last byte, or the last acknowledgement, of an access is at its controller.
  void on_done(const Done& done);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

  /// Accesses that are not done.
  std::size_t open() const;
  /// Nothing is under way and all credits are home.
  bool at_rest() const { return open() == 0 && net_.at_rest(); }

  const PoolPortFigures& controller(std::uint32_t number) const { return ports_[number]->figures(); }
  /// Modules are numbered group by group.
  const PoolModuleFigures& module(std::uint32_t number) const { return modules_[number]->figures(); }
  /// The link between a pool switch and a group: requests, or responses.
  CreditLinkFigures group_link(std::uint32_t pool_switch, std::uint32_t group, bool responses) const;

  /// Hash of all state that influences what the pool does, relative to `now`, the edge that was executed last. Ids of
  /// accesses are not in it.
  std::uint64_t state_hash(Cycle now) const;

  /// For tests of the laws of time: the order in which nodes of one cycle are stepped.
  void set_order(std::vector<std::uint32_t> order);
  std::size_t nodes() const { return nodes_.size(); }

 private:
  /// Numbers of the first node of each kind; request and response halves of a switch are nodes of their own.
  struct Numbers {
    explicit Numbers(const PoolSpec& spec);
    std::uint32_t switch_down, switch_up, group_down, group_up, module, all;
  };

  void add_links(const Numbers& numbers);
  void add_switches();
  void add_modules();
  void add_node(std::unique_ptr<PoolNode> node);

  PoolSpec spec_;
  PoolNet net_;
  // Links: [controller][switch], [switch][group], [module], down and up.
  std::vector<std::vector<std::uint32_t>> controller_down_, controller_up_, group_down_, group_up_;
  std::vector<std::uint32_t> module_down_, module_up_;
  std::vector<std::unique_ptr<PoolNode>> owned_;
  std::vector<PoolNode*> nodes_;
  std::vector<PoolPort*> ports_;
  std::vector<PoolModule*> modules_;
  std::vector<Cycle> next_;  ///< per node
  std::vector<std::uint32_t> order_;
};

}  // namespace weft::mem
