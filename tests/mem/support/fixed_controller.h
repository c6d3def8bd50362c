// SPDX-License-Identifier: Apache-2.0
// A controller that serves every request a fixed number of cycles after it was taken, and remembers what it took.
#pragma once

#include <deque>
#include <vector>

#include "mem/controller.h"

namespace weft::mem::test {

class FixedController final : public Controller {
 public:
  struct Taken {
    std::uint32_t initiator;
    Command command;
    std::uint64_t physical;
    std::uint64_t bytes;
    std::uint64_t passes;
    Cycle at;
    friend bool operator==(const Taken& a, const Taken& b) {
      return a.initiator == b.initiator && a.command == b.command && a.physical == b.physical && a.bytes == b.bytes &&
             a.passes == b.passes && a.at == b.at;
    }
  };

  explicit FixedController(Cycle latency, std::uint64_t size = 1 << 20) : latency_(latency), size_(size) {}

  void take(Request& request, Cycle at) override {
    taken.push_back({request.initiator, request.command, request.physical, request.bytes, request.passes, at});
    waiting_.push_back({&request, at + latency_});
  }
  void advance(Cycle now) override {
    // As real controllers do, a response is known before it is due.
    while (!waiting_.empty() && waiting_.front().at - latency_ <= now) {
      const Waiting first = waiting_.front();
      waiting_.pop_front();
      first.request->owner->served(*first.request, first.at);
    }
  }
  Cycle deadline() const override { return waiting_.empty() ? kNever : waiting_.front().at; }
  Cycle lookahead() const override { return latency_; }
  std::uint64_t size() const override { return size_; }
  void count_refused(const Request& request) override { refused.push_back(request.address); }

  std::vector<Taken> taken;
  std::vector<std::uint64_t> refused;

 private:
  struct Waiting {
    Request* request;
    Cycle at;
  };
  Cycle latency_;
  std::uint64_t size_;
  std::deque<Waiting> waiting_;
};

}  // namespace weft::mem::test
