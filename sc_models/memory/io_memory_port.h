// SPDX-License-Identifier: Apache-2.0
// Loads and stores of one NPU over the I/O controllers.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "mem/io/tensor_allocator.h"
#include "npu/player/memory_port.h"
#include "sc_models/memory/io_plan.h"

namespace weft::sc_models {

/// What the ports of all NPUs add up.
struct IoPortFigures {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t loaded_bytes = 0;  ///< that arrived here
  std::uint64_t stored_bytes = 0;  ///< that left here
  Cycle load_cycles = 0;           ///< in which a load was under way
  // Before the first store began here.
  std::uint64_t early_bytes = 0;  ///< loaded
  Cycle early_cycles = 0;         ///< in which a load was under way
  std::uint64_t refused = 0;      ///< shares of which the pool has refused some packet
};

/// Cuts loads and stores into pieces, of which `memory.pieces` are under way at once. Loads ask every controller for
/// its share, for a group once all members have room; stores of one group leave one after the other, in one order at
/// all members, as their operands meet in switches.
class IoMemoryPort final : public npu::MemoryPort {
 public:
  /// `allocator`: tells the pool of what begins and ends; null = there is none.
  IoMemoryPort(const IoPlan& plan, RankId rank, npu::NetworkInterface& network, npu::MemoryDone done,
               mem::TensorAllocator* allocator, bool goes_on)
      : plan_(plan), rank_(rank), network_(network), done_(std::move(done)), allocator_(allocator), goes_on_(goes_on) {}

  void start(const npu::MemoryOrder& order) override;
  void store_ahead() override;
  bool copies(const npu::CommGroup& group) const override { return plan_.copies(group); }
  bool reduces(const npu::CommGroup& group) const override { return plan_.reduces(group); }
  void on_data(const npu::Delivery& delivery) override;
  bool on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  std::string waiting_for(std::uint64_t handle) const override;

  const IoPortFigures& figures() const { return figures_; }

 private:
  /// A load or store that is under way, by its tag without piece and controller.
  struct Job {
    npu::MemoryOrder order;
    mem::IoTag tag;
    std::uint32_t first = 0;  ///< controller of a piece's first packet
    std::uint64_t pieces = 0;
    std::uint64_t next = 0;                          ///< piece to begin
    std::uint64_t ended = 0;                         ///< pieces that are through
    std::map<std::uint32_t, std::uint64_t> missing;  ///< of pieces under way: bytes of a load, answers to a store
  };

  void go_on(Job& job);
  void begin_load(Job& job, std::uint32_t piece);
  void has_room(mem::IoTag tag, std::size_t members);
  void ask(const Job& job, std::uint32_t piece);
  void begin_store(Job& job, std::uint32_t piece);
  void piece_ended(std::uint64_t key, Job& job);
  void open_tensor(const Job& job);
  bool allocates(const Job& job) const;
  void refused(mem::IoTag tag, const mem::IoRefusal& refusal);
  void start_stores(std::uint32_t group);
  npu::Message message_to(std::uint32_t site, mem::IoTag tag) const;
  std::uint64_t share(const Job& job, std::uint32_t piece, std::uint32_t site) const;
  void send(const npu::Message& message) { ++open_messages_[network_.send(message)]; }

  const IoPlan& plan_;
  RankId rank_;
  npu::NetworkInterface& network_;
  npu::MemoryDone done_;
  mem::TensorAllocator* allocator_;
  bool goes_on_;  ///< after a refusal
  std::map<std::uint64_t, Job> jobs_;
  std::map<std::uint32_t, std::deque<std::uint64_t>> group_stores_;  ///< by group: jobs in their order; the first sends
  std::map<npu::MessageId, int> open_messages_;
  std::map<std::uint64_t, std::size_t> rooms_;  ///< first member of a group: who has room, by tag
  IoPortFigures figures_;
  int open_loads_ = 0;
  Cycle loads_since_ = 0;
  bool stores_ = false;  ///< one has begun
};

}  // namespace weft::sc_models
