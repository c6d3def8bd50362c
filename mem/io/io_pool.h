// SPDX-License-Identifier: Apache-2.0
// The pool behind the I/O controllers of a wafer: its fabric, which all controllers share, and at each controller's
// port to it the access check that judges.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/access_probe.h"
#include "base/block.h"
#include "base/clock_domain.h"
#include "mem/figures.h"
#include "mem/io/io_shares.h"
#include "mem/io/pool_access_control.h"
#include "mem/io/pool_client.h"
#include "mem/io/pool_layout.h"
#include "mem/io/tensor_allocator.h"
#include "mem/pool/pool_controller.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// Who uses a pool.
struct PoolUsers {
  std::vector<NodeId> placement;  ///< node of each rank
  std::uint32_t nodes = 0;        ///< nodes of the wafer, I/O controllers too; identities of groups come behind them
  NodeId summed{};                ///< stands for the source of what switches have summed
  std::vector<PoolGroup> groups;  ///< by number
};

/// A block of the NPUs' clock that is stepped when something is under way in it. Controllers, which may run on other
/// threads, see it only at the ends of cycles: what they ask for in a cycle enters in the next one, in the order of the
/// controllers, and what is served in a cycle is told in the next one.
class IoPool final : public Block {
 public:
  /// Told, between cycles, the cycle in which there are answers for a controller.
  using AnswersAt = std::function<void(Cycle at)>;

  /// Adds itself to `clock`, that of the NPUs, which outlives it.
  IoPool(ClockDomain& clock, PoolFile file, const IoShares& shares);
  ~IoPool() override;

  /// Once, when all groups are known and before the first controller and allocator. Throws InputError where the pool
  /// has no page for each, and for a grant to a group that does not exist.
  void set_users(PoolUsers users);
  /// The next controller: its name, and what it asks for.
  void add(std::string name, PoolClient& client, AnswersAt answers_at);
  /// Who is told of all accesses, once all controllers are there.
  void set_probe(AccessProbe* probe);
  /// The allocator of the next rank.
  TensorAllocator& add_allocator();
  const PoolFile& file() const { return file_; }

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  /// After each cycle of the NPUs' clock, outside of it.
  void end_of_cycle();

  /// Lines of memory.csv, up to the present cycle.
  std::vector<MemoryRow> figures();
  /// All packets that were refused.
  std::uint64_t refused() const { return access_control_ ? access_control_->refused() : 0; }
  /// The refused packets that were logged, by time.
  std::vector<RefusedRecord> refused_log() const;

 private:
  class Port;

  bool tell_controllers(Cycle now);
  void follow_allocators();
  bool ask_pool(Cycle now);

  ClockDomain& clock_;
  PoolFile file_;
  IoShares shares_;
  std::unique_ptr<PoolLayout> layout_;
  std::unique_ptr<PoolAccessControl> access_control_;  ///< null = everybody may do everything
  PoolController pool_;
  std::vector<std::unique_ptr<Port>> ports_;                  ///< by controller
  std::vector<std::unique_ptr<TensorAllocator>> allocators_;  ///< by rank
  std::map<std::uint64_t, std::uint64_t> open_;  ///< loads and stores under way, by tag: offset in each slice
  Cycle next_ = kNever;
};

}  // namespace weft::mem
