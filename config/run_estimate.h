// SPDX-License-Identifier: Apache-2.0
// What a run will cost, before it is started. Rough by design: the formulas are printed with the numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "config/config.h"

namespace weft {

/// Flit-hops that one core moves in a second; `weft bench` measures it on the machine at hand.
inline constexpr double kFlitHopsPerSecond = 8e6;
/// Bursts of NPUs' own DRAM that one core simulates in a second.
inline constexpr double kDramBurstsPerSecond = 20e6;
/// Seconds to build one node.
inline constexpr double kSetupSecondsPerNode = 2e-5;
/// Bytes of a process with an empty fabric, of a node, of a VC of one port, and of one flit of buffer. These and the
/// following were measured; `scripts/estimate` compares what they give with what runs take.
inline constexpr double kBaseBytes = 24e6;
inline constexpr double kBytesPerNode = 550;
inline constexpr double kBytesPerVc = 14;
inline constexpr double kBytesPerBufferedFlit = 4;
/// Bytes of a node that sends messages: its network interface, its player and its collective engine.
inline constexpr double kBytesPerPlayer = 8500;
/// Bytes of a node whose router and network interface are modules of their own.
inline constexpr double kBytesPerModule = 22000;
/// Bytes of a packet on its way, and of an instruction that a collective engine holds.
inline constexpr double kBytesPerPacket = 160;
inline constexpr double kBytesPerInstruction = 460;
/// Bytes of a port of a FRED chiplet, its share of the uSwitches included, and more of one in RTL.
inline constexpr double kBytesPerFredPort = 7000;
inline constexpr double kBytesPerRtlPort = 40000;
/// More bytes of such a port where packets go from one to another: the datapaths that a switch keeps.
inline constexpr double kBytesPerUnicastPort = 25000;
/// Bytes of a memory pool.
inline constexpr double kBytesPerPool = 45e6;
/// Bytes of a byte of values: beside inputs and results what engines, messages and the check of the sums hold.
inline constexpr double kBytesPerValueByte = 4;

/// Bytes of a node of a trace that waits for one further on in its file, and of a byte of JSON.
inline constexpr double kBytesPerHeldNode = 440;
inline constexpr double kBytesPerJsonByte = 16;
/// Bytes of a packet, and of a message, in a log that has packets: it is written at the end of the run.
inline constexpr double kBytesPerLoggedPacket = 105;
inline constexpr double kBytesPerLoggedMessage = 245;

/// What the collective engines of all ranks hold at once.
struct EngineNeed {
  double instructions = 0;
  double value_bytes = 0;  ///< values mode: inputs and results
};

/// What a trace sends, as far as the one who can read it says.
struct TraceVolume {
  /// Sent by all ranks together, collectives as collective_bytes has them; and loaded and stored over I/O controllers.
  double message_bytes = 0;
  double compute_seconds = 0;  ///< of the busiest rank
  double dram_bursts = 0;      ///< of the NPUs' own DRAM, all together
  EngineNeed engines;          ///< of the collectives that need most, one of each rank
  double held_nodes = 0;       ///< that stand in the file before what they depend on, all ranks together
  double json_bytes = 0;       ///< of files in JSON
};

struct RunEstimate {
  double average_hops = 0;       ///< routers visited per packet
  std::optional<double> flits;   ///< nullopt: not known before the trace is read
  std::optional<double> cycles;  ///< simulated; of a collective or trace the least that its data need
  std::optional<double> flit_hops;
  std::optional<double> cpu_seconds;
  double dram_bursts = 0;  ///< of the NPUs' own DRAM
  double memory_bytes = 0;
  std::string formula;         ///< how `flits` came about
  std::string memory_formula;  ///< how `memory_bytes` came about
};

/// Bytes that all ranks of a group of `ranks` send together, for algorithms that send no byte twice; `bytes` is
/// Chakra's comm_size.
double collective_bytes(CollectiveKind kind, double ranks, double bytes);
/// Mean number of routers that a packet of this traffic visits; permutations from a file count as uniform.
double average_hops(const FabricSpec& fabric, const TrafficWorkload& traffic);
/// Mean number of routers, or switches, between two nodes drawn independently.
double average_hops(const FabricSpec& fabric);

/// "3.2 k", "12 M": three digits are more than an estimate is worth.
std::string short_number(double value);

/// `trace`: of a trace that was read; `engines`: of another workload.
RunEstimate estimate_run(const Config& config, const std::optional<TraceVolume>& trace = std::nullopt,
                         const EngineNeed& engines = {});

}  // namespace weft
