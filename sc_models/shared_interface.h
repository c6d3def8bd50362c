// SPDX-License-Identifier: Apache-2.0
// One network interface for an NPU and the I/O controllers beside it, on the border of a mesh.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "npu/interface/network_interface.h"

namespace weft::sc_models {

/// Deliveries go to the NPU or to a controller by the tag's owner and controller; ends of messages and timers to
/// whoever asked for them.
class SharedInterface final : public npu::Endpoint {
 public:
  /// Attaches itself to `network`, which outlives it.
  explicit SharedInterface(npu::NetworkInterface& network);
  ~SharedInterface() override;

  /// As the NPU sees it.
  npu::NetworkInterface& for_npu();
  /// As controller `number` sees it; to be called once for each.
  npu::NetworkInterface& for_controller(std::uint32_t number);

  void on_data(const npu::Delivery& delivery) override;
  void on_sent(npu::MessageId id) override;
  void on_timer(std::uint64_t cookie) override;
  bool timer_stays(std::uint64_t cookie) const override;
  bool timer_streams(std::uint64_t cookie) const override;
  void put_timer(StateForm& form, std::uint64_t cookie) override;
  void put_message(StateForm& form, npu::MessageId id) override;
  void put_state(StateForm& form) override;
  void keep(Checkpoint& checkpoint) override;

 private:
  class Client;

  npu::NetworkInterface& network_;
  std::vector<std::unique_ptr<Client>> clients_;    ///< the NPU, then controllers
  std::map<std::uint32_t, std::size_t> client_of_;  ///< by controller
  std::map<npu::MessageId, std::size_t> sender_;    ///< clients of messages under way
};

}  // namespace weft::sc_models
