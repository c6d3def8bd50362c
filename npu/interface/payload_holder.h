// SPDX-License-Identifier: Apache-2.0
// Data of messages on the way, shared by their packets.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "base/packet.h"
#include "npu/interface/network_interface.h"

namespace weft {

/// Data of a message on the way: kept by the message until it is sent and by each of its packets until delivery.
struct PayloadHolder {
  std::shared_ptr<npu::Payload> data;
  std::uint32_t refs = 1;
  std::uint64_t first = 0;  ///< byte of the message that `data` begins with
};

/// Data that begins with byte `first` of its message, with one reference.
inline PayloadHolder* hold_payload(std::shared_ptr<npu::Payload> data, std::uint64_t first) {
  return new PayloadHolder{std::move(data), 1, first};
}

/// Takes one more reference; null stays null.
inline PayloadHolder* share(PayloadHolder* payload) {
  if (payload != nullptr) __atomic_add_fetch(&payload->refs, 1, __ATOMIC_RELAXED);
  return payload;
}

/// Gives up one reference; the last one deletes the holder.
inline void drop(PayloadHolder* payload) {
  if (payload != nullptr && __atomic_sub_fetch(&payload->refs, 1, __ATOMIC_ACQ_REL) == 0) delete payload;
}

}  // namespace weft

namespace weft::npu {

/// Gives `form` the bytes of a payload, or refuses where it has more than a request.
void put_payload(StateForm& form, const PayloadHolder& payload);

}  // namespace weft::npu
