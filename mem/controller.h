// SPDX-License-Identifier: Apache-2.0
// What serves accepted requests behind a port: DRAM channels, a memory pool.
#pragma once

#include <cstdint>

#include "mem/request.h"

namespace weft::mem {

/// A plain model that is advanced, in cycles of one clock. It needs not be visited at every edge: what it does at an
/// edge depends on the requests that arrived until then and on nothing else, so edges can be caught up with later.
class Controller {
 public:
  virtual ~Controller() = default;
  /// Takes a request that enters at edge `at`, which is not before any edge already advanced to nor before that of the
  /// request taken last. The request has its physical address.
  virtual void take(Request& request, Cycle at) = 0;
  /// Executes all edges up to `now`, and tells the owners of requests that are served. Their edges lie at or after
  /// the first edge that was not executed before this call.
  virtual void advance(Cycle now) = 0;
  /// The last edge up to which `advance` may be put off with no response late; kNever = nothing is under way.
  virtual Cycle deadline() const = 0;
  /// No request taken at edge `at` is served before `at` + lookahead(); at least 1.
  virtual Cycle lookahead() const = 0;
  /// Bytes that can be addressed: [0, size).
  virtual std::uint64_t size() const = 0;
  /// A request was refused at the port and will not come.
  virtual void count_refused(const Request& /*request*/) {}
};

}  // namespace weft::mem
