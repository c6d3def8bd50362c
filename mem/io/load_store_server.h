// SPDX-License-Identifier: Apache-2.0
// What an I/O controller does with the loads and stores that NPUs send it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "base/checkpoint.h"
#include "base/rational.h"
#include "base/state_form.h"
#include "base/types.h"
#include "mem/io/io_protocol.h"
#include "mem/io/line_pace.h"
#include "mem/io/pool_client.h"

namespace weft::mem {

/// What a controller counts.
struct LoadStoreServerFigures {
  std::uint64_t bytes_in = 0;   ///< towards NPUs, copies on the way not counted
  std::uint64_t bytes_out = 0;  ///< from NPUs, after reductions on the way
  std::uint64_t loads = 0;      ///< shares of pieces sent
  std::uint64_t stores = 0;     ///< shares of pieces taken
};

/// What is set for a controller.
struct LoadStoreServerSpec {
  std::uint32_t number = 0;  ///< number of the controller
  std::uint64_t packet_bytes = 4096;
  std::uint64_t flit_bytes = 1;
  std::uint64_t piece_bytes = 65536;  ///< bytes of each piece of a load or store, but the last one
  Cycle latency = 0;                  ///< cycles that the memory takes where there is no pool
  bool has_pool = false;              ///< behind the controller
  /// A line of its own brings loads packet by packet and takes stores; otherwise the controller's link into the fabric
  /// is the line.
  bool has_line = false;
  Rational line_rate{1, 1};  ///< flits per cycle
};

/// Sends shares of loads and confirms shares of stores. Without a pool each has the same latency, so that they are
/// served in the order in which they come; in front of a pool they end when it has served them, packet by packet.
/// Cycles are those of the controller's network interface.
class LoadStoreServer {
 public:
  /// What the server has asked to be told: the latency of the memory has passed; the line has taken a packet of a
  /// store; the pool has answered.
  enum class Timer : std::uint8_t { kReady, kTaken, kAnswered };

  /// Part of a share of a load that is to be sent.
  struct Part {
    IoTag tag;
    NodeId asker{};
    std::uint64_t bytes = 0;
  };

  /// The controller that it serves for.
  class Outlet {
   public:
    virtual ~Outlet() = default;
    virtual Cycle now() const = 0;
    /// Calls `on_timer` after `delay` cycles.
    virtual void schedule(Cycle delay, Timer timer) = 0;
    /// With a line: it may have something to bring.
    virtual void bring() = 0;
    /// Without a line: sends a whole share, of which `ready` bytes may leave. Returns its number.
    virtual std::uint64_t send(const Part& share, std::uint64_t ready) = 0;
    /// `bytes` more of a share may leave.
    virtual void release(std::uint64_t number, std::uint64_t bytes) = 0;
    /// Tells all who have stored that a share is there.
    virtual void confirm(IoTag tag, NodeId sender) = 0;
    /// Tells who has asked, or sent, of a refusal.
    virtual void refuse(IoTag tag, NodeId peer, const IoRefusal& refusal) = 0;
  };

  LoadStoreServer(const LoadStoreServerSpec& spec, Outlet& outlet);

  /// An NPU asks for a share of a load.
  void asked(IoTag tag, NodeId asker, std::uint64_t bytes);
  /// A packet of a share of a store has come.
  void stored(IoTag tag, NodeId sender, std::uint64_t offset, std::uint64_t bytes, bool last);
  void on_timer(Timer timer);

  /// Bytes of the packet that the line can begin to bring; 0 = there is none.
  std::uint64_t next_packet() const;
  /// That packet, once the line has brought it.
  Part take_packet();

  /// Gives `form` its state, or refuses. All tags of one load or store grow alike.
  void put_state(StateForm& form, FullTag full_tag);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);
  /// What is asked of the pool and answered by it.
  PoolClient& pool_client() { return pool_client_; }
  const LoadStoreServerFigures& figures() const { return figures_; }

 private:
  /// A share of a load.
  struct Load {
    IoTag tag;
    NodeId asker{};
    std::uint64_t bytes = 0;
    std::uint64_t brought = 0;  ///< by the line
    std::uint64_t ready = 0;    ///< at its beginning: served by the memory
    std::uint64_t number = 0;   ///< number of the share at the pool client
    std::uint64_t message = 0;  ///< without a line, while the pool serves it
  };
  /// A packet of a store; without a pool only the last one of a share.
  struct Store {
    IoTag tag;
    NodeId sender{};
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    bool last = false;
  };

  void begin(Load load);
  void taken(const Store& store);
  void hear_pool();
  void go_on(const PoolProgress& progress);
  void tell_refusal(const PoolProgress& progress);

  LoadStoreServerSpec spec_;
  Outlet& outlet_;
  std::deque<Load> waiting_;  ///< for the latency
  std::deque<Load> loads_;    ///< to be brought by the line
  std::deque<Store> taking_;
  LinePace out_;
  PoolClient pool_client_;
  std::map<std::uint64_t, Load> pooled_;  ///< by number at the pool client: not begun, or without a line not yet served
  LoadStoreServerFigures figures_;
};

}  // namespace weft::mem
