// SPDX-License-Identifier: Apache-2.0
// The resolved configuration: complete, typed, in cycles, flits and bytes. What a file may say is in
// config_raw; `resolve` turns one into the other and reports every error at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/data_type.h"
#include "base/rational.h"
#include "base/types.h"
#include "config/fabric_kind.h"

namespace weft {

/// A link as a router or NPU sees it.
struct LinkSpec {
  Rational flits_per_cycle{1, 1};  ///< any positive rate, fractions and several per cycle included
  Cycle latency_cycles = 1;        ///< wire delay, at least 1

  /// Cycles from a flit's first to its last bit on the link, at least 1: it can be used when all of it is there.
  Cycle flit_cycles() const {
    return flits_per_cycle.den <= flits_per_cycle.num
               ? 1
               : (flits_per_cycle.den + flits_per_cycle.num - 1) / flits_per_cycle.num;
  }
};

/// Most VCs of a router over all its ports.
inline constexpr int kMostRouterVcs = 125;

/// When an output VC may be given to the next packet.
enum class VcReuse {
  kTailSent,    ///< as soon as the tail flit has won switch allocation
  kTailCredit,  ///< when the credit of the tail flit is back
};

/// Parameters of the input-queued VC router; the meaning of each delay is in router/README.md.
struct RouterSpec {
  int vcs = 4;
  int buffer_flits = 8;  ///< per VC
  Cycle routing_delay = 0;
  Cycle vc_alloc_delay = 1;
  Cycle switch_alloc_delay = 1;
  Cycle traversal_delay = 1;
  Cycle credit_delay = 2;
  Cycle hop_cycles = 0;   ///< added to every hop
  Cycle turn_cycles = 0;  ///< added where a packet leaves in another dimension than it came in
  VcReuse vc_reuse = VcReuse::kTailSent;
  bool speculative = false;
  std::string allocator = "separable_input_first";
  int allocator_iterations = 1;
  std::string arbiter = "round_robin";
  int colours = 0;         ///< routes that can be set up before the run; 0 = none
  Cycle merge_cycles = 1;  ///< latency of merging two flits in a router
  bool multicast = false;  ///< copy packets to several ranks on their way through VCs
};

/// How the fabric is cut into SystemC modules. Results are the same.
enum class FabricForm {
  kRegion,   ///< one module holds all routers and NPUs as contiguous state
  kModules,  ///< one module per router and per NPU, joined by flit sockets
};

/// What a FRED switch does about packets of several settings.
enum class FredControl {
  kOnePhase,       ///< one setting at a time; a higher phase pre-empts at the packet border
  kSeveralPhases,  ///< packets of any setting start where their datapaths do not meet those under way
  kOneTree,        ///< one flow at a time in the whole switch
};

/// One level of FRED switches, the lowest one first. Rates and buffers are those of one plane.
struct FredLevelSpec {
  int groups = 1;                   ///< logical switches; each has the same number of children
  int ports = 0;                    ///< ports per chiplet, unused ones included
  int uplinks = 0;                  ///< links from each logical switch to the level above; 0 at the top
  Rational uplink_rate{1, 1};       ///< flits per cycle of one uplink in one plane, at most 1
  Cycle uplink_latency_cycles = 1;  ///< wire delay of an uplink
  int buffer_flits = 64;            ///< per input port and data traffic class
  Cycle reconfigure_cycles = 1;
  std::string model;  ///< model of its switches: tlm, rtl, lockstep; complete after resolving
};

/// How the links of a fabric of FRED switches deal with errors.
struct FredLinkLayerSpec {
  bool go_back_n = false;        ///< numbered packets, sent again where they are lost; otherwise nothing is ever lost
  double bit_error_rate = 0;     ///< probability that a bit on a wire is wrong
  double drop_rate = 0;          ///< probability that a flit is lost
  int replay_packets = 0;        ///< that each sender keeps until they are acknowledged
  int ack_packets = 16;          ///< per ACK
  Cycle ack_timeout = 0;         ///< longest wait of a packet for its ACK
  Cycle retransmit_timeout = 0;  ///< without any answer; complete after resolving, as the two above
};

/// A fabric of FRED switches: an almost-fat tree in several parallel planes, over which packets are striped.
struct FredSpec {
  int m = 3;
  int planes = 1;                      ///< 1..kMostPlanes
  std::vector<FredLevelSpec> levels;   ///< the top level has one group
  std::uint64_t header_bytes = 6;      ///< header bytes per packet, charged as link time
  int control_buffer_flits = 4;        ///< per input port, for the control traffic class
  int output_packets = 2;              ///< that each output port can hold
  std::uint64_t setting_bytes = 1536;  ///< memory of each chiplet for stored settings
  Cycle reload_cycles = 0;  ///< to load a setting that the memory had no room for; 0 = more than fit are refused
  int lanes = 0;            ///< 4-byte lanes of a port; 0 = a flit per cycle
  Cycle reduce_cycles = 1;
  bool skid_buffers = false;  ///< stages of two slots instead of one
  int register_every = 1;     ///< uSwitches of a route per register; 1 = each has one
  bool wormhole = false;      ///< packets start flit by flit instead of with room for the whole packet
  FredControl control = FredControl::kOnePhase;
  int stay_packets = 16;  ///< per setting while another of the same phase waits; 0 = no bound
  FredLinkLayerSpec link_layer;
  std::string matching = "maximum";    ///< which unicasts start in a switch
  std::string conflict = "serialize";  ///< answer to flows that do not route together
  std::string model = "tlm";           ///< model of the switches: tlm, rtl, lockstep
  bool in_switch = true;               ///< switches reduce and copy; otherwise they carry unicasts only
  bool fp32_accumulation = false;      ///< FP16 and BF16 are added as FP32 within a switch
  std::vector<DataType> formats;       ///< that the switches can reduce; complete after resolving
};

/// Whole trees of I/O streams over a mesh.
enum class IoRouting {
  kEdgeFirst,  ///< straight in from the controller's edge, then along it: left and right X-Y, bottom and top Y-X
  kXy,         ///< all along x first
};

/// I/O controllers: at the border of a mesh, or nodes behind the NPUs, spread over the lowest FRED switches.
struct IoSpec {
  int controllers = 0;
  Rational rate{1, 1};  ///< flits per cycle of each, in each plane
  IoRouting routing = IoRouting::kEdgeFirst;
};

/// Planes that a fabric of FRED switches may have: network interfaces have a VC per plane and traffic class.
inline constexpr int kMostPlanes = 8;

struct FabricSpec {
  FabricKind kind = FabricKind::kMesh;
  int size_x = 1;
  int size_y = 1;
  std::string routing = "xy";
  std::uint64_t flit_bytes = 32;
  LinkSpec link;
  std::optional<LinkSpec> link_y;  ///< links along y, where they differ
  LinkSpec local;
  RouterSpec router;
  bool statistics = true;  ///< count flits and stalls of every link
  FabricForm form = FabricForm::kRegion;
  IoSpec io;
  FredSpec
      fred;  ///< with kind fred; size_x = NPUs per L1 switch, size_y = L1 switches; `local` is the NPU's whole port

  /// NPUs.
  int nodes() const { return size_x * size_y; }
  const LinkSpec& link_along_y() const { return link_y ? *link_y : link; }
};

/// Order in which ready work of one NPU starts.
enum class IssueOrder { kFifo, kLifo };
/// VCs of its link that an NPU may start a packet in: any, or those kept for the side of the router where it goes on.
enum class InjectionVcs { kAny, kByDirection };
/// Which of an NPU's messages of one priority sends the next packet: each in round-robin order, or the oldest chunk of
/// a collective.
enum class MessageOrder { kRoundRobin, kOldestFirst };

struct NpuSpec {
  std::optional<ClockSpec> clock;     ///< own clock domain for NPUs and network interfaces
  double peak_flops = 0;              ///< FLOP/s; 0 = compute nodes need a recorded duration
  double memory_bytes_per_s = 0;      ///< for the roofline; 0 = not limited
  bool roofline = true;               ///< use num_ops/tensor_size where a node has no recorded duration
  double reduce_bytes_per_s = 0;      ///< local memory bandwidth of an endpoint reduction; 0 = free
  Cycle endpoint_delay_cycles = 0;    ///< before each send and after each receive of a program
  Cycle ramp_cycles = 1;              ///< wire delay between core and router; the same as fabric.local.latency
  Cycle add_cycles = 0;               ///< from an element's arrival to its being added or copied, one per cycle
  std::uint64_t packet_bytes = 4096;  ///< largest payload of one packet
  int injectors = 0;                  ///< packets that may enter the fabric side by side; 0 = one per VC
  InjectionVcs injection_vcs = InjectionVcs::kAny;
  MessageOrder message_order = MessageOrder::kRoundRobin;
  int message_classes = 1;  ///< VC sets of their own; replies need the second one
  int max_collectives = 0;  ///< in flight per NPU; 0 = no limit
  IssueOrder order = IssueOrder::kFifo;
  std::vector<NodeId> placement;  ///< rank -> node; complete after resolving
};

enum class CollectiveKind {
  kAllReduce,
  kReduce,
  kAllGather,
  kGather,
  kScatter,
  kBroadcast,
  kAllToAll,
  kReduceScatter,
  kBarrier,
};
enum class DataMode { kTiming, kValues };

/// Most chunks of one collective: the tags of its messages tell so many apart.
inline constexpr int kMostChunks = 64;

/// How collectives are carried out, for a single collective and for those of a trace.
struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::kAllReduce;
  std::string algorithm = "ring";
  std::string algorithm_file;   ///< with algorithm `file`
  std::string algorithm_table;  ///< with algorithm `auto`
  std::uint64_t bytes = 0;      ///< as Chakra's comm_size
  std::vector<RankId> group;    ///< empty = all ranks
  RankId root{};                ///< index within the group's ranks is derived from it
  ReduceOp op = ReduceOp::kSum;
  DataType dtype = DataType::kFp32;
  int chunks = 1;                 ///< run one behind the other through the algorithm, 1..kMostChunks
  std::uint64_t chunk_bytes = 0;  ///< one chunk for each of them, at most `chunks` (config/chunks.h); 0 = `chunks`
  int active_chunks = 0;          ///< chunks in flight at once; 0 = all
  DataMode data = DataMode::kTiming;
};

struct TraceWorkload {
  std::string chakra;  ///< prefix of `<prefix>.<rank>.et`
  std::string groups;  ///< communicator groups, JSON; empty = from the trace or none
  std::string phases;  ///< phases of communicator groups, JSON; empty = from descriptions and names of the groups
  bool strict = false;
  CollectiveSpec collective;  ///< algorithm, chunks, data of the trace's collectives
};
/// Phases of parallel training, in the order of the numbers of `parallelism`.
enum class TrainingPhase { kMp, kPp, kDp };

struct CollectiveWorkload {
  CollectiveSpec collective;
  /// MP, PP, DP: all groups of `phase` do the collective at the same time (config/parallel_groups.h); empty = one
  /// group.
  std::vector<std::uint32_t> parallelism;
  TrainingPhase phase = TrainingPhase::kMp;
};
struct TrafficWorkload {
  std::string pattern = "uniform";
  double rate = 0.1;  ///< flits per node and cycle
  int packet_flits = 1;
  Cycle warmup_cycles = 5000;
  Cycle measure_cycles = 10000;
  Cycle drain_cycles = 100000;
  std::vector<NodeId> hotspots;
  std::string file;  ///< with pattern `permutation`
};

/// Every I/O controller sends a stream of its own to all NPUs.
struct IoWorkload {
  std::uint64_t bytes = 0;   ///< bytes per stream
  std::uint64_t window = 0;  ///< bytes of each stream that an NPU has room for; 0 = all of it
  Cycle window_latency = 1;  ///< from an NPU to a controller that may send more, in cycles of the NPU's clock
  DataMode data = DataMode::kTiming;
};

/// Where loads and stores of traces go: the NPU's own memory, over I/O controllers, or to memory that a formula gives.
enum class TensorMemory { kLocal, kIo, kRemote };

struct MemorySpec {
  TensorMemory tensors = TensorMemory::kLocal;
  std::string remote;            ///< file of the formula, with tensors kRemote
  std::uint64_t piece = 131072;  ///< bytes that a controller is asked for at once, with tensors kIo
  int pieces = 3;                ///< pieces of one load or store that are under way at once
  Cycle latency_cycles = 0;      ///< from a controller's being asked to its first byte, in cycles of the NPU's clock
  std::string timing;            ///< the NPU's own DRAM, by name or file; empty = npu.memory_bandwidth, not contended
  std::string scheduler = "fr_fcfs";              ///< scheduler of its channels
  std::string mapping = "row_bank_column_group";  ///< how addresses map to rows, banks and columns
  int queue_depth = 32;                           ///< bursts of a channel that the scheduler sees
  Cycle age_limit = 2000;  ///< after so many cycles of the DRAM's clock a burst is served before all younger ones
  bool messages = true;    ///< messages are read from and written to the NPU's own DRAM
  std::string pool;  ///< file of the pool behind the I/O controllers, with tensors kIo; empty = latency_cycles only
  bool dmi = false;  ///< hosts may have pointers into local DRAM, and into fully granted pages of the pool
  bool debug_all = false;  ///< debug accesses of hosts need no grant
};

/// What a recording does when its disk is full. What was written stays readable.
enum class WavesFull : std::uint8_t {
  kStop,  ///< ends the run with an error
  kGoOn,  ///< ends the recording with a warning
};

struct WavesSpec {
  std::string file;  ///< empty = off
  std::vector<std::string> scope;
  double from_ns = 0;
  double to_ns = -1;      ///< negative = to the end
  std::string trigger;    ///< what the recording waits for; empty = nothing
  Cycle last_cycles = 0;  ///< keep only so many cycles before the end or an error, in memory until then; 0 = all
  std::string layout = "collective";     ///< question that the layout beside the file is made for
  WavesFull on_full = WavesFull::kStop;  ///< when the disk is full
};

/// How much of a run its log keeps; each level includes those before it.
enum class LogLevel : std::uint8_t {
  kOff,
  kRanks,    ///< compute, memory and collectives of each rank
  kSteps,    ///< chunks and steps of collectives
  kPackets,  ///< every packet
};

struct LogSpec {
  LogLevel level = LogLevel::kRanks;
  int windows = 128;  ///< most windows of time in which flits are counted per link; 0 = not counted
};

struct LimitsSpec {
  Cycle cycles = 0;               ///< 0 = none
  Cycle watchdog_cycles = 20000;  ///< flits in flight and none moved for so long: an error
};

/// Cycles that are copies of earlier ones can be left out, and those in which messages go on at steady rates.
enum class FastForwardMode { kOff, kExact, kSteady };

/// How a run is carried out. Results do not depend on it, but for FastForwardMode::kSteady.
struct RunSpec {
  FastForwardMode fast_forward = FastForwardMode::kExact;
};

/// One system plus one workload.
struct Config {
  std::string name;
  std::uint64_t seed = 1;
  int threads = 1;
  ClockSpec clock;
  LimitsSpec limits;
  RunSpec run;
  FabricSpec fabric;
  NpuSpec npu;
  MemorySpec memory;
  std::variant<TraceWorkload, CollectiveWorkload, TrafficWorkload, IoWorkload> workload;
  WavesSpec waves;
  LogSpec log;
  std::vector<std::string> load_warnings;  ///< of its text, such as old names of keys; no key
};

}  // namespace weft
