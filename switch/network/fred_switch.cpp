// SPDX-License-Identifier: Apache-2.0
#include "switch/network/fred_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernel/config_names.h"
#include "kernel/error.h"

namespace weft::fred {
namespace {

const SwitchSpec& checked(const SwitchSpec& spec) {
  check_switch_spec(spec);
  return spec;
}

std::size_t words_per_beat(const SwitchSpec& spec) {
  return spec.flit_bytes / spec.beats() / element_bytes(spec.format.element);
}

PortId port_id(std::size_t port) { return PortId{static_cast<std::uint8_t>(port)}; }

}  // namespace

FredSwitch::FredSwitch(const SwitchSpec& spec)
    : spec_(checked(spec)),
      net_(build_interconnect(spec.m, spec.ports)),
      store_(net_, spec.memory_bytes),
      pool_(words_per_beat(spec)),
      network_(net_, spec, pool_),
      buffers_(spec.ports, PortBuffer(spec.buffer_flits, spec.flit_bytes, spec.values)),
      beat_(spec.ports, 0),
      outputs_(spec.ports),
      credits_(spec.ports, spec.output_credits),
      credits_arrived_(spec.ports, 0),
      sent_bytes_(spec.values ? static_cast<std::size_t>(spec.ports) * spec.flit_bytes : 0) {}

void FredSwitch::receive(PortId port, const PortFlit& flit, const std::uint8_t* data) {
  check_arrival(port, flit);
  arrivals_.push_back({port, flit});
  if (spec_.values) arrived_bytes_.insert(arrived_bytes_.end(), data, data + spec_.flit_bytes);
}

void FredSwitch::check_arrival(PortId port, const PortFlit& flit) const {
  WEFT_CHECK(index(port) < net_.ports, fmt::format("{}: a flit arrives at port {}", net_.name(), index(port)));
  if (!flit.head) return;
  WEFT_CHECK(flit.configuration < store_.size(),
             fmt::format("{}: a packet at port {} names configuration {}; {} are stored", net_.name(), index(port),
                         flit.configuration, store_.size()));
  WEFT_CHECK(store_[flit.configuration].flow_of_input[index(port)] >= 0,
             fmt::format("{}: a packet at port {} names configuration {}, where that port is no input", net_.name(),
                         index(port), flit.configuration));
  WEFT_CHECK(flit.packet_flits >= 1 && flit.packet_flits <= spec_.packet_flits,
             fmt::format("{}: a packet of {} flits at port {}; 1 to {} are legal", net_.name(), flit.packet_flits,
                         index(port), spec_.packet_flits));
}

void FredSwitch::step() {
  control();
  offer();
  network_.step();
  take();
  send();
  write_arrivals();
}

// 1. Control.

void FredSwitch::control() {
  if (reconfiguring_ > 0 && --reconfiguring_ > 0) return;
  if (loading_ != kNothing) {
    active_ = std::exchange(loading_, kNothing);
    network_.load(&store_[active_].program);
    started_since_load_ = 0;
  }
  if (buffered_ == 0 || start_flows() || !drained()) return;
  const std::uint32_t next = next_configuration();
  if (next == kNothing) return;
  ++reconfigurations_;
  loading_ = next;
  reconfiguring_ = spec_.reconfigure_cycles;
  if (reconfiguring_ == 0) control();
}

/// Starts what can start under the active configuration, at most `stay_packets` while another one waits.
bool FredSwitch::start_flows() {
  if (active_ == kNothing) return false;
  const bool stayed = spec_.stay_packets > 0 && started_since_load_ >= spec_.stay_packets;
  if (stayed && next_configuration() != kNothing) return false;
  bool started = false;
  for (const Flow& flow : store_[active_].flows) {
    if (!can_start(active_, flow)) continue;
    start(flow);
    started = true;
  }
  return started;
}

bool FredSwitch::can_start(std::uint32_t configuration, const Flow& flow) const {
  const PortFlit* first = nullptr;
  for (const PortId port : flow.inputs) {
    const PortFlit* head = buffers_[index(port)].next_head();
    if (head == nullptr || head->configuration != configuration) return false;
    WEFT_CHECK(head->head,
               fmt::format("{}: port {} gets a packet longer than its head says", net_.name(), index(port)));
    if (first == nullptr) first = head;
    WEFT_CHECK(
        head->packet_flits == first->packet_flits,
        fmt::format("{}: packets of flow '{}' differ in length: {} flits at port {}, {} at port {}", net_.name(),
                    flow.name, first->packet_flits, index(flow.inputs.front()), head->packet_flits, index(port)));
  }
  if (spec_.flow_control == PortFlowControl::kWormhole) return true;
  return std::all_of(flow.outputs.begin(), flow.outputs.end(),
                     [&](PortId port) { return credits_[index(port)] >= first->packet_flits; });
}

void FredSwitch::start(const Flow& flow) {
  const std::uint32_t flits = buffers_[index(flow.inputs.front())].next_head()->packet_flits;
  for (const PortId port : flow.inputs) buffers_[index(port)].start(flits);
  if (spec_.flow_control == PortFlowControl::kCutThrough) {
    for (const PortId port : flow.outputs) credits_[index(port)] -= flits;
  }
  outputs_pending_ += flow.outputs.size();
  ++started_since_load_;
}

/// The next one, in cyclic order, of which a flow can start; kNothing if there is none.
std::uint32_t FredSwitch::next_configuration() const {
  const std::uint32_t count = store_.size();
  const std::uint32_t from = active_ == kNothing ? count - 1 : active_;
  for (std::uint32_t i = 1; i <= count; ++i) {
    const std::uint32_t candidate = (from + i) % count;
    if (candidate == active_) continue;
    for (const Flow& flow : store_[candidate].flows) {
      if (can_start(candidate, flow)) return candidate;
    }
  }
  return kNothing;
}

// 2. The network's ports.

void FredSwitch::offer() {
  for (std::uint32_t port = 0; port < buffers_.size(); ++port) {
    ElasticNetwork::Input& input = network_.input(port);
    const PortBuffer& buffer = buffers_[port];
    if (!input.valid && buffer.started() > 0 && buffer.size() > 0) {
      const PortFlit& flit = buffer.front();
      Beat beat;
      beat.packet = flit.packet;
      beat.packet_flits = flit.packet_flits;
      beat.flit_end = beat_[port] + 1 == spec_.beats();
      beat.head = flit.head && beat_[port] == 0;
      beat.tail = flit.tail && beat.flit_end;
      if (spec_.values) {
        beat.data = pool_.take();
        const std::size_t bytes = spec_.flit_bytes / spec_.beats();
        enter_lanes(spec_.format, buffer.front_bytes() + beat_[port] * bytes, pool_.at(beat.data), pool_.words());
      }
      input.valid = true;
      input.beat = beat;
    }
    network_.output(port).ready =
        spec_.flow_control == PortFlowControl::kCutThrough || outputs_[port].beats > 0 || credits_[port] > 0;
  }
}

// 3. What left.

void FredSwitch::take() {
  freed_.clear();
  for (std::uint32_t port = 0; port < buffers_.size(); ++port) {
    ElasticNetwork::Input& input = network_.input(port);
    if (!input.taken) continue;
    pool_.release(input.beat.data);
    input.valid = false;
    beat_[port] = input.beat.flit_end ? 0 : beat_[port] + 1;
    if (!input.beat.flit_end) continue;
    buffers_[port].pop();
    --buffered_;
    freed_.push_back(port_id(port));
  }
}

void FredSwitch::send() {
  sent_.clear();
  for (std::uint32_t port = 0; port < outputs_.size(); ++port) {
    const ElasticNetwork::Output& output = network_.output(port);
    if (!output.valid) continue;
    OutputState& state = outputs_[port];
    const Beat& beat = output.beat;
    if (state.beats == 0) {
      state.head = beat.head;
      if (spec_.flow_control == PortFlowControl::kWormhole) --credits_[port];
    }
    std::uint8_t* const flit_bytes = spec_.values ? &sent_bytes_[port * std::size_t{spec_.flit_bytes}] : nullptr;
    if (spec_.values) {
      const std::size_t bytes = spec_.flit_bytes / spec_.beats();
      leave_lanes(spec_.format, pool_.at(beat.data), flit_bytes + state.beats * bytes, pool_.words());
      pool_.release(beat.data);
    }
    ++state.beats;
    if (beat.tail) --outputs_pending_;
    if (!beat.flit_end) continue;
    WEFT_CHECK(state.beats == spec_.beats(), net_.name() + ": a flit leaves with the wrong number of beats");
    sent_.push_back({port_id(port), {beat.packet, active_, beat.packet_flits, state.head, beat.tail}, flit_bytes});
    state.beats = 0;
  }
}

// 4. Arrivals.

void FredSwitch::write_arrivals() {
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    const std::uint8_t* data = spec_.values ? &arrived_bytes_[i * spec_.flit_bytes] : nullptr;
    buffers_[index(arrivals_[i].port)].push(arrivals_[i].flit, data);
    ++buffered_;
  }
  arrivals_.clear();
  arrived_bytes_.clear();
  for (std::size_t port = 0; port < credits_.size(); ++port) {
    credits_[port] += std::exchange(credits_arrived_[port], 0);
    WEFT_CHECK(credits_[port] <= spec_.output_credits,
               fmt::format("{}: output port {} has {} credits, more than the {} places behind it", net_.name(), port,
                           credits_[port], spec_.output_credits));
  }
}

std::vector<std::string> FredSwitch::waiting() const {
  std::vector<std::string> sentences;
  for (std::uint32_t port = 0; port < buffers_.size(); ++port) {
    const PortBuffer& buffer = buffers_[port];
    if (buffer.size() == 0) continue;
    const PortFlit* head = buffer.next_head();
    if (buffer.started() > 0 || head == nullptr) {
      sentences.push_back(
          fmt::format("input port {}: {} of a started packet's flits are still to leave", port, buffer.started()));
      continue;
    }
    const Flow& flow = store_[head->configuration].flows[store_[head->configuration].flow_of_input[port]];
    std::string text =
        fmt::format("input port {}: flow '{}' of configuration {}", port, flow.name, head->configuration);
    for (const PortId other : flow.inputs) {
      const PortFlit* operand = buffers_[index(other)].next_head();
      if (operand == nullptr || operand->configuration != head->configuration) {
        text += fmt::format(", waits for a packet at input port {}", index(other));
      }
    }
    for (const PortId output : flow.outputs) {
      if (credits_[index(output)] < head->packet_flits) {
        text += fmt::format(", has {} of {} credits at output port {}", credits_[index(output)], head->packet_flits,
                            index(output));
      }
    }
    if (head->configuration != active_) text += ", is not loaded";
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace weft::fred
