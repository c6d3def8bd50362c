// SPDX-License-Identifier: Apache-2.0
// Regions of routers with their network interfaces, and the threads that step several of them.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

#include "base/block.h"
#include "base/packet.h"
#include "base/probe_queue.h"
#include "base/region_ports.h"
#include "npu/interface/local_block.h"
#include "router/region.h"
#include "sc_models/waitable_counter.h"

namespace weft::sc_models {

/// Rows of the fabric that one thread steps: a region of routers and the network interfaces at its local ports. What
/// crosses to the neighbours above and below lies in mailboxes: written in one step, read by the neighbour in the next.
class Partition final : private BorderSide {
 public:
  explicit Partition(const router::RegionParameters& parameters);

  /// Joins the network interfaces at the region's local ports. `queued`: calls of the probe wait until `drain_probe`,
  /// because a worker thread steps this partition.
  void connect(npu::LocalBlock& local, FabricProbe* probe, bool queued);
  /// Who is to be told what happens here; null if nobody listens.
  FabricProbe* probe() { return queued_ ? &probe_queue_ : probe_; }
  /// Makes the calls that wait.
  void drain_probe();
  /// Whose rows lie below and above; may be the same partition on a torus, null at the edges.
  void set_neighbours(Partition* below, Partition* above);
  void step(Cycle now);
  Cycle next_work(Cycle now) const;

  router::Region& region() { return *region_; }
  const PacketPool& pool() const { return pool_; }
  /// Flits in the mailboxes that the neighbours have not read.
  std::uint64_t flits_in_mail() const;

 private:
  enum Direction { kBelow, kAbove };
  struct FlitMail {
    std::uint32_t port;
    Cycle at;
    FlitTransfer flit;
  };
  struct CreditMail {
    std::uint32_t port;
    Cycle at;
    VcId vc;
  };
  struct Mailbox {
    std::vector<FlitMail> flits;
    std::vector<CreditMail> credits;
    bool empty() const { return flits.empty() && credits.empty(); }
    void clear() {
      flits.clear();
      credits.clear();
    }
  };

  void send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) override;
  void send_credit(std::uint32_t port, VcId vc, Cycle at) override;
  std::uint32_t port_beyond(std::uint32_t port, Direction* direction) const;
  void read_mail(const Mailbox& mailbox, Cycle now);

  router::Grid grid_;
  PacketPool pool_;
  std::unique_ptr<router::Region> region_;
  npu::LocalBlock* local_ = nullptr;
  Partition* neighbours_[2] = {nullptr, nullptr};
  Mailbox mail_[2][2];  ///< [parity of the step][direction]
  unsigned parity_ = 0;
  FabricProbe* probe_ = nullptr;
  bool queued_ = false;
  ProbeQueue probe_queue_;
};

/// All partitions of a fabric as one block. Each has a thread of its own; the calling thread steps the first one, and
/// then those that their threads have not begun, because these have no core.
class PartitionedFabric final : public Block {
 public:
  /// The partitions outlive it.
  explicit PartitionedFabric(const std::vector<std::unique_ptr<Partition>>& partitions);
  ~PartitionedFabric() override;

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;

 private:
  void work(std::size_t number);
  bool begin(std::size_t number, std::uint64_t round);
  void step_partition(std::size_t number);

  const std::vector<std::unique_ptr<Partition>>& partitions_;
  std::vector<std::thread> workers_;
  std::vector<std::exception_ptr> failures_;
  std::vector<std::atomic<std::uint64_t>> begun_;  ///< by partition: the last turn in which somebody has begun it
  WaitableCounter round_;                          ///< steps that have been asked for
  WaitableCounter finished_;                       ///< steps of partitions other than the first, over all turns
  std::atomic<bool> quit_{false};
  Cycle now_ = 0;
};

}  // namespace weft::sc_models
