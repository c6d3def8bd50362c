// SPDX-License-Identifier: Apache-2.0
// The DRAM of one NPU: streams of bytes that share its channels.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/access_probe.h"
#include "base/clock.h"
#include "mem/dram/dram_controller.h"
#include "mem/figures.h"

namespace weft::mem {

/// Reads and writes of whole tensors and packets, as requests of up to kRequestBytes at ascending addresses. Each
/// stream has up to kOpenRequests under way, so that streams share the channels. The DRAM has a clock of its own: it
/// sees a request at its first edge after the NPU's cycle, and the NPU sees the end at its first edge from then on.
class LocalDram final : private RequestOwner {
 public:
  static constexpr std::uint64_t kRequestBytes = 4096;
  static constexpr int kOpenRequests = 16;
  /// Told of each part of a stream that is through, in `step` or in `stream`.
  using Done = std::function<void(std::uint64_t bytes)>;
  /// Asks for a call of `step` so many cycles of the NPU's clock from now.
  using WakeAfter = std::function<void(Cycle)>;

  LocalDram(const DramTiming& timing, const DramOptions& options, const Clock& npu_clock, WakeAfter wake);

  /// In cycle `now` of the NPU. `bytes` is at least 1.
  void stream(bool write, std::uint64_t bytes, Done done, Cycle now);
  void step(Cycle now);

  /// Who is told of all requests of the DRAM of `node`, which is called `name`.
  void set_probe(AccessProbe* probe, NodeId node, std::string name) {
    probe_ = probe;
    node_ = node;
    name_ = std::move(name);
  }
  std::vector<MemoryRow> figures(const std::string& name);

 private:
  struct Stream {
    bool write = false;
    std::uint64_t left = 0;  ///< bytes not yet asked for
    int open = 0;            ///< requests under way
    Done done;
  };
  struct Slot {
    Request request;
    Cycle asked = 0;  ///< cycle of the NPU's clock in which the access was asked for
    std::list<Stream>::iterator stream;
  };

  void served(Request& request, Cycle at) override;
  void ask(std::list<Stream>::iterator stream, Cycle now);
  void tell(Cycle now);
  void log(const Slot& slot, Cycle done) const;
  void arm(Cycle now);
  void wake_at(Cycle at, Cycle now);

  Clock clock_;
  Clock npu_clock_;
  DramController controller_;
  WakeAfter wake_;
  std::list<Stream> streams_;
  std::deque<Slot> slots_;
  std::vector<std::size_t> free_slots_;
  std::multimap<Cycle, std::size_t> ends_;  ///< by cycle of the NPU: requests that are through then
  std::uint64_t next_address_ = 0;
  Cycle next_wake_ = kNever;
  AccessProbe* probe_ = nullptr;
  NodeId node_{};
  std::string name_;
};

}  // namespace weft::mem
