// SPDX-License-Identifier: Apache-2.0
// Loads and stores of traces at an I/O controller, as messages to and from NPUs.
#pragma once

#include <cstdint>

#include "mem/io/load_store_server.h"
#include "sc_models/io_controller.h"
#include "sc_models/memory/io_plan.h"

namespace weft::sc_models {

/// Between a load-store server and its controller.
class LoadStoreService final : public IoService, private mem::LoadStoreServer::Outlet {
 public:
  /// `number`: that of the controller's site. All outlive it. Sets itself as the service of `controller`.
  LoadStoreService(const IoPlan& plan, std::uint32_t number, IoController& controller);

  std::uint64_t next_packet() override { return server_.next_packet(); }
  bool may_enter() const override { return true; }
  npu::Message take_packet() override { return data_message(server_.take_packet()); }
  void on_data(const npu::Delivery& delivery) override;
  void on_timer(std::uint64_t cookie) override;
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override {
    server_.keep(checkpoint);
    checkpoint.values(stripe_);
  }

  /// What is asked of the pool and answered by it.
  mem::PoolClient& pool_client() { return server_.pool_client(); }
  /// Answers are to be looked at in cycle `at`. Called between cycles.
  void pool_answers_at(Cycle at) { schedule(at - now(), mem::LoadStoreServer::Timer::kAnswered); }

  const IoSite& site() const { return controller_.site(); }
  const mem::LoadStoreServerFigures& figures() const { return server_.figures(); }

 private:
  Cycle now() const override { return controller_.now(); }
  void schedule(Cycle delay, mem::LoadStoreServer::Timer timer) override;
  void bring() override { controller_.go_on(); }
  std::uint64_t send(const mem::LoadStoreServer::Part& share, std::uint64_t ready) override;
  void release(std::uint64_t number, std::uint64_t bytes) override;
  void confirm(mem::IoTag tag, NodeId sender) override;
  void refuse(mem::IoTag tag, NodeId peer, const mem::IoRefusal& refusal) override;

  npu::Message data_message(const mem::LoadStoreServer::Part& part);

  const IoPlan& plan_;
  std::uint32_t number_;
  IoController& controller_;
  mem::LoadStoreServer server_;
  std::uint32_t stripe_ = 0;  ///< plane of the next packet, not yet modulo their number
};

}  // namespace weft::sc_models
