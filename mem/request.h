// SPDX-License-Identifier: Apache-2.0
// A memory transaction as a controller sees it, whatever protocol it came by.
#pragma once

#include <cstdint>

#include "base/types.h"

namespace weft::mem {

enum class Command : std::uint8_t { kRead, kWrite };

struct Request;

/// Whoever made a request; told once when it is served.
class RequestOwner {
 public:
  virtual ~RequestOwner() = default;
  /// The last byte of `request` is there (read) or taken (write) at edge `at`, which may lie ahead of the present one.
  /// The request may be reused when this returns.
  virtual void served(Request& request, Cycle at) = 0;
};

/// One read or write. It belongs to its owner and stays where it is until it is served.
struct Request {
  std::uint64_t id = 0;         ///< number in the order of acceptance at its port
  std::uint32_t initiator = 0;  ///< index of the socket that it came by; never something that the initiator sets
  Command command = Command::kRead;
  std::uint64_t address = 0;   ///< first byte, as the initiator gave it
  std::uint64_t physical = 0;  ///< first byte in the memory, as the access check gave it
  std::uint64_t bytes = 0;     ///< bytes in one pass over the addresses, at least 1
  std::uint64_t passes = 1;    ///< more than 1 where the streaming width is below the data length
  Cycle arrival = 0;           ///< first edge at which the controller sees it
  RequestOwner* owner = nullptr;

  // The controller's own notes while it serves the request.
  std::uint32_t open_parts = 0;
  Cycle last_part = 0;
};

}  // namespace weft::mem
