// SPDX-License-Identifier: Apache-2.0
#include "npu/player/compute_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"

namespace weft::npu {
namespace {

constexpr std::uint64_t kMicrosecondsPerSecond = 1'000'000;

// Doubles above 2^53 are whole numbers anyway; below, a rate of a fraction of a FLOP/s means nothing.
std::uint64_t whole_rate(double rate, const char* key) {
  if (!(rate >= 0) || rate >= 9.2e18) {
    throw InputError(fmt::format("{}: {} per second is out of range; legal are 0 to 9.2e18", key, rate));
  }
  return rate == 0 ? 0 : std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(rate)));
}

}  // namespace

Cycle cycles_at_rate(std::uint64_t amount, std::uint64_t per_second, const ClockSpec& clock) {
  const UInt128 numerator = static_cast<UInt128>(amount) * clock.hertz.num;
  const UInt128 denominator = static_cast<UInt128>(per_second) * clock.hertz.den;
  const UInt128 cycles = numerator / denominator + (numerator % denominator != 0 ? 1 : 0);
  if (cycles > kLastCycle) {
    throw InputError(
        fmt::format("work of {} units at {} units per second takes more than the {} cycles that a run can last", amount,
                    per_second, kLastCycle));
  }
  return static_cast<Cycle>(cycles);
}

ComputeModel::ComputeModel(const NpuSpec& spec, const ClockSpec& clock)
    : clock_(clock),
      roofline_(spec.roofline),
      flops_per_s_(whole_rate(spec.peak_flops, "npu.peak_flops")),
      memory_bytes_per_s_(whole_rate(spec.memory_bytes_per_s, "npu.memory_bandwidth")) {}

Cycle ComputeModel::cycles_of(const TraceNode& node, std::uint64_t amount, const char* unit,
                              std::uint64_t per_second) const {
  try {
    return cycles_at_rate(amount, per_second, clock_);
  } catch (const InputError& error) {
    throw InputError(fmt::format("node {} '{}' has {} {}: {}", node.id, node.name, amount, unit, error.what()));
  }
}

Cycle ComputeModel::recorded_cycles(const TraceNode& node) const {
  return cycles_of(node, node.duration_us, "microseconds", kMicrosecondsPerSecond);
}

Cycle ComputeModel::transfer_cycles(const TraceNode& node) const {
  const std::uint64_t bytes = node.tensor_bytes.value_or(0);
  return memory_bytes_per_s_ == 0 ? 0 : cycles_of(node, bytes, "bytes", memory_bytes_per_s_);
}

Cycle ComputeModel::compute_cycles(const TraceNode& node) const {
  const Cycle operations = operation_cycles(node);
  return node.duration_us > 0 || !roofline_ ? operations : std::max(operations, transfer_cycles(node));
}

std::uint64_t ComputeModel::bytes_moved(const TraceNode& node) const {
  return node.duration_us > 0 || !roofline_ ? 0 : node.tensor_bytes.value_or(0);
}

Cycle ComputeModel::operation_cycles(const TraceNode& node) const {
  if (node.duration_us > 0) return recorded_cycles(node);
  if (!roofline_) return 0;
  const std::uint64_t ops = node.num_ops.value_or(0);
  if (ops > 0 && flops_per_s_ == 0) {
    throw InputError(
        fmt::format("compute node {} '{}' has {} operations but no recorded duration: set npu.peak_flops (for example "
                    "\"900 TFLOP/s\"), or npu.roofline: false to let such nodes take no time",
                    node.id, node.name, ops));
  }
  return ops == 0 ? 0 : cycles_of(node, ops, "operations", flops_per_s_);
}

Cycle ComputeModel::memory_cycles(const TraceNode& node) const {
  return node.duration_us > 0 ? recorded_cycles(node) : transfer_cycles(node);
}

}  // namespace weft::npu
