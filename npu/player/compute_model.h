// SPDX-License-Identifier: Apache-2.0
// How many cycles a compute or memory node takes: recorded duration or roofline, in exact integer arithmetic.
#pragma once

#include <cstdint>

#include "config/config.h"
#include "npu/trace/trace_node.h"

namespace weft::npu {

/// Cycles that `amount` units take at `per_second` units per second, rounded up. Throws InputError where the result
/// does not fit 63 bits. `per_second` must not be 0.
Cycle cycles_at_rate(std::uint64_t amount, std::uint64_t per_second, const ClockSpec& clock);

/// Times of the nodes that one NPU works on by itself.
///
/// A recorded duration goes first: microseconds -> cycles, rounded up. Without one, and with `npu.roofline` on, a
/// node takes the longer of num_ops / peak_flops and tensor_bytes / memory bandwidth, each rounded up (so the result
/// is the rounded maximum). Rates are whole FLOP/s and bytes/s; a bandwidth of 0 is no limit. A node that has neither
/// takes no time.
class ComputeModel {
 public:
  /// `clock` is the domain in which the NPU counts its cycles.
  ComputeModel(const NpuSpec& spec, const ClockSpec& clock);

  /// Cycles of a compute node. Throws InputError when it has only num_ops and `npu.peak_flops` is not set.
  Cycle compute_cycles(const TraceNode& node) const;
  /// The same without its memory side, where that is simulated: recorded duration, or num_ops / peak_flops.
  Cycle operation_cycles(const TraceNode& node) const;
  /// Bytes that a node moves from or to memory while it runs: none where its duration is recorded.
  std::uint64_t bytes_moved(const TraceNode& node) const;
  /// Cycles of a load or store, taken as an access to local memory: tensor_bytes / memory bandwidth.
  Cycle memory_cycles(const TraceNode& node) const;

 private:
  Cycle cycles_of(const TraceNode& node, std::uint64_t amount, const char* unit, std::uint64_t per_second) const;
  Cycle recorded_cycles(const TraceNode& node) const;
  Cycle transfer_cycles(const TraceNode& node) const;

  ClockSpec clock_;
  bool roofline_;
  std::uint64_t flops_per_s_;         ///< 0 = not set
  std::uint64_t memory_bytes_per_s_;  ///< 0 = not limited
};

}  // namespace weft::npu
