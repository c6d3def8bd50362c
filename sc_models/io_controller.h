// SPDX-License-Identifier: Apache-2.0
// An I/O controller: joins the wafer with what lies outside, behind a line of limited rate.
#pragma once

#include <cstdint>

#include "base/rational.h"
#include "mem/io/line_pace.h"
#include "npu/interface/network_interface.h"
#include "sc_models/io_service.h"
#include "sc_models/io_sites.h"

namespace weft::sc_models {

/// The line into a router: its rate in flits per cycle.
struct IoLine {
  Rational rate;
  std::uint64_t flit_bytes = 1;
};

/// The endpoint of a controller at the fabric. On a mesh its line ends at a router whose port carries more, so that it
/// hands over packet by packet, each when the line has brought all of it. At a switch its link into the fabric is the
/// line, and its service sends whole messages. What it brings, and what it does with what comes, says the service.
class IoController final : public npu::Endpoint {
 public:
  /// Attaches itself to `network`.
  IoController(IoSite site, const IoLine& line, npu::NetworkInterface& network);

  /// Who drives it, once, before the first cycle; outlives the last one.
  void set_service(IoService& service) { service_ = &service; }

  const IoSite& site() const { return site_; }
  Cycle now() const { return network_.now(); }
  /// The line may have something to bring, or its packet may enter the fabric now.
  void go_on();
  /// Messages beside the line.
  npu::MessageId send(const npu::Message& message, std::uint64_t released = ~std::uint64_t{0}) {
    return network_.send(message, released);
  }
  void release(npu::MessageId id, std::uint64_t bytes) { network_.release(id, bytes); }
  /// Calls the service's `on_timer` after `delay` cycles; `cookie` is less than 2^49.
  void schedule(Cycle delay, std::uint64_t cookie) { network_.schedule(delay, cookie + 1); }

  void on_data(const npu::Delivery& delivery) override { service_->on_data(delivery); }
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  bool timer_streams(std::uint64_t /*cookie*/) const override { return true; }
  void put_message(StateForm& form, npu::MessageId id) override { form.same(sending_ && id == sent_ ? 1 : 0); }
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;

 private:
  /// The line has brought a packet; timers of the service come behind it.
  static constexpr std::uint64_t kBrought = 0;

  void bring();
  void hand_over();

  IoSite site_;
  std::uint64_t flit_bytes_;
  npu::NetworkInterface& network_;
  IoService* service_ = nullptr;
  mem::LinePace pace_;
  bool bringing_ = false;  ///< a packet is on the line
  bool brought_ = false;   ///< a packet waits at its end
  bool sending_ = false;   ///< a packet is on its way into the fabric
  npu::MessageId sent_{};  ///< that one
};

}  // namespace weft::sc_models
