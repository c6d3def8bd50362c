// SPDX-License-Identifier: Apache-2.0
// The loads and stores of one rank, cut into pieces that go to all I/O controllers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/checkpoint.h"
#include "base/cycle_spans.h"
#include "base/state_form.h"
#include "base/types.h"
#include "mem/io/io_protocol.h"
#include "mem/io/io_shares.h"
#include "mem/io/tensor_allocator.h"

namespace weft::mem {

/// One load or store as a rank issues it.
struct LoadStore {
  std::uint64_t handle = 0;  ///< names it when it is done
  std::string name;          ///< for people
  bool store = false;
  std::uint64_t bytes = 0;     ///< at least 1
  PoolOwner owner;             ///< the rank itself, or a group whose members all load or store the same
  std::size_t members = 1;     ///< ranks in the group
  bool first_member = true;    ///< first member of the group, or a rank alone: it asks for loads and tells the pool
  std::uint32_t instance = 0;  ///< how many loads, or stores, of this owner the rank has issued before
};

/// What a rank has counted. The ends of all ranks' add up.
struct LoadStoreFigures {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t loaded_bytes = 0;  ///< that arrived here
  std::uint64_t stored_bytes = 0;  ///< that left here
  std::uint64_t led_bytes = 0;     ///< of loaded_bytes: of loads for which this rank speaks, so that copies count once
  // Before the first store began here.
  std::uint64_t early_bytes = 0;  ///< loaded
  Cycle early_cycles = 0;         ///< in which a load was under way
  std::uint64_t refused = 0;      ///< shares of which the pool has refused some packet
};

/// Keeps `pieces` of each load and store under way at once. Loads ask every controller for its share, for a group once
/// all members have room; stores of one group leave one after the other, in one order at all members, as their operands
/// meet in switches. Cycles are those of the rank's network interface.
class LoadStoreUnit {
 public:
  /// Who sends for the unit. Tags have piece and controller.
  class Outlet {
   public:
    virtual ~Outlet() = default;
    virtual Cycle now() const = 0;
    /// Asks a controller for its share of a load's piece.
    virtual void ask(IoTag tag, std::uint64_t bytes) = 0;
    /// Sends a controller its share of a store's piece. `stripe`: plane of its first packet, alike at all members.
    virtual void store(IoTag tag, std::uint64_t bytes, std::uint32_t stripe) = 0;
    /// Tells the first member of the group that there is room for a piece.
    virtual void report_room(IoTag tag) = 0;
    /// A piece is through, but not the last one, of a load or store of which this rank speaks for all members.
    virtual void piece_ended(IoTag /*tag*/) {}
    /// A load or store is through.
    virtual void done(std::uint64_t handle) = 0;
  };

  /// `allocator`: tells the pool of what begins and ends; null = there is none. All outlive the unit.
  LoadStoreUnit(const IoShares& shares, int pieces, RankId rank, Outlet& outlet, TensorAllocator* allocator)
      : shares_(shares),
        pieces_(static_cast<std::uint64_t>(pieces)),
        rank_(rank),
        outlet_(outlet),
        allocator_(allocator) {}

  /// Throws InputError for too many pieces, and where the pool has no room.
  void start(const LoadStore& order);
  /// A store is about to begin. For statistics.
  void store_ahead();
  /// A member of the group has room for a piece of a load.
  void has_room(IoTag tag, std::size_t members);
  /// Bytes of a load, or the confirmation of a share of a store, have come.
  void arrived(IoTag tag, std::uint64_t bytes);
  /// The pool has refused a packet. Returns of what, for people: "node 5 'weights', a load".
  std::string refused(IoTag tag);

  /// Gives `form` its state, or refuses. All tags of one load or store grow alike.
  void put_state(StateForm& form, FullTag full_tag);
  /// Writes its state into `checkpoint`, or takes it from there.
  void keep(Checkpoint& checkpoint);

  /// For the stall report.
  std::string waiting_for(std::uint64_t handle) const;
  const LoadStoreFigures& figures() const { return figures_; }
  /// When a load was under way, up to cycle `now`.
  CycleSpans load_spans(Cycle now) const;

 private:
  /// A load or store that is under way, by its tag without piece and controller.
  struct Job {
    LoadStore order;
    IoTag tag;
    std::uint32_t first = 0;  ///< controller of a piece's first packet
    std::uint64_t pieces = 0;
    std::uint64_t next = 0;                          ///< piece to begin
    std::uint64_t ended = 0;                         ///< pieces that are through
    std::map<std::uint32_t, std::uint64_t> missing;  ///< by piece under way: bytes of a load, answers to a store
  };

  void put_state(StateForm& form, FullTag full_tag, Job& job);
  StreamProgress progress_of(const Job& job, std::uint64_t family, FullTag full_tag) const;
  void go_on(Job& job);
  void begin_load(Job& job, std::uint32_t piece);
  void ask(const Job& job, std::uint32_t piece);
  void begin_store(Job& job, std::uint32_t piece);
  void piece_ended(std::uint64_t key, Job& job);
  void open_tensor(const Job& job);
  bool allocates(const Job& job) const { return allocator_ != nullptr && job.order.first_member; }
  void start_stores(std::uint32_t group);
  std::uint64_t share(const Job& job, std::uint32_t piece, std::uint32_t controller) const;

  const IoShares& shares_;
  std::uint64_t pieces_;
  RankId rank_;
  Outlet& outlet_;
  TensorAllocator* allocator_;
  std::map<std::uint64_t, Job> jobs_;
  std::map<std::uint32_t, std::deque<std::uint64_t>> group_stores_;  ///< by group: jobs in their order; the first sends
  std::map<std::uint64_t, std::size_t> rooms_;                       ///< first member of a group: who has room, by tag
  LoadStoreFigures figures_;
  CycleSpans load_spans_;  ///< that have ended
  int open_loads_ = 0;
  Cycle loads_since_ = 0;
  bool stores_ = false;  ///< one has begun
};

}  // namespace weft::mem
