// SPDX-License-Identifier: Apache-2.0
// An I/O controller: memory outside the wafer, behind a line of limited rate.
#pragma once

#include <cstdint>
#include <deque>

#include "npu/interface/network_interface.h"
#include "wafer/line_pace.h"
#include "wafer/memory/io_plan.h"

namespace weft::wafer {

/// What a controller counts.
struct IoControllerFigures {
  std::uint64_t bytes_in = 0;   ///< towards NPUs, copies on the way not counted
  std::uint64_t bytes_out = 0;  ///< from NPUs, after reductions on the way
  std::uint64_t loads = 0;      ///< shares of pieces sent
  std::uint64_t stores = 0;     ///< shares of pieces taken
};

/// Serves what NPUs ask for, in the order in which they ask: sends shares of loads and confirms shares of stores. On a
/// mesh its line ends at a router whose port carries more, so that it hands over packet by packet as the line brings
/// them; at a switch its link is the line.
class IoController final : public npu::Endpoint {
 public:
  /// `number`: of its site. Attaches itself.
  IoController(const IoPlan& plan, std::uint32_t number, npu::NetworkInterface& network);

  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;

  const IoControllerFigures& figures() const { return figures_; }
  const IoSite& site() const { return plan_.sites()[number_]; }

 private:
  /// Timers: the latency of the memory has passed; the line has brought a packet, or taken a share of a store.
  enum Timer : std::uint64_t { kReady, kBrought, kTaken };
  /// A share of a load.
  struct Load {
    IoTag tag;
    NodeId asker{};
    std::uint64_t bytes = 0;
    std::uint64_t brought = 0;  ///< by the line
  };
  struct Store {
    IoTag tag;
    NodeId sender{};
  };

  void asked(const npu::Delivery& delivery, IoTag tag);
  void send_whole(const Load& load);
  void bring_next();
  void hand_over();
  void confirm(const Store& store);
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
  LinePace in_;
  LinePace out_;
  std::deque<Store> taking_;
  IoControllerFigures figures_;
};

}  // namespace weft::wafer
