// SPDX-License-Identifier: Apache-2.0
// What drives an I/O controller: a stream, or loads and stores.
#pragma once

#include <cstdint>

#include "npu/interface/network_interface.h"

namespace weft::sc_models {

/// Says what a controller brings into the fabric, and takes what comes to it. Called in the cycles of its network
/// interface, once for a packet at most.
class IoService {
 public:
  virtual ~IoService() = default;
  /// Bytes of the packet that the line can begin to bring; 0 = there is none now.
  virtual std::uint64_t next_packet() = 0;
  /// Whether the packet that the line has brought may enter the fabric.
  virtual bool may_enter() const = 0;
  /// Returns that packet as a message; from then on it is on its way.
  virtual npu::Message take_packet() = 0;
  virtual void on_data(const npu::Delivery& delivery) = 0;
  /// A time that was asked for with `IoController::schedule`.
  virtual void on_timer(std::uint64_t cookie) = 0;
  /// Gives `form` its state, or refuses with a reason.
  virtual void put_state(StateForm& form) { form.refuse("streams of I/O controllers do not take part yet"); }
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& checkpoint) = 0;
};

}  // namespace weft::sc_models
