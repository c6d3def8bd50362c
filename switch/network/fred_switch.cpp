// SPDX-License-Identifier: Apache-2.0
#include "switch/network/fred_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "config/fred_shape.h"
#include "config/names.h"

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
      timing_{spec.reduce_cycles, stage_registers(net_, spec.register_every)},
      store_(net_, spec.memory_bytes, timing_, spec.reload_cycles > 0 ? SettingStore::kReload : SettingStore::kRefuse),
      pool_(words_per_beat(spec)),
      context_{spec_, pool_},
      unicasts_(net_, timing_.registered),
      matching_(make_unicast_matching(spec.matching, spec.ports)),
      streams_(spec.ports),
      whole_packets_(spec.ports, 0),
      unicast_datapaths_(static_cast<std::size_t>(spec.ports), spec.kept_datapaths),
      beats_(spec.beats()),
      wires_(ChannelNumbers(net_).count()),
      waiting_(static_cast<std::size_t>(spec.traffic_classes), PortSet(streams_.size())),
      leaving_(streams_.size()),
      sending_(streams_.size()),
      output_changes_(streams_.size(), 0),
      stream_changes_(streams_.size(), 0) {
  require_settled(net_, timing_.registered);
  if (spec_.watch.wires) {
    watch_ = std::make_unique<WireWatch>(net_, spec_.watch.data && spec_.values ? spec_.beat_bytes() : 0);
    context_.watch = watch_.get();
  }
  // Flits that are still in the stages need slots, too: they have been promised.
  const auto stages = static_cast<std::uint32_t>(fred_stages(net_.ports, spec.register_every)) * spec.reduce_cycles;
  for (std::size_t port = 0; port < streams_.size(); ++port) {
    serve_order_.push_back(port_id(port));
    PortSpec described;
    if (!spec.port_specs.empty()) described = spec.port_specs[port];
    described.out_rate.flit_bytes = spec.flit_bytes;
    whole_packets_[port] = described.whole_packets || described.in_rate < Rational{1, 1} ? 1 : 0;
    outputs_.emplace_back(described.out_rate, spec.output_packets * spec.packet_flits + stages, spec.values);
    for (int vc = 0; vc < spec.traffic_classes; ++vc) {
      buffers_.emplace_back(spec.buffer_of(vc), spec.flit_bytes, spec.values);
      credits_.push_back(spec.credits_of(port, vc));
      most_credits_.push_back(credits_.back());
    }
  }
  most_adders_ = (fred_stages(net_.ports, 1) + 1) / 2;
  obstacles_.resize(buffers_.size());
  input_changes_.resize(buffers_.size(), 0);
}

void FredSwitch::receive(PortId port, const PortFlit& flit, const std::uint8_t* data) {
  check_arrival(port, flit);
  const std::uint32_t to = slot(index(port), flit.traffic_class);
  arrivals_.push_back({static_cast<std::uint16_t>(to), flit.head, flit.tail, data != nullptr});
  if (flit.head) arrived_heads_.push_back(flit);
  if (data != nullptr) arrived_bytes_.insert(arrived_bytes_.end(), data, data + spec_.flit_bytes);
}

void FredSwitch::check_arrival(PortId port, const PortFlit& flit) const {
  WEFT_CHECK(index(port) < net_.ports, fmt::format("{}: a flit arrives at port {}", net_.name(), index(port)));
  WEFT_CHECK(flit.traffic_class < spec_.traffic_classes,
             fmt::format("{}: a flit of traffic class {} arrives at port {}; there are {}", net_.name(),
                         flit.traffic_class, index(port), spec_.traffic_classes));
  if (flit.head) check_head(port, flit);
}

void FredSwitch::check_head(PortId port, const PortFlit& flit) const {
  WEFT_CHECK(flit.packet_flits >= 1 && flit.packet_flits <= spec_.packet_flits,
             fmt::format("{}: a packet of {} flits at port {}; 1 to {} are legal", net_.name(), flit.packet_flits,
                         index(port), spec_.packet_flits));
  if (flit.setting == kUnicasts) {
    WEFT_CHECK(flit.output < net_.ports || (flit.output == kAnyUplink && spec_.uplinks > 0),
               fmt::format("{}: a packet at port {} goes to port {}; there are {}", net_.name(), index(port),
                           flit.output, net_.ports));
    return;
  }
  WEFT_CHECK(flit.setting < store_.size(),
             fmt::format("{}: a packet at port {} names stored setting {}; 0 (unicasts) to {} are legal", net_.name(),
                         index(port), flit.setting, store_.size() - 1));
  WEFT_CHECK(store_[flit.setting].flow_of_input[index(port)] >= 0,
             fmt::format("{}: a packet at port {} names stored setting {}, where that port is no input", net_.name(),
                         index(port), flit.setting));
}

void FredSwitch::credit(PortId port, std::uint8_t traffic_class) {
  credits_arrived_.push_back(slot(index(port), traffic_class));
}

std::uint32_t FredSwitch::credits_known(PortId port, int traffic_class) const {
  const std::uint32_t at = slot(index(port), static_cast<std::uint32_t>(traffic_class));
  return credits_[at] + static_cast<std::uint32_t>(std::count(credits_arrived_.begin(), credits_arrived_.end(), at));
}

void FredSwitch::step(Cycle now) {
  if (trains_) {
    step_trains(now);
    return;
  }
  sent_.clear();
  freed_.clear();
  absorbed_.clear();
  if (watch_ != nullptr) watch_->clear();
  heads_moved_ = false;
  credits_came_ = !credits_arrived_.empty();
  control(now);
  if (!running_.empty()) move(now);
  if (output_flits_ > 0) send(now);
  write_arrivals();
}

Cycle FredSwitch::next_work(Cycle now) const {
  if (trains_) return next_train_work();
  const bool at_once = streams_open_ > 0 || !running_.empty() || !arrivals_.empty() || !credits_arrived_.empty() ||
                       (buffered_ > 0 && (dirty_ || timed_));
  if (at_once) return now + 1;
  Cycle next = kNever;
  sending_.for_each([&](std::uint32_t port) { next = std::min(next, outputs_[port].next_slot(now + 1)); });
  return next;
}

// 2. The datapaths.

void FredSwitch::move(Cycle now) {
  for (Running& running : running_) {
    if (running.datapath->delay() != nullptr) {
      pass(running);
    } else {
      step_registers(running);
    }
  }
  if (!leaving_.empty()) free_slots();
  retire(now);
}

/// A step of a datapath in which beats never wait. All operands of a beat enter in the same step.
void FredSwitch::pass(Running& running) {
  ElasticDatapath& datapath = *running.datapath;
  const DatapathPlan& plan = datapath.plan();
  const std::uint32_t first = plan.inputs.front();
  operands_.clear();
  if (streams_[first].datapath == &datapath) {
    const Beat beat = next_beat(first, streams_[first]);
    if (spec_.values && beat.setting != kUnicasts) enter_operands(plan, beat);
    datapath.step_delay(&beat, operands_);
    for (const std::uint8_t port : plan.inputs) {
      WEFT_CHECK(streams_[port].datapath == &datapath && streams_[port].beat == streams_[first].beat,
                 net_.name() + ": the operands of a flow that never waits do not come in the same step");
    }
    for (const std::uint8_t port : plan.inputs) leave_input(port, beat.flit_end);
  } else {
    datapath.step_delay(nullptr, operands_);
  }
  const BeatDelay& delay = *datapath.delay();
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    if (delay.valid(i)) collect(running, plan.outputs[i], delay.beat(i), delay.data(i));
  }
}

void FredSwitch::enter_operands(const DatapathPlan& plan, const Beat& beat) {
  for (const std::uint8_t port : plan.inputs) {
    const Beat operand = next_beat(port, streams_[port]);
    WEFT_CHECK(operand.head == beat.head && operand.tail == beat.tail,
               net_.name() + ": the operands of a flow that never waits do not come in the same step");
    operands_.push_back(enter_data(port, streams_[port]));
  }
}

/// A step of a datapath in which beats may wait in registers.
void FredSwitch::step_registers(Running& running) {
  ElasticDatapath& datapath = *running.datapath;
  offer(running);
  if (wormhole()) ask_outputs(running);
  datapath.step();
  const auto& ports = datapath.plan().outputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ElasticDatapath::Output& out = datapath.output(i);
    if (out.valid) collect(running, ports[i], out.beat, out.beat.data);
  }
  take(running);
}

void FredSwitch::offer(const Running& running) {
  const auto& ports = running.datapath->plan().inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ElasticDatapath::Input& input = running.datapath->input(i);
    const Stream& stream = streams_[ports[i]];
    if (stream.datapath != running.datapath || input.valid) continue;
    if (wormhole() && buffer(ports[i], stream.vc).size() == 0) continue;
    input.beat = next_beat(ports[i], stream);
    if (spec_.values && input.beat.setting != kUnicasts) input.beat.data = enter_data(ports[i], stream);
    input.valid = true;
  }
}

/// The beat that enters next from an input port, without its data.
Beat FredSwitch::next_beat(std::uint32_t port, const Stream& stream) const {
  const PortBuffer& from = buffer(port, stream.vc);
  WEFT_CHECK(from.size() > 0,
             fmt::format("{}: a packet that has started at port {} comes with a gap", net_.name(), port));
  const PortFlit& packet = from.front_packet();
  Beat beat;
  beat.packet = packet.packet;
  beat.setting = packet.setting;
  beat.packet_flits = packet.packet_flits;
  beat.traffic_class = stream.vc;
  beat.flit_end = stream.beat + 1 == beats_;
  beat.head = from.front_left() == 0 && stream.beat == 0;
  beat.tail = from.front_left() + 1 == packet.packet_flits && beat.flit_end;
  return beat;
}

/// A slot with the data of that beat.
std::uint32_t FredSwitch::enter_data(std::uint32_t port, const Stream& stream) {
  const std::uint32_t data = pool_.take();
  const std::size_t bytes = spec_.flit_bytes / beats_;
  enter_lanes(spec_.format, buffer(port, stream.vc).front_bytes() + stream.beat * bytes, pool_.at(data), pool_.words());
  return data;
}

/// Whether each output of a datapath can take a beat.
void FredSwitch::ask_outputs(const Running& running) {
  const auto& ports = running.datapath->plan().outputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const OutputPort& output = outputs_[ports[i]];
    running.datapath->output(i).ready =
        output.within_flit() || (output.room() > 0 && credits_[slot(ports[i], running.vc)] > 0);
  }
}

/// A beat has come out of a datapath; its data is in the slot `data`.
void FredSwitch::collect(Running& running, std::uint32_t port, const Beat& beat, std::uint32_t data) {
  OutputPort& output = outputs_[port];
  if (wormhole() && !output.within_flit()) {
    --credits_[slot(port, running.vc)];
    heads_moved_ = true;  // what waits for this output may lack credits now
    output.promise(1);
  }
  if (data != WordPool::kNone) {
    leave_lanes(spec_.format, pool_.at(data), output.next_bytes(spec_.flit_bytes / beats_), pool_.words());
    pool_.release(data);
  }
  if (output.take(beat)) {
    ++output_flits_;
    sending_.insert(port);
  }
  if (!beat.tail) return;
  --running.tails;
  --tails_inside_;
}

// 3. What left.

void FredSwitch::take(const Running& running) {
  const auto& ports = running.datapath->plan().inputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ElasticDatapath::Input& input = running.datapath->input(i);
    if (!input.taken) continue;
    pool_.release(input.beat.data);
    input.valid = input.taken = false;
    leave_input(ports[i], input.beat.flit_end);
  }
}

/// The beat at the front of an input port has entered.
void FredSwitch::leave_input(std::uint32_t port, bool flit_end) {
  streams_[port].beat = flit_end ? 0 : streams_[port].beat + 1;
  if (flit_end) leaving_.insert(port);
}

void FredSwitch::free_slots() {
  leaving_.for_each([this](std::uint32_t port) {
    Stream& stream = streams_[port];
    PortBuffer& from = buffer(port, stream.vc);
    WEFT_CHECK(from.size() > 0,
               fmt::format("{}: an operand that has started at port {} comes with a gap", net_.name(), port));
    const std::uint32_t packet = from.front_packet().packet;
    from.pop();
    --buffered_;
    freed_.push_back({port_id(port), stream.vc});
    if (--stream.flits_left == 0) end_packet(port, stream, packet);
  });
  leaving_.clear();
}

/// The last flit of a packet has left its input port.
void FredSwitch::end_packet(std::uint32_t port, Stream& stream, std::uint32_t packet) {
  if (stream.absorbed) absorbed_.push_back(packet);
  dirty_ = true;
  stream.flits_left = std::exchange(stream.next_flits, 0);
  if (stream.flits_left > 0) return;
  stream.datapath = nullptr;
  --streams_open_;
  ++stream_changes_[port];
}

void FredSwitch::retire(Cycle now) {
  for (std::size_t i = 0; i < running_.size();) {
    const Running& running = running_[i];
    if (running.tails > 0 || !running.datapath->empty()) {
      ++i;
      continue;
    }
    if (wormhole()) {
      for (const WireUse use : running.datapath->plan().uses) wires_[use.channel].busy_until = now + 1;
    }
    dirty_ = true;
    running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void FredSwitch::send(Cycle now) {
  sending_.for_each([this, now](std::uint32_t port) {
    OutputPort& output = outputs_[port];
    if (!output.can_send(now)) return;
    const bool data = spec_.values && output.front().setting != kUnicasts;
    sent_.push_back({port_id(port), output.front(), data ? output.front_bytes() : nullptr});
    output.send(now);
    --output_flits_;
    ++output_changes_[port];
    if (output.empty()) sending_.erase(port);
    dirty_ = true;
  });
}

// 4. Arrivals.

void FredSwitch::write_arrivals() {
  std::size_t data = 0;
  std::size_t heads = 0;
  for (const Arrival& arrival : arrivals_) {
    const std::uint8_t* bytes = arrival.has_data ? &arrived_bytes_[data] : nullptr;
    if (arrival.has_data) data += spec_.flit_bytes;
    PortBuffer& into = buffers_[arrival.slot];
    if (arrival.head) {
      const PortFlit& head = arrived_heads_[heads++];
      heads_moved_ = heads_moved_ || into.next_head() == nullptr;
      into.push_head(head, bytes);
      waiting_[head.traffic_class].insert(arrival.slot / static_cast<std::uint32_t>(spec_.traffic_classes));
    } else {
      into.push_body(arrival.tail, bytes);
    }
    if (!arrival.head && !arrival.tail) continue;
    dirty_ = true;
    ++input_changes_[arrival.slot];
  }
  buffered_ += arrivals_.size();
  arrivals_.clear();
  arrived_heads_.clear();
  arrived_bytes_.clear();
  for (const std::uint32_t at : credits_arrived_) {
    ++credits_[at];
    ++output_changes_[at / static_cast<std::uint32_t>(spec_.traffic_classes)];
    WEFT_CHECK(credits_[at] <= most_credits_[at],
               fmt::format("{}: output port {} has {} credits, more than the {} slots behind it", net_.name(),
                           at / static_cast<std::uint32_t>(spec_.traffic_classes), credits_[at], most_credits_[at]));
  }
  dirty_ = dirty_ || !credits_arrived_.empty();
  credits_arrived_.clear();
}

}  // namespace weft::fred
