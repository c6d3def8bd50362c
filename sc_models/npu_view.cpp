// SPDX-License-Identifier: Apache-2.0
#include "sc_models/npu_view.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/rational_math.h"

namespace weft::sc_models {
namespace {

/// NPU clock cycles per fabric clock cycle.
Rational npu_cycles_per_cycle(const Config& config) {
  if (!config.npu.clock) return {1, 1};
  const auto ratio = checked_divide(config.npu.clock->hertz, config.clock.hertz);
  if (!ratio) throw InputError("npu.clock: its ratio to `clock` needs more than 64 bits; choose rounder frequencies");
  return *ratio;
}

/// A number of cycles of one clock in cycles of another that makes `ratio` of them per cycle, rounded up.
Cycle scaled_up(Cycle cycles, Rational ratio) {
  const auto scaled = checked_multiply({cycles, 1}, ratio);
  if (!scaled) throw InputError("npu.clock: its ratio to `clock` is out of range");
  return round_up(*scaled);
}

/// Whether the phase of a link and `flits` more of them, in parts of a cycle, fit 64 bits.
bool adds_up(Rational flits_per_cycle, std::uint64_t flits) {
  return static_cast<UInt128>(flits_per_cycle.den) * flits + flits_per_cycle.num <= ~std::uint64_t{0};
}

}  // namespace

Config as_npus_see_it(const Config& config) {
  Config view = config;
  if (!config.npu.clock) return view;
  const Rational ratio = npu_cycles_per_cycle(config);
  LinkSpec& local = view.fabric.local;
  local.latency_cycles = scaled_up(local.latency_cycles, ratio);
  const auto rate = checked_divide(local.flits_per_cycle, ratio);
  if (!rate || !adds_up(*rate, 1))
    throw InputError("fabric.local.bandwidth: its rate in cycles of npu.clock needs more than 64 bits");
  local.flits_per_cycle = *rate;
  const auto io_rate = checked_divide(config.fabric.io.rate, ratio);
  if (!io_rate || !adds_up(*io_rate, divided_up(config.npu.packet_bytes, config.fabric.flit_bytes)))
    throw InputError("io.bandwidth: its rate in cycles of npu.clock needs more than 64 bits");
  view.fabric.io.rate = *io_rate;
  view.npu.endpoint_delay_cycles = scaled_up(config.npu.endpoint_delay_cycles, ratio);
  return view;
}

}  // namespace weft::sc_models
