// SPDX-License-Identifier: Apache-2.0
// The loads and stores of one NPU as messages to and from the I/O controllers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "mem/io/load_store_unit.h"
#include "npu/player/memory_port.h"
#include "sc_models/memory/io_messages.h"
#include "sc_models/memory/io_plan.h"

namespace weft::sc_models {

/// Between a load-store unit and the network interface.
class IoMemoryPort final : public npu::MemoryPort, private mem::LoadStoreUnit::Outlet {
 public:
  /// `allocator`: tells the pool of what begins and ends; null = there is none. `goes_on`: after a refusal; otherwise
  /// it throws ViolationError.
  IoMemoryPort(const IoPlan& plan, RankId rank, npu::NetworkInterface& network, npu::MemoryDone done,
               mem::TensorAllocator* allocator, bool goes_on);

  void start(const npu::MemoryOrder& order) override;
  void store_ahead() override { unit_.store_ahead(); }
  bool copies(const npu::CommGroup& group) const override { return plan_.copies(group); }
  bool reduces(const npu::CommGroup& group) const override { return plan_.reduces(group); }
  void on_data(const npu::Delivery& delivery) override;
  bool on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  void put_state(StateForm& form) override { unit_.put_state(form, for_npu); }
  bool put_message(StateForm& form, npu::MessageId id) override;
  void keep(Checkpoint& checkpoint) override {
    unit_.keep(checkpoint);
    checkpoint.map(open_messages_, [&](npu::MessageId& id, int& count) { checkpoint.values(id, count); });
  }
  std::string waiting_for(std::uint64_t handle) const override { return unit_.waiting_for(handle); }

  const mem::LoadStoreFigures& figures() const { return unit_.figures(); }
  CycleSpans load_spans(Cycle now) const { return unit_.load_spans(now); }

 private:
  Cycle now() const override { return network_.now(); }
  void ask(mem::IoTag tag, std::uint64_t bytes) override;
  void store(mem::IoTag tag, std::uint64_t bytes, std::uint32_t stripe) override;
  void report_room(mem::IoTag tag) override;
  void piece_ended(mem::IoTag tag) override { network_.note_piece(io_tag_family(for_npu(tag))); }
  void done(std::uint64_t handle) override { done_(handle); }

  void refused(mem::IoTag tag, const mem::IoRefusal& refusal);
  npu::Message message_to_controller(mem::IoTag tag) const;
  void send(const npu::Message& message) { ++open_messages_[network_.send(message)]; }

  const IoPlan& plan_;
  RankId rank_;
  npu::NetworkInterface& network_;
  npu::MemoryDone done_;
  bool goes_on_;
  mem::LoadStoreUnit unit_;
  std::map<npu::MessageId, int> open_messages_;
};

}  // namespace weft::sc_models
