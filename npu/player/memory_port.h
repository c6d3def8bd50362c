// SPDX-License-Identifier: Apache-2.0
// What the graph player needs of whoever carries out loads and stores, and nothing more.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "npu/collective/engine/flow_groups.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// One load or store as one rank issues it.
struct MemoryOrder {
  std::uint64_t handle = 0;  ///< names it when it is done
  std::string name;          ///< for people
  bool store = false;
  std::uint64_t bytes = 0;           ///< at least 1
  const CommGroup* group = nullptr;  ///< whose members all load or store the same; null = this rank alone
  std::uint32_t instance = 0;        ///< how many loads, or stores, of this group this rank has issued before
};

/// Carries out loads and stores of one rank. Events of the network interface whose owner is kMemoryOwner are its own.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  /// The listener hears of the end in a later call of on_data, on_sent or on_timer.
  virtual void start(const MemoryOrder& order) = 0;
  /// A store is about to begin; members may exchange parts of it first. For statistics.
  virtual void store_ahead() {}
  /// Whether one load can reach all of a group: it is copied on its way. Otherwise members have to load parts and
  /// exchange them.
  virtual bool copies(const CommGroup& group) const = 0;
  /// Whether stores of a group are summed on their way.
  virtual bool reduces(const CommGroup& group) const = 0;
  virtual void on_data(const Delivery& delivery) = 0;
  /// False: the message is not the port's.
  virtual bool on_sent(MessageId id) = 0;
  virtual void on_timer(std::uint64_t cookie) = 0;
  /// Gives `form` its state, or refuses.
  virtual void put_state(StateForm& form) { form.refuse("loads and stores of remote memory do not take part yet"); }
  /// Gives `form` what a message that is being sent is for. False: it is not the port's.
  virtual bool put_message(StateForm& /*form*/, MessageId /*id*/) { return false; }
  /// Writes its state into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& /*checkpoint*/) {
    Checkpoint::refuse("loads and stores of remote memory are not kept");
  }
  /// For the stall report, for example "piece 2 of 8 lacks 4096 bytes".
  virtual std::string waiting_for(std::uint64_t handle) const = 0;
};

/// The NPU's own memory, where its bandwidth is shared with others.
class LocalMemory {
 public:
  virtual ~LocalMemory() = default;
  /// Reads or writes `bytes`, at least 1. `done` is called later, from a timer of the network interface.
  virtual void stream(bool write, std::uint64_t bytes, std::function<void()> done) = 0;
};

/// Called with the handle of what has ended.
using MemoryDone = std::function<void(std::uint64_t)>;

/// Makes the ports of all ranks.
class MemoryPorts {
 public:
  virtual ~MemoryPorts() = default;
  /// Once, before the first port: all groups of the workload by number; they outlive the ports.
  virtual void use_groups(const std::vector<SharedGroup>& groups) = 0;
  virtual std::unique_ptr<MemoryPort> make(RankId rank, NetworkInterface& network, MemoryDone done) = 0;
};

}  // namespace weft::npu
