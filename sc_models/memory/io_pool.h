// SPDX-License-Identifier: Apache-2.0
// The pool behind the I/O controllers of a wafer: its fabric, which all controllers share, and at each controller's
// port to it the gate that judges.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/access_probe.h"
#include "base/block.h"
#include "mem/access/source_port.h"
#include "mem/pool/pool_controller.h"
#include "sc_models/memory/io_controller.h"
#include "sc_models/memory/io_plan.h"
#include "sc_models/memory/pool_access_control.h"
#include "sc_models/memory/pool_layout.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// A block of the NPUs' clock that is stepped when something is under way in it. Controllers, which may run on other
/// threads, see it only at the ends of cycles: what they ask for in a cycle enters in the next one, in the order of the
/// controllers, and what is served in a cycle is told in the next one.
class IoPool final : public Block {
 public:
  /// `config` as NPUs see it; adds itself to the NPUs' clock. Throws InputError as pool_of does.
  IoPool(System& system, const IoPlan& plan);
  ~IoPool() override;

  /// Once, when all groups are known and before the first allocator.
  void use_groups(const std::vector<npu::SharedGroup>& groups);
  void add(IoController& controller);
  /// Who is told of all accesses, once all controllers are there.
  void set_probe(AccessProbe* probe);
  /// The allocator of the next rank.
  TensorAllocator& add_allocator();
  const mem::PoolFile& file() const { return file_; }

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  /// After each cycle of the NPUs' clock, outside of it.
  void end_of_cycle();
  void collect(RunResult* result);

 private:
  class Port;

  bool tell_controllers(Cycle now);
  void read_books();
  bool ask_pool(Cycle now);

  System& system_;
  const IoPlan& plan_;
  mem::PoolFile file_;
  std::unique_ptr<PoolLayout> layout_;
  std::unique_ptr<PoolAccessControl> access_control_;  ///< null = everybody may do everything
  mem::PoolController pool_;
  std::vector<std::unique_ptr<Port>> ports_;                  ///< by controller
  std::vector<std::unique_ptr<TensorAllocator>> allocators_;  ///< by rank
  std::map<std::uint64_t, std::uint64_t> open_;  ///< loads and stores under way, by tag: offset in each slice
  Cycle next_ = kNever;
};

}  // namespace weft::sc_models
