// SPDX-License-Identifier: Apache-2.0
// What a run hands over when it ends: everything that summary.json and the tables of a results directory hold.
// Counts and cycles are exact integers; ns and rates are derived from them when the results are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/histogram.h"
#include "base/link_quantities.h"
#include "base/node_quantities.h"
#include "base/types.h"
#include "config/config.h"
#include "mem/figures.h"
#include "mem/io/refused_record.h"

namespace weft::runs {
class RunLogging;
}

namespace weft::sc_models {

/// Why a run ended.
enum class StopReason {
  kFinished,     ///< the workload is done
  kDrainLimit,   ///< synthetic traffic did not drain in time: a saturated network, which is a result
  kCycleLimit,   ///< `limits.cycles`
  kInterrupted,  ///< asked for through RunControl (Ctrl-C)
  kBadInput,     ///< a part of the trace that only showed itself while it was played; `stop_text` says which
  kViolation,    ///< deadlock, broken invariant or wrong data; `stop_text` says which
  kFullDisk,     ///< a recording could not be written any further; `stop_text` says what of it is readable
};

/// One directed link.
struct LinkRecord {
  std::string name;  ///< dotted, as in waves: `fabric.router[0,0].east`
  std::string from;  ///< `router[0,0]`, `npu[0]`
  std::string to;
  std::uint64_t flits = 0;
  double utilisation = 0;    ///< share of the link's capacity used over the whole run, 0..1
  LinkValues values;         ///< what else was measured; none where its sender does not know
  double capacity = 0;       ///< flits per cycle
  bool at_endpoint = false;  ///< from or to a network interface
};

/// One node: its NPU's traffic.
struct NodeRecord {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::optional<RankId> rank;  ///< the rank placed here, if any
  NodeValues values;
};

/// One collective of one group: from the first member's start to the last member's end.
struct CollectiveRecord {
  std::string name;
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::string algorithm;
  std::string group;          ///< name of the process group; "all" = all ranks
  std::uint32_t members = 0;  ///< ranks in the group
  std::uint64_t bytes = 0;    ///< as Chakra's comm_size
  Cycle start_cycle = 0;      ///< cycles of the NPU clock
  Cycle end_cycle = 0;        ///< cycles of the NPU clock
  bool finished = true;       ///< false = still running when the run ended; end_cycle is then the run's end
};

/// One rank of a trace or collective. Cycles of the NPU clock.
struct RankRecord {
  Cycle finish_cycle = 0;  ///< end of its last node so far
  Cycle compute_cycles = 0;
  Cycle exposed_comm_cycles = 0;  ///< communication outstanding while nothing computes
  std::uint64_t compute_nodes = 0;
  std::uint64_t memory_bound_nodes = 0;  ///< compute nodes that their data kept longer than their operations
  Cycle memory_wait_cycles = 0;          ///< by so much, added up
  bool finished = true;                  ///< false = the run ended before this rank did
};

/// One stream of an I/O controller. Cycles of the NPU clock; streams start in cycle 0.
struct IoStreamRecord {
  std::uint32_t controller = 0;
  std::string place;        ///< whose port it shares on a mesh, with the side: `npu[0] left`; the node itself elsewhere
  std::uint64_t bytes = 0;  ///< that every NPU gets
  Cycle end_cycle = 0;      ///< when the slowest NPU, and so every one, had everything
  bool finished = true;     ///< false = still running when the run ended; end_cycle is then the run's end
  // While all streams ran: until the first of them was complete everywhere. At the NPU that had least then, after its
  // first packet of the stream.
  std::uint64_t steady_bytes = 0;
  Cycle steady_cycles = 0;
};

/// An I/O controller with loads and stores of a trace.
struct IoControllerRecord {
  std::string place;            ///< as in IoStreamRecord
  std::uint64_t loads = 0;      ///< shares of pieces that it sent
  std::uint64_t stores = 0;     ///< shares of pieces that it took
  std::uint64_t bytes_in = 0;   ///< into the wafer; what is copied on its way counts once
  std::uint64_t bytes_out = 0;  ///< out of the wafer; what is summed on its way counts once
};

/// Loads and stores of one rank over I/O controllers.
struct RankMemoryRecord {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
  Cycle load_cycles = 0;  ///< in which a load was under way, of the NPU clock
  // Before the first store began here; over I/O controllers.
  std::uint64_t early_bytes = 0;  ///< loaded
  Cycle early_cycles = 0;         ///< in which a load was under way
};

/// A table whose rows are made when they are read: names of millions of links need not exist at once.
template <typename Record>
class RecordTable {
 public:
  RecordTable() = default;
  RecordTable(std::size_t rows, std::function<Record(std::size_t)> row) : rows_(rows), row_(std::move(row)) {}
  /// A table of rows that exist already.
  explicit RecordTable(std::vector<Record> records) {
    auto shared = std::make_shared<const std::vector<Record>>(std::move(records));
    rows_ = shared->size();
    row_ = [shared](std::size_t i) { return (*shared)[i]; };
  }

  std::size_t size() const { return rows_; }
  /// Row `i`, 0 <= i < size().
  Record at(std::size_t i) const { return row_(i); }

 private:
  std::size_t rows_ = 0;
  std::function<Record(std::size_t)> row_;
};

/// Count and sum of latencies in cycles, for a mean.
struct LatencySum {
  std::uint64_t count = 0;
  std::uint64_t sum = 0;
};

/// What links with Go-Back-N did, all together.
struct LinkLayerRecord {
  std::uint64_t packets = 0;    ///< sent on a link for the first time
  std::uint64_t resent = 0;     ///< begun again
  std::uint64_t discarded = 0;  ///< by receivers
  std::uint64_t acks = 0;
  std::uint64_t nacks = 0;
  std::uint64_t timeouts = 0;
};

/// Stored settings of the switches of a FRED fabric, and their use.
struct SettingRecord {
  std::uint64_t most = 0;          ///< that a chiplet needed, without that of the unicasts
  std::string where;               ///< that chiplet
  std::uint64_t capacity = 0;      ///< settings that its memory holds
  std::uint64_t bits = 0;          ///< bits of one of them
  std::uint64_t memory_bytes = 0;  ///< bytes of its memory
  // All chiplets together.
  std::uint64_t changes = 0;  ///< changes of the active setting
  std::uint64_t reloads = 0;  ///< changes to a setting that was not in the memory
  // None where some switch does not tell why it changes: RTL alone.
  std::optional<std::uint64_t> preemptions;  ///< changes for a higher phase
  std::optional<std::uint64_t> yields;       ///< changes to a lower phase, because the higher one could not advance
};

/// A switch of a FRED fabric.
struct SwitchRecord {
  std::string path;                   ///< "fabric.l1[0].plane[2]"
  std::string model;                  ///< tlm, rtl or lockstep
  std::uint64_t compared_cycles = 0;  ///< in lockstep: those in which RTL and model did the same
};

/// Ranks that were moved before the run, because flows of the workload conflicted.
struct PlacementRecord {
  std::vector<std::string> conflicts;  ///< with the placement that was given: which flows, and where
  std::vector<NodeId> before;          ///< NPU of each rank, as it was given
  std::vector<NodeId> placement;       ///< NPU of each rank in the run
};

/// Flits of each link in windows of time; empty where none were counted.
struct LinkWindowTable {
  std::vector<Cycle> ends;           ///< window ends; the first begins in cycle 0. All but the last are equally long
  std::size_t links = 0;             ///< as in the table of links
  std::vector<std::uint32_t> flits;  ///< window by window, by number of the link

  std::uint32_t at(std::size_t link, std::size_t window) const { return flits[window * links + link]; }
};

/// What of a run went on at rates that had been measured (run.fast_forward: steady).
struct EstimateRecord {
  Cycle cycles = 0;            ///< of those of the run
  double simulated_share = 1;  ///< 0..1: of the cycles of the run, those that were simulated or are copies of such ones
  std::string text;            ///< the sentence about it that stands beside all results
};

/// Everything about one run.
struct RunResult {
  StopReason stop = StopReason::kFinished;
  std::string stop_text;  ///< sentences for the user; complete for kViolation (who waits for whom)
  std::vector<std::string> warnings;

  Cycle cycles = 0;        ///< simulated, of the fabric's clock (`clock`)
  bool finished = false;   ///< the workload is done, or a saturated synthetic run came to its drain limit
  bool saturated = false;  ///< synthetic traffic only

  std::uint64_t nodes = 0;      ///< routers of the fabric
  std::uint64_t packets = 0;    ///< received completely in the whole run
  std::uint64_t flits = 0;      ///< ejected in the whole run
  std::uint64_t flit_hops = 0;  ///< router traversals of all flits of the run, the ejecting router included
  // Packets that count: those created in the measured phase of synthetic traffic, all packets of other workloads.
  LatencyHistogram latency;          ///< from creation at the source to the tail's ejection
  LatencyHistogram network_latency;  ///< from the head's entry into the fabric to the tail's ejection
  std::uint64_t hops = 0;            ///< routers visited, summed over the packets in `latency`

  std::optional<double> offered;   ///< flits/node/cycle in the measured phase; synthetic traffic only
  std::optional<double> accepted;  ///< flits/node/cycle in the measured phase; synthetic traffic only
  LatencySum first_half;           ///< packets created in the first half of the measured phase
  LatencySum second_half;          ///< packets created in its second half; a drift shows a short warm-up

  std::shared_ptr<const runs::RunLogging> log;  ///< null = none was kept
  std::optional<LinkValues> link_totals;        ///< values of all links together; none without fabric.statistics
  RecordTable<LinkRecord> links;
  LinkWindowTable link_windows;
  RecordTable<NodeRecord> node_table;
  std::vector<CollectiveRecord> collectives;       ///< in order of start, then name
  std::uint64_t verified_collectives = 0;          ///< with `data: values`: results that were right, bit for bit
  std::vector<IoStreamRecord> io_streams;          ///< by controller
  std::vector<IoControllerRecord> io_controllers;  ///< with memory.tensors io
  std::vector<mem::MemoryRow> memory_rows;         ///< channels of the NPUs' DRAM
  double dram_channel_gbps = 0;                    ///< that a channel of them carries at most
  std::uint64_t io_loaded_bytes = 0;               ///< that have come to ranks over I/O controllers; copies count once
  Cycle io_load_cycles = 0;                        ///< in which any rank had a load over I/O controllers under way
  std::vector<RankMemoryRecord> rank_memory;       ///< by rank, with memory.tensors io
  std::vector<mem::MemoryRow> pool_rows;           ///< with memory.pool: its controllers and modules
  double pool_module_gbps = 0;                     ///< that a module carries at most
  std::uint64_t refused_accesses = 0;              ///< by the pool's access control
  std::vector<mem::RefusedRecord> refused;         ///< the refused accesses that were logged, by time
  std::vector<RankRecord> ranks;                   ///< empty for synthetic traffic

  std::optional<std::uint64_t> uswitch_hops;  ///< beats through uSwitches; fabrics of FRED switches only
  std::optional<SettingRecord> settings;      ///< fabrics of FRED switches only
  std::vector<SwitchRecord> switches;         ///< fabrics of FRED switches only
  std::optional<PlacementRecord> moved;       ///< `fabric.conflict: replace` has moved ranks
  std::optional<LinkLayerRecord> link_layer;  ///< where links repair losses

  std::optional<EstimateRecord> estimate;  ///< the run is an approximation
  Cycle skipped_cycles = 0;  ///< cycles, counted in `cycles`, that were left out as copies of earlier ones
  std::string skip_refusal;  ///< why no more were; "" where nothing stood against it

  double cpu_s = 0;        ///< CPU time of the simulation loop, all threads
  double setup_cpu_s = 0;  ///< CPU time of the process up to the first cycle
  double wall_s = 0;       ///< wall time of the simulation loop
};

}  // namespace weft::sc_models
