// SPDX-License-Identifier: Apache-2.0
// One DRAM channel: its command queue, banks, refresh, and the requests that wait for it. A plain model without
// SystemC.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/histogram.h"
#include "mem/dram/channel_state.h"
#include "mem/dram/scheduler/scheduler.h"
#include "mem/request.h"

namespace weft::mem {

struct ChannelOptions {
  std::size_t queue_depth = 32;          ///< bursts that the scheduler sees, 1 to 64
  std::uint64_t interleave_bytes = 256;  ///< that lie in one channel before the next channel follows
  Cycle age_limit = 2000;                ///< FR-FCFS: cycles after which a burst is served before all younger ones
};

/// What one channel did; its line of memory.csv.
struct ChannelFigures {
  std::uint64_t reads = 0;  ///< bursts
  std::uint64_t writes = 0;
  std::uint64_t row_hits = 0;       ///< bursts that found their row open
  std::uint64_t row_misses = 0;     ///< ... their bank closed
  std::uint64_t row_conflicts = 0;  ///< ... another row open
  std::uint64_t refreshes = 0;
  std::uint64_t bytes = 0;      ///< asked for
  std::uint64_t refused = 0;    ///< requests whose first byte lies here
  std::uint64_t queue_max = 0;  ///< bursts
  double queue_mean = 0;        ///< over all cycles
  Cycle cycles = 0;
  LatencyHistogram latency;  ///< latencies of requests, from arrival to the last byte in this channel
};

/// Takes the parts of requests that lie in it, moves their bursts through the queue, and sends commands.
class Channel : private ChannelState {
 public:
  /// Told when the last burst of a request's part was sent; `at` = its last data.
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void part_served(Request& request, Cycle at) = 0;
  };

  /// Channel `index`. Mapping, scheduler and owner must outlive it.
  Channel(std::uint32_t index, const DramTiming& timing, const ChannelOptions& options, const Mapping& mapping,
          const Scheduler& scheduler, Owner& owner);

  /// True when some byte of the request lies in this channel.
  bool concerns(const Request& request) const;
  /// Takes its part of `request`, which arrives at `at`, not before any earlier one.
  void take(Request& request, Cycle at);
  /// Sends all commands up to cycle `until`.
  void advance(Cycle until);
  /// The first cycle at which something taken so far can be served; kNever = nothing waits.
  Cycle earliest_served() const;
  /// Something that was taken is not yet served.
  bool is_busy() const { return size() > 0 || !incoming_.empty(); }
  /// A refused request that would have begun here.
  void count_refused() { ++figures_.refused; }
  void set_observer(CommandObserver* observer) { observer_ = observer; }
  /// Figures up to the last cycle advanced to.
  ChannelFigures figures() const;
  /// Hash of all state that influences what comes, relative to `now`, the last cycle advanced to. Requests are known by
  /// what they ask for and when they came, not by their ids.
  std::uint64_t state_hash(Cycle now) const;

 private:
  // The part of a request that lies in this channel: one granule after the other, once or several times.
  struct Segment {
    Request* request = nullptr;
    Cycle arrival = 0;
    std::uint64_t passes_left = 0;
    std::uint64_t round = 0;      // number of the round; in a round each channel has one granule
    std::uint64_t burst = 0;      // next one, counted within the channel
    std::uint64_t burst_end = 0;  // the first burst behind the granule
    std::uint32_t in_queue = 0;
    std::uint32_t next = kNone;  // the initiator's next segment
    bool all_queued = false;
  };
  struct Stream {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Incoming {
    Incoming(Cycle arrival, std::uint32_t number) : at(arrival), segment(number) {}
    Cycle at;
    std::uint32_t segment;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  void admit(Cycle at);
  void fill(Cycle at);
  void queue_burst(std::uint32_t stream, Cycle at);
  bool open_granule(Segment& segment);
  bool next_granule(Segment& segment);
  bool changes_choice(const QueueEntry& added) const;
  void send(const Choice& choice);
  void send_column(const Choice& choice);
  void count_first(QueueEntry& entry, CommandKind kind);
  void refresh_up_to(Cycle limit);
  void observe(Cycle at, CommandKind kind, std::uint32_t bank = 0, std::uint64_t row = 0, std::uint32_t column = 0);
  void note_queue(Cycle at);
  std::uint64_t segment_hash(const Segment& segment, Cycle now) const;

  const std::uint32_t index_;
  const ChannelOptions options_;
  const Mapping& mapping_;
  const Scheduler& scheduler_;
  Owner& owner_;
  CommandObserver* observer_ = nullptr;
  const unsigned burst_shift_, granule_shift_, channel_shift_;

  std::vector<Segment> segments_;
  std::vector<std::uint32_t> free_segments_;
  std::deque<Incoming> incoming_;
  std::vector<Stream> streams_;        // by initiator
  std::deque<std::uint32_t> waiting_;  // streams with bursts for the queue, the next in round-robin order first

  Cycle now_ = 0;   // cycle of the last arrival or command
  Cycle done_ = 0;  // advanced to
  Choice choice_;
  bool is_chosen_ = false;
  Cycle refresh_due_;

  ChannelFigures figures_;
  std::uint64_t queue_sum_ = 0;  // bursts times cycles
  Cycle queue_since_ = 0;
};

}  // namespace weft::mem
