// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/stage_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "switch/arith/lane_format.h"
#include "tb/bench/operands.h"

namespace weft::tb {
namespace {

constexpr std::array<ReduceOp, 3> kOps = {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax};

/// One operation with its wires.
fred::DatapathPlan plan_of(const StageMode::Datapath& pins, const StageSpec& spec) {
  fred::DatapathPlan plan;
  fred::DatapathOp op;
  for (std::size_t i = 0; i < pins.inputs.size(); ++i) {
    plan.inputs.push_back(static_cast<std::uint8_t>(i));
    op.from[op.inputs++] = static_cast<std::uint16_t>(plan.registers.size());
    plan.registers.push_back(0);
  }
  for (std::size_t o = 0; o < pins.outputs.size(); ++o) {
    plan.outputs.push_back(static_cast<std::uint8_t>(o));
    const auto wire = static_cast<std::uint16_t>(plan.registers.size());
    op.to[op.outputs++] = wire;
    plan.out_wires.push_back(wire);
    plan.registers.push_back(static_cast<std::uint8_t>(pins.inputs.size() == 2 ? spec.sum_stages : spec.pass_stages));
  }
  plan.ops.push_back(op);
  return plan;
}

}  // namespace

StageBench::StageBench(const BenchSetup& setup, StageSpec spec) : BlockBench(setup), spec_(std::move(spec)) {
  switch_spec_.flow_control = fred::PortFlowControl::kWormhole;  // outputs may be closed
  switch_spec_.stage = spec_.skid ? fred::StageBuffer::kSkid : fred::StageBuffer::kRegister;
  const auto bin = [&](const std::string& name) { return coverage_.bin(spec_.name + "." + name); };
  for (const StageMode& mode : spec_.modes) mode_bins_.push_back(bin("mode." + mode.name));
  bool adds = false;
  bool copies = false;
  for (const StageMode& mode : spec_.modes) {
    for (const auto& datapath : mode.datapaths) {
      adds = adds || datapath.inputs.size() == 2;
      copies = copies || datapath.outputs.size() == 2;
    }
  }
  if (adds && spec_.lanes > 0) {
    for (const RtlFormat& format : rtl_formats(spec_.accumulate_fp32)) {
      for (const ReduceOp op : kOps) sum_bins_.push_back(bin(fmt::format("{}.format{}", name_of_op(op), format.code)));
    }
  }
  in_stall_bin_ = bin("input.stalls");
  out_stall_bin_ = bin("output.stalls");
  full_bin_ = bin("input.waits");
  back_to_back_bin_ = bin("output.back_to_back");
  emptied_bin_ = bin("output.emptied");
  if (adds) uneven_bins_ = {bin("join.left_waits"), bin("join.right_waits")};
  if (copies) ahead_bins_ = {bin("fork.first_copy_ahead"), bin("fork.second_copy_ahead")};
  reset_bin_ = bin("reset.while_busy");
  connect();
  start_epoch();
}

void StageBench::connect() {
  const auto optional = [&](const std::string& name) { return name.empty() ? RtlModel::Port() : rtl_.port(name); };
  const auto part = [&](const std::string& name, const std::string& port, std::uint32_t number) {
    return name == port && spec_.ports.inputs.size() + spec_.ports.outputs.size() == 2
               ? port
               : fmt::format("{}[{}]", port, number);
  };
  for (const StagePorts::Pin& pin : spec_.ports.inputs) {
    Input input;
    input.valid = rtl_.port(pin.valid);
    input.ready = rtl_.port(pin.ready);
    input.data = rtl_.port(pin.data);
    input.side = optional(pin.side);
    input.setting = optional(pin.setting);
    input.number = pin.number;
    input.ring.resize(kRing);
    input.expected_ready = expect(pin.ready, pin.number, 1, part(pin.ready, pin.ready, pin.number));
    inputs_.push_back(std::move(input));
  }
  for (const StagePorts::Pin& pin : spec_.ports.outputs) {
    Output output;
    output.valid = rtl_.port(pin.valid);
    output.ready = rtl_.port(pin.ready);
    output.data = rtl_.port(pin.data);
    output.side = optional(pin.side);
    output.number = pin.number;
    const std::uint32_t n = pin.number;
    output.expected_valid = expect(pin.valid, n, 1, part(pin.valid, pin.valid, n));
    output.expected_data =
        expect(pin.data, n * spec_.ports.data_bits, spec_.ports.data_bits, part(pin.data, pin.data, n));
    if (spec_.ports.side_bits > 0) {
      output.expected_side =
          expect(pin.side, n * spec_.ports.side_bits, spec_.ports.side_bits, part(pin.side, pin.side, n));
    }
    outputs_.push_back(output);
  }
}

void StageBench::start_epoch() {
  mode_ = random().below(spec_.modes.size());
  const StageMode& mode = spec_.modes[mode_];
  coverage_.hit(mode_bins_[mode_]);
  epoch_left_ = 20 + random().below(200);
  if (spec_.lanes > 0) {
    const auto formats = rtl_formats(spec_.accumulate_fp32);
    const std::size_t f = random().below(formats.size());
    const std::size_t o = random().below(kOps.size());
    format_ = formats[f];
    op_ = kOps[o];
    lanes_ = std::make_unique<LaneWords>(format_.lanes, spec_.accumulate_fp32, spec_.lanes);
    if (rtl_.has_port("format_i")) rtl_.port("format_i").set(static_cast<std::uint64_t>(format_.code));
    if (rtl_.has_port("op_i")) rtl_.port("op_i").set(o);
    const bool adds = std::any_of(mode.datapaths.begin(), mode.datapaths.end(),
                                  [](const StageMode::Datapath& each) { return each.inputs.size() == 2; });
    if (adds) coverage_.hit(sum_bins_[f * kOps.size() + o]);
  }
  for (Input& input : inputs_) {
    input.holds = false;
    input.made = input.taken = 0;
  }
  for (Output& output : outputs_) {
    output.taken = 0;
    output.datapath = -1;
    output.waited = output.took_before = false;
  }
  running_.clear();
  for (const StageMode::Datapath& pins : mode.datapaths) {
    for (const int output : pins.outputs) outputs_[output].datapath = static_cast<int>(running_.size());
    running_.push_back({pins, std::make_unique<fred::ElasticDatapath>(plan_of(pins, spec_), context_)});
  }
}

void StageBench::reset() {
  if (!idle()) coverage_.hit(reset_bin_);
  start_epoch();
}

bool StageBench::idle() const {
  const bool inside =
      std::any_of(running_.begin(), running_.end(), [](const Running& each) { return !each.datapath->empty(); });
  return !inside && empty();
}

bool StageBench::empty() const {
  for (const Running& running : running_) {
    const std::uint64_t sent = inputs_[running.pins.inputs[0]].taken;
    for (const int input : running.pins.inputs) {
      if (inputs_[input].holds || inputs_[input].taken != sent) return false;
    }
    for (const int output : running.pins.outputs) {
      if (outputs_[output].taken != sent) return false;
    }
  }
  return true;
}

/// A new beat; an operand that comes after the other's of the same sum gets the same match bits.
void StageBench::make_beat(Input& input, int other) {
  Beat& beat = input.ring[input.made % kRing];
  beat.data.assign((spec_.ports.data_bits + 7) / 8, 0);
  if (lanes_ != nullptr) {
    beat.words.resize(lanes_->count());
    for (std::uint32_t& word : beat.words) word = draw_element(format_.lanes.word(), random());
    lanes_->pack(beat.words.data(), beat.data.data());
  } else {
    for (std::uint8_t& byte : beat.data) byte = static_cast<std::uint8_t>(random().bits());
    if (spec_.ports.data_bits % 8 != 0) {
      beat.data.back() = static_cast<std::uint8_t>(beat.data.back() & ((1U << spec_.ports.data_bits % 8) - 1));
    }
  }
  RtlModel::Port side;
  beat.side.assign((spec_.ports.side_bits + 7) / 8, 0);
  side.bytes = beat.side.data();
  side.width = spec_.ports.side_bits;
  for (std::uint32_t at = 0; at < spec_.ports.side_bits; ++at) side.set_bit(at, random().below(2) != 0);
  if (other >= 0 && inputs_[other].made > input.made) {
    RtlModel::Port first;
    first.bytes = inputs_[other].ring[input.made % kRing].side.data();
    for (std::uint32_t at = 0; at < spec_.ports.match_bits; ++at) side.set_bit(at, first.bit(at));
  }
  ++input.made;
  input.holds = true;
}

/// Decides whether the input offers a beat in this cycle, and sets its wires; without a beat they carry noise.
void StageBench::offer(Input& input, bool draining) {
  const auto self = static_cast<int>(&input - inputs_.data());
  int other = -1;
  bool used = false;
  for (const Running& running : running_) {
    const auto& pins = running.pins.inputs;
    if (std::find(pins.begin(), pins.end(), self) == pins.end()) continue;
    used = true;
    if (pins.size() == 2) other = pins[0] == self ? pins[1] : pins[0];
  }
  // At the end of an epoch operands whose partners have come still follow.
  const bool ending = draining || epoch_left_ == 0;
  const bool owed = other >= 0 && inputs_[other].made > input.made;
  if (used && !input.holds && (!ending || owed)) {
    if (!draining && stalls()) {
      coverage_.hit(in_stall_bin_);
    } else if (other < 0 || input.made < inputs_[other].made + 4) {
      make_beat(input, other);
    }
  }
  const std::uint32_t n = input.number;
  input.valid.set_bit(n, input.holds);
  const Beat& beat = input.ring[(input.made + kRing - 1) % kRing];
  const auto put = [&](const RtlModel::Port& port, std::uint32_t width, const std::vector<std::uint8_t>& bytes) {
    for (std::uint32_t done = 0; done < width; done += 8) {
      const std::uint64_t value = input.holds ? bytes[done / 8] : random().bits();
      port.set(n * width + done, std::min<std::uint32_t>(8, width - done), value);
    }
  };
  put(input.data, spec_.ports.data_bits, beat.data);
  put(input.side, spec_.ports.side_bits, beat.side);
  if (spec_.ports.setting_bits > 0) {
    const std::uint64_t setting = input.holds ? spec_.modes[mode_].setting : random().bits();
    input.setting.set(n * spec_.ports.setting_bits, spec_.ports.setting_bits, setting);
  }
}

StageBench::Beat StageBench::result(const Running& running, std::uint64_t sequence) const {
  Beat beat = inputs_[running.pins.inputs[0]].ring[sequence % kRing];
  if (running.pins.inputs.size() == 1) return beat;
  const Beat& operand = inputs_[running.pins.inputs[1]].ring[sequence % kRing];
  fred::reduce_lanes(format_.lanes, op_, beat.words.data(), operand.words.data(), beat.words.size());
  lanes_->pack(beat.words.data(), beat.data.data());
  return beat;
}

std::string StageBench::flow_of(const Running& running, std::size_t output, std::uint64_t sequence) const {
  return fmt::format("{}: input {} -> output {}, word {}", spec_.modes[mode_].name,
                     fmt::join(running.pins.inputs, " + "), output, sequence);
}

/// What the registers in front of the outputs hold: found by letting a copy of the datapath give all it has.
void StageBench::show(const Running& running, const fred::ElasticDatapath& now) {
  fred::ElasticDatapath shown = now;
  for (std::size_t i = 0; i < running.pins.inputs.size(); ++i) shown.input(i).valid = false;
  for (std::size_t o = 0; o < running.pins.outputs.size(); ++o) shown.output(o).ready = true;
  shown.step();
  for (std::size_t o = 0; o < running.pins.outputs.size(); ++o) {
    Output& output = outputs_[running.pins.outputs[o]];
    const bool valid = shown.output(o).valid;
    at(output.expected_valid).set(std::uint64_t{valid});
    at(output.expected_valid).flow = flow_of(running, running.pins.outputs[o], output.taken);
    if (!valid) continue;
    const std::uint64_t sequence = shown.output(o).beat.packet;
    const Beat beat = result(running, sequence);
    at(output.expected_data).set(beat.data.data());
    at(output.expected_data).flow = flow_of(running, running.pins.outputs[o], sequence);
    if (spec_.ports.side_bits == 0) continue;
    at(output.expected_side).set(beat.side.data());
    at(output.expected_side).flow = at(output.expected_data).flow;
  }
}

void StageBench::step_model() {
  for (const Running& running : running_) show(running, *running.datapath);
  for (Running& running : running_) {
    fred::ElasticDatapath& datapath = *running.datapath;
    for (std::size_t o = 0; o < running.pins.outputs.size(); ++o) {
      datapath.output(o).ready = outputs_[running.pins.outputs[o]].takes;
    }
    for (std::size_t i = 0; i < running.pins.inputs.size(); ++i) {
      const Input& input = inputs_[running.pins.inputs[i]];
      datapath.input(i).valid = input.holds;
      datapath.input(i).beat.packet = static_cast<std::uint32_t>(input.made - 1);
    }
    datapath.step();
    for (std::size_t i = 0; i < running.pins.inputs.size(); ++i) {
      Input& input = inputs_[running.pins.inputs[i]];
      if (!input.holds) continue;
      at(input.expected_ready).set(std::uint64_t{datapath.input(i).taken});
      at(input.expected_ready).flow =
          fmt::format("{}: input {}, word {}", spec_.modes[mode_].name, running.pins.inputs[i], input.made - 1);
    }
  }
}

void StageBench::drive(std::uint64_t, bool draining) {
  if (epoch_left_ > 0) {
    --epoch_left_;
  } else if (idle() && !draining) {
    start_epoch();
  }
  forget();
  for (Input& input : inputs_) offer(input, draining);
  for (Output& output : outputs_) {
    output.takes = draining || !stalls();
    if (!output.takes) coverage_.hit(out_stall_bin_);
    output.ready.set_bit(output.number, output.takes);
    if (output.datapath < 0 && setup_.compare == Compare::kCycle) at(output.expected_valid).set(std::uint64_t{0});
  }
  if (setup_.compare == Compare::kCycle) step_model();
}

void StageBench::count_events() {
  for (const Input& input : inputs_) {
    if (input.holds && !input.ready.bit(input.number)) coverage_.hit(full_bin_);
  }
  for (const Running& running : running_) {
    const auto& ins = running.pins.inputs;
    const auto& outs = running.pins.outputs;
    if (ins.size() == 2 && inputs_[ins[0]].holds != inputs_[ins[1]].holds) {
      coverage_.hit(uneven_bins_[inputs_[ins[0]].holds ? 0 : 1]);
    }
    if (outs.size() == 2 && outputs_[outs[0]].taken != outputs_[outs[1]].taken) {
      coverage_.hit(ahead_bins_[outputs_[outs[0]].taken > outputs_[outs[1]].taken ? 0 : 1]);
    }
  }
}

std::optional<Mismatch> StageBench::check(std::uint64_t now) {
  std::optional<Mismatch> found = setup_.compare == Compare::kCycle ? BlockBench::check(now) : check_order(now);
  if (found) return found;
  count_events();
  for (Input& input : inputs_) {
    if (!input.holds || !input.ready.bit(input.number)) continue;
    input.holds = false;
    ++input.taken;
  }
  for (Output& output : outputs_) {
    const bool shows = output.valid.bit(output.number);
    output.waited = shows && !output.takes;
    const bool takes = shows && output.takes;
    if (takes && output.took_before) coverage_.hit(back_to_back_bin_);
    if (!shows && output.took_before) coverage_.hit(emptied_bin_);
    output.took_before = takes;
    if (!takes) continue;
    ++output.taken;
    ++delivered_;
  }
  return std::nullopt;
}

std::optional<Mismatch> StageBench::check_order(std::uint64_t now) {
  for (Output& output : outputs_) {
    if (std::optional<Mismatch> found = check_output(output, now)) return found;
  }
  return std::nullopt;
}

/// Each output shows the results of its datapath one after the other, and keeps one until it is taken.
std::optional<Mismatch> StageBench::check_output(Output& output, std::uint64_t now) {
  const auto number = static_cast<std::size_t>(&output - outputs_.data());
  const bool shows = output.valid.bit(output.number);
  const std::string& valid_name = at(output.expected_valid).name;
  if (!shows) {
    if (!output.waited) return std::nullopt;
    return Mismatch{now, valid_name, fmt::format("output {}", number), "valid until it is taken", "0x0"};
  }
  if (output.datapath < 0) return Mismatch{now, valid_name, fmt::format("output {}", number), "0x0", "0x1"};
  const Running& running = running_[output.datapath];
  const std::string flow = flow_of(running, number, output.taken);
  for (const int input : running.pins.inputs) {
    if (inputs_[input].made > output.taken) continue;
    return Mismatch{now, valid_name, flow, "nothing: its operands have not come", "0x1"};
  }
  const Beat beat = result(running, output.taken);
  at(output.expected_data).set(beat.data.data());
  at(output.expected_data).flow = flow;
  if (spec_.ports.side_bits > 0) {
    at(output.expected_side).set(beat.side.data());
    at(output.expected_side).flow = flow;
  }
  return BlockBench::check(now);
}

}  // namespace weft::tb
