// SPDX-License-Identifier: Apache-2.0
// An I/O controller: memory outside the wafer, behind a line of limited rate.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "mem/io/line_pace.h"
#include "mem/io/pool_client.h"
#include "npu/interface/network_interface.h"
#include "sc_models/memory/io_plan.h"

namespace weft::sc_models {

/// What a controller counts.
struct IoControllerFigures {
  std::uint64_t bytes_in = 0;   ///< towards NPUs, copies on the way not counted
  std::uint64_t bytes_out = 0;  ///< from NPUs, after reductions on the way
  std::uint64_t loads = 0;      ///< shares of pieces sent
  std::uint64_t stores = 0;     ///< shares of pieces taken
};

/// Serves what NPUs ask for: sends shares of loads and confirms shares of stores. Without a pool each has the same
/// latency, so that they are served in the order in which they come; in front of a pool they end when it has
/// served them, packet by packet. On a mesh its line ends at a router whose port carries more, so that it hands over
/// packet by packet as the line brings them; at a switch its link is the line.
class IoController final : public npu::Endpoint {
 public:
  /// `number`: of its site. Attaches itself.
  IoController(const IoPlan& plan, std::uint32_t number, npu::NetworkInterface& network);

  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;

  /// What is asked of the pool and answered by it.
  mem::PoolClient& pool_client() { return pool_client_; }
  /// Answers are to be looked at in cycle `at`. Called between cycles.
  void pool_answers_at(Cycle at) { network_.schedule(at - network_.now(), kAnswered); }

  const IoControllerFigures& figures() const { return figures_; }
  const IoSite& site() const { return plan_.sites()[number_]; }

 private:
  /// Timers: the latency of the memory has passed; the line has brought a packet, or taken one of a store; the pool has
  /// answered.
  enum Timer : std::uint64_t { kReady, kBrought, kTaken, kAnswered };
  /// A share of a load.
  struct Load {
    mem::IoTag tag;
    NodeId asker{};
    std::uint64_t bytes = 0;
    std::uint64_t brought = 0;  ///< by the line
    std::uint64_t ready = 0;    ///< at its beginning: served by the memory
    std::uint64_t number = 0;   ///< of the share at the pool client
    npu::MessageId message{};   ///< at a switch, while the pool serves it
  };
  /// A packet of a store; without a pool only the last one of a share.
  struct Store {
    mem::IoTag tag;
    NodeId sender{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool last = false;
  };

  bool has_pool() const { return !plan_.config().memory.pool.empty(); }
  void asked(const npu::Delivery& delivery, mem::IoTag tag);
  void begin(Load load);
  npu::MessageId send_whole(const Load& load);
  void taken(const Store& store);
  void hear_pool();
  void go_on(const mem::PoolProgress& progress);
  void send_refusal(const mem::PoolProgress& progress);
  void bring_next();
  void hand_over();
  void confirm(mem::IoTag tag, NodeId sender);
  npu::Message data_message(const Load& load, std::uint64_t bytes);

  const IoPlan& plan_;
  std::uint32_t number_;
  npu::NetworkInterface& network_;
  std::deque<Load> waiting_;          ///< for the latency
  std::deque<Load> loads_;            ///< on a mesh: to be brought
  std::deque<npu::Message> brought_;  ///< on a mesh: one is sent, one waits
  bool bringing_ = false;
  bool sending_ = false;
  npu::MessageId sent_{};
  std::uint32_t stripe_ = 0;  ///< plane of the next packet, not yet modulo their number
  mem::LinePace in_;
  mem::LinePace out_;
  std::deque<Store> taking_;
  mem::PoolClient pool_client_;
  std::map<std::uint64_t, Load>
      pooled_;  ///< by number at the pool client: not yet begun, or at a switch not yet served
  IoControllerFigures figures_;
};

}  // namespace weft::sc_models
