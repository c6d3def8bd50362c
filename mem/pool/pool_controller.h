// SPDX-License-Identifier: Apache-2.0
// A memory pool behind a port: requests of the port's sockets become accesses of the I/O controllers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/histogram.h"
#include "mem/controller.h"
#include "mem/figures.h"
#include "mem/pool/pool_fabric.h"

namespace weft::mem {

/// Socket n uses I/O controller n modulo their number.
class PoolController final : public Controller {
 public:
  /// `bytes` can be addressed. InputError when the spec cannot be.
  PoolController(const PoolSpec& spec, std::uint64_t bytes);

  void take(Request& request, Cycle at) override { take_at(port_of(request), request, at); }
  /// The same at I/O controller `port`, whoever asks.
  void take_at(std::uint32_t port, Request& request, Cycle at);
  void advance(Cycle now) override;
  Cycle deadline() const override { return next_; }
  Cycle lookahead() const override { return fabric_.spec().path_cycles(); }
  std::uint64_t size() const override { return bytes_; }

  void count_refused(const Request& request) override { count_refused_at(port_of(request)); }
  void count_refused_at(std::uint32_t port) { ++ports_[port].refused; }
  /// Requests served so far.
  std::uint64_t served() const { return served_; }

  const PoolFabric& fabric() const { return fabric_; }
  /// Lines of memory.csv up to the last edge executed: "NAME.io", a channel per I/O controller with requests and their
  /// bytes, padding and tags included, and "NAME.module", a channel per module with packets.
  std::vector<MemoryRow> figures(const std::string& name) const;

 private:
  struct Waiting {
    Request* request;
    std::uint32_t port;
    Cycle at;
  };
  /// What passed an I/O controller.
  struct Port {
    std::uint64_t reads = 0;
    std::uint64_t writes = 0;
    std::uint64_t bytes = 0;
    std::uint64_t refused = 0;
    QueueMeter queue;
    LatencyHistogram latency;
  };
  struct Open {
    Request* request;
    std::uint32_t port;
    Cycle from;
  };

  std::uint32_t port_of(const Request& request) const { return request.initiator % fabric_.spec().controllers; }
  void submit(std::uint32_t port, Request& request, Cycle at);

  PoolFabric fabric_;
  std::uint64_t bytes_;
  Cycle next_ = kNever;  ///< first edge with work
  Cycle executed_ = 0;   ///< edges below
  std::uint64_t served_ = 0;
  std::deque<Waiting> waiting_;  ///< taken, their edge yet to come
  std::vector<Port> ports_;
  std::vector<Open> open_;
  std::vector<std::uint64_t> free_;
};

}  // namespace weft::mem
