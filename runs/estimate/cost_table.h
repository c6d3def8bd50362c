// SPDX-License-Identifier: Apache-2.0
// What the parts of a run cost in memory and CPU time, as measured. What a flit costs at a hop its fabric says
// (FabricSketch::hop_cost). Nothing else in the estimate was measured.
#pragma once

namespace weft::runs {

// ---- CPU time, in ns of one core: `scripts/estimate --time` prints them beside what runs took. They are fitted by
// hand to the CPU times of its jobs (`cpu_s` of summary.json) with the preset `release`, on two cores of a virtual
// machine (AMD EPYC) on which others worked, too. To refresh one, change it until the jobs that have most of it have
// ratios around 1.

/// What a packet costs at the network interfaces of both ends.
inline constexpr double kPacketCost = 1000;
/// What a message costs at both ends, and what an instruction of a collective engine costs.
inline constexpr double kMessageCost = 700;
inline constexpr double kStepCost = 200;
/// What a byte of values costs: inputs are made, added on the way and compared with what they should be.
inline constexpr double kValueByteCost = 3;
/// What a packet costs that the memory pool behind I/O controllers reads or writes.
inline constexpr double kPoolPacketCost = 45000;
/// What a port of a chiplet in RTL costs in a cycle.
inline constexpr double kRtlPortCycleCost = 1000;
/// What a burst of the NPUs' own DRAM costs.
inline constexpr double kDramBurstCost = 50;
/// What it costs to build a node.
inline constexpr double kNodeCost = 2000;
/// Once a run holds more than caches of this size, what it does takes up to kUncached times as long.
inline constexpr double kCacheBytes = 64e6;
inline constexpr double kUncached = 3;

// ---- Memory, in bytes: `scripts/estimate` compares what they give with the peaks of runs

/// What a process with an empty fabric takes.
inline constexpr double kBaseBytes = 24e6;
/// What a node, a VC of one port of its router and one flit of buffer take.
inline constexpr double kBytesPerNode = 550;
inline constexpr double kBytesPerVc = 14;
inline constexpr double kBytesPerBufferedFlit = 4;
/// What a node that sends messages takes for its network interface, its player and its collective engine.
inline constexpr double kBytesPerPlayer = 4300;
/// What a node takes more whose router and network interface are modules of their own.
inline constexpr double kBytesPerModule = 22000;
/// What a packet in the fabric takes.
inline constexpr double kBytesPerPacket = 160;
/// What a collective engine takes for an instruction that has started, with its message, and for one that waits.
inline constexpr double kBytesPerStartedInstruction = 160;
inline constexpr double kBytesPerWaitingInstruction = 100;
/// What a port of a FRED chiplet takes, its share of the uSwitches included, and what one in RTL takes more.
inline constexpr double kBytesPerFredPort = 7000;
inline constexpr double kBytesPerRtlPort = 40000;
/// What such a port takes more where packets go from one to another: the datapaths that a switch keeps.
inline constexpr double kBytesPerUnicastPort = 25000;
/// What a memory pool takes.
inline constexpr double kBytesPerPool = 45e6;
/// What a byte of values takes: engines, messages and the check of the sums hold it beside inputs and results.
inline constexpr double kBytesPerValueByte = 4;
/// What a node of a trace takes that waits for one further on in its file, and what a byte of JSON takes.
inline constexpr double kBytesPerHeldNode = 440;
inline constexpr double kBytesPerJsonByte = 16;
/// What a packet and a message take in a log that has packets, which is written at the end of the run.
inline constexpr double kBytesPerLoggedPacket = 105;
inline constexpr double kBytesPerLoggedMessage = 245;

}  // namespace weft::runs
