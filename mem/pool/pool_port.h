// SPDX-License-Identifier: Apache-2.0
// The port at which the accesses of an I/O controller enter the pool: cuts them into packets and collects the answers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "mem/pool/pool_net.h"

namespace weft::mem {

/// A read or write of the pool.
struct PoolAccess {
  std::uint64_t id = 0;  ///< given back when it is done
  Command command = Command::kRead;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< at least 1
};

/// What crossed a port.
struct PoolPortFigures {
  std::uint64_t accesses = 0;
  std::uint64_t read_bytes = 0;
  std::uint64_t written_bytes = 0;
  std::size_t queue_max = 0;  ///< accesses that were not yet sent as a whole
};

/// Accesses are sent in the order of their submission and may end in another.
class PoolPort final : public PoolNode {
 public:
  using Done = std::function<void(std::uint64_t id, Cycle now)>;

  /// `down` and `up`: links to and from each pool switch.
  PoolPort(PoolNet& net, const PoolSpec& spec, std::uint32_t number, std::vector<std::uint32_t> down,
           std::vector<std::uint32_t> up);

  /// The access may be sent from edge `at` on; edges do not decrease.
  void submit(const PoolAccess& access, Cycle at);
  void on_done(Done done) { done_ = std::move(done); }

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  std::uint64_t state_hash(Cycle now, const AccessAges& accesses) const override;
  std::uint64_t age(std::uint32_t slot) const { return submitted_ - slots_[slot].number; }
  const PoolPortFigures& figures() const { return figures_; }
  std::size_t open() const { return slots_.size() - free_slots_.size(); }

 private:
  struct Waiting {
    PoolAccess left;  ///< what is still to be cut
    Cycle from;
    std::uint32_t slot;
  };
  struct Slot {
    std::uint64_t id = 0;
    std::uint64_t packets = 0;  ///< under way
    bool is_cut = false;        ///< no packet is to follow
    bool is_open = true;
    std::uint64_t number = 0;  ///< how many accesses were submitted before
  };
  struct Sending {
    std::uint32_t packet = 0;
    std::uint32_t link = 0;
    std::uint64_t flits = 0;
    std::uint64_t sent = 0;
  };

  void send(Cycle now);
  bool cut_next(Cycle now);
  void collect(Cycle now);
  std::size_t next_full(std::size_t first) const;
  void complete(std::uint32_t packet, Cycle now);

  PoolNet& net_;
  PoolSpec spec_;
  const PoolMapping& mapping_;
  std::uint32_t number_;
  std::vector<std::uint32_t> down_;
  std::vector<std::uint32_t> up_;
  LinkRate out_;
  LinkRate in_;
  std::deque<Waiting> waiting_;
  Sending sending_;
  std::uint32_t under_way_ = 0;  ///< packets
  std::size_t next_up_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t submitted_ = 0;
  Done done_;
  PoolPortFigures figures_;
};

}  // namespace weft::mem
