// SPDX-License-Identifier: Apache-2.0
#include "switch/network/fred_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "config/fred_shape.h"
#include "config/names.h"
#include "switch/network/stall_reasons.h"

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
      wires_(ChannelNumbers(net_).count()) {
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
    }
  }
}

void FredSwitch::receive(PortId port, const PortFlit& flit, const std::uint8_t* data) {
  check_arrival(port, flit);
  arrivals_.push_back({port, data != nullptr, flit});
  if (data != nullptr) arrived_bytes_.insert(arrived_bytes_.end(), data, data + spec_.flit_bytes);
}

void FredSwitch::check_arrival(PortId port, const PortFlit& flit) const {
  WEFT_CHECK(index(port) < net_.ports, fmt::format("{}: a flit arrives at port {}", net_.name(), index(port)));
  WEFT_CHECK(flit.traffic_class < spec_.traffic_classes,
             fmt::format("{}: a flit of traffic class {} arrives at port {}; there are {}", net_.name(),
                         flit.traffic_class, index(port), spec_.traffic_classes));
  if (!flit.head) return;
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
             fmt::format("{}: a packet at port {} names configuration {}; 0 (unicasts) to {} are legal", net_.name(),
                         index(port), flit.setting, store_.size() - 1));
  WEFT_CHECK(store_[flit.setting].flow_of_input[index(port)] >= 0,
             fmt::format("{}: a packet at port {} names configuration {}, where that port is no input", net_.name(),
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
  sent_.clear();
  freed_.clear();
  absorbed_.clear();
  if (watch_ != nullptr) watch_->clear();
  heads_moved_ = false;
  credits_came_ = !credits_arrived_.empty();
  control(now);
  if (streaming_ > 0) offer();
  if (!running_.empty()) move(now);
  if (output_flits_ > 0) send(now);
  write_arrivals();
}

Cycle FredSwitch::next_work(Cycle now) const {
  const bool at_once = streaming_ > 0 || !running_.empty() || !arrivals_.empty() || !credits_arrived_.empty() ||
                       (buffered_ > 0 && (dirty_ || timed_));
  if (at_once) return now + 1;
  Cycle next = kNever;
  for (const OutputPort& output : outputs_) {
    if (!output.empty()) next = std::min(next, output.next_slot(now + 1));
  }
  return next;
}

// 2. The datapaths.

void FredSwitch::offer() {
  for (Stream& stream : streams_) {
    if (stream.datapath == nullptr) continue;
    ElasticDatapath::Input& input = stream.datapath->input(stream.input);
    const auto port = static_cast<std::uint32_t>(&stream - streams_.data());
    const PortBuffer& from = buffer(port, stream.vc);
    if (input.valid) continue;
    WEFT_CHECK(from.size() > 0 || wormhole(),
               fmt::format("{}: a packet that has started at port {} comes with a gap", net_.name(), port));
    if (from.size() == 0) continue;
    const PortFlit& flit = from.front();
    Beat beat;
    beat.packet = flit.packet;
    beat.setting = flit.setting;
    beat.packet_flits = flit.packet_flits;
    beat.traffic_class = stream.vc;
    beat.flit_end = stream.beat + 1 == spec_.beats();
    beat.head = flit.head && stream.beat == 0;
    beat.tail = flit.tail && beat.flit_end;
    if (spec_.values && flit.setting != kUnicasts) {
      beat.data = pool_.take();
      const std::size_t bytes = spec_.flit_bytes / spec_.beats();
      enter_lanes(spec_.format, from.front_bytes() + stream.beat * bytes, pool_.at(beat.data), pool_.words());
    }
    input.valid = true;
    input.beat = beat;
  }
}

void FredSwitch::move(Cycle now) {
  for (Running& running : running_) {
    const auto& ports = running.datapath->plan().outputs;
    for (std::size_t i = 0; i < ports.size(); ++i) {
      const OutputPort& output = outputs_[ports[i]];
      running.datapath->output(i).ready =
          !wormhole() || output.within_flit() || (output.room() > 0 && credits_[slot(ports[i], running.vc)] > 0);
    }
    running.datapath->step();
    collect(running);
  }
  if (streaming_ > 0) take();
  retire(now);
}

/// What came out of a datapath.
void FredSwitch::collect(Running& running) {
  const auto& ports = running.datapath->plan().outputs;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const ElasticDatapath::Output& out = running.datapath->output(i);
    if (!out.valid) continue;
    OutputPort& output = outputs_[ports[i]];
    if (wormhole() && !output.within_flit()) {
      --credits_[slot(ports[i], running.vc)];
      heads_moved_ = true;  // what waits for this output may lack credits now
      output.promise(1);
    }
    if (out.beat.data != WordPool::kNone) {
      leave_lanes(spec_.format, pool_.at(out.beat.data), output.next_bytes(spec_.flit_bytes / spec_.beats()),
                  pool_.words());
      pool_.release(out.beat.data);
    }
    if (output.take(out.beat)) ++output_flits_;
    if (!out.beat.tail) continue;
    --running.tails;
    --tails_inside_;
  }
}

// 3. What left.

void FredSwitch::take() {
  for (Stream& stream : streams_) {
    if (stream.datapath == nullptr) continue;
    ElasticDatapath::Input& input = stream.datapath->input(stream.input);
    if (!input.taken) continue;
    pool_.release(input.beat.data);
    input.valid = input.taken = false;
    stream.beat = input.beat.flit_end ? 0 : stream.beat + 1;
    if (!input.beat.flit_end) continue;
    const auto port = static_cast<std::uint32_t>(&stream - streams_.data());
    buffer(port, stream.vc).pop();
    --buffered_;
    freed_.push_back({port_id(port), stream.vc});
    if (--stream.flits_left > 0) continue;
    if (stream.absorbed) absorbed_.push_back(input.beat.packet);
    dirty_ = true;
    stream.flits_left = std::exchange(stream.next_flits, 0);
    if (stream.flits_left > 0) continue;
    stream.datapath = nullptr;
    --streaming_;
  }
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
  for (std::size_t port = 0; port < outputs_.size(); ++port) {
    OutputPort& output = outputs_[port];
    if (!output.can_send(now)) continue;
    const bool data = spec_.values && output.front().setting != kUnicasts;
    sent_.push_back({port_id(port), output.front(), data ? output.front_bytes() : nullptr});
    output.send(now);
    --output_flits_;
    dirty_ = true;
  }
}

// 4. Arrivals.

void FredSwitch::write_arrivals() {
  std::size_t data = 0;
  for (const Arrival& arrival : arrivals_) {
    const std::uint8_t* bytes = arrival.has_data ? &arrived_bytes_[data] : nullptr;
    if (arrival.has_data) data += spec_.flit_bytes;
    PortBuffer& into = buffer(index(arrival.port), arrival.flit.traffic_class);
    const bool waited = into.waiting() > 0;
    into.push(arrival.flit, bytes);
    if (!waited && into.waiting() > 0) {
      ++waiting_buffers_[arrival.flit.traffic_class];
      heads_moved_ = true;
    }
    ++buffered_;
    dirty_ = dirty_ || arrival.flit.head || arrival.flit.tail;
  }
  arrivals_.clear();
  arrived_bytes_.clear();
  for (const std::uint32_t at : credits_arrived_) {
    ++credits_[at];
    dirty_ = true;
    const auto classes = static_cast<std::uint32_t>(spec_.traffic_classes);
    const std::uint32_t most = spec_.credits_of(at / classes, static_cast<int>(at % classes));
    WEFT_CHECK(credits_[at] <= most, fmt::format("{}: output port {} has {} credits, more than the {} slots behind it",
                                                 net_.name(), at / classes, credits_[at], most));
  }
  credits_arrived_.clear();
}

void FredSwitch::require_empty() const {
  WEFT_CHECK(!busy(), net_.name() + ": flits are left inside");
  WEFT_CHECK(pool_.in_use() == 0, net_.name() + ": data is left inside");
  for (std::size_t at = 0; at < credits_.size(); ++at) {
    const auto classes = static_cast<std::size_t>(spec_.traffic_classes);
    const auto vc = static_cast<int>(at % classes);
    const std::uint32_t all = spec_.credits_of(at / classes, vc);
    WEFT_CHECK(credits_[at] == all, fmt::format("{}: output port {} lacks credits of traffic class {}: {} of {}",
                                                net_.name(), at / classes, vc, credits_[at], all));
  }
}

std::uint64_t FredSwitch::state_hash(Cycle now) const {
  std::uint64_t hash = active_;
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
  add(open_from_ > now ? open_from_ - now : 0);
  add(loaded_from_ > now ? loaded_from_ - now : 0);
  for (const std::uint32_t resident : store_.residents()) add(resident);
  add(drained_ > now ? drained_ - now : 0);
  add(started_since_load_);
  add(next_port_);
  add(next_uplink_);
  for (const PortId port : serve_order_) add(index(port));
  add(std::uint64_t{dirty_} << 1 | std::uint64_t{timed_});
  for (const PortBuffer& each : buffers_) add(each.state());
  for (const std::uint32_t credits : credits_) add(credits);
  for (const OutputPort& output : outputs_) add(output.state(now));
  for (const Stream& stream : streams_) {
    add(stream.datapath == nullptr
            ? 0
            : std::uint64_t{stream.flits_left} << 32 | stream.next_flits << 16 | stream.beat << 4 | stream.vc);
  }
  for (const WireState& wire : wires_) {
    add(wire.busy_until == 0 ? 0 : wire.setting + 1);
    add(wire.busy_until + spec_.reconfigure_cycles > now ? wire.busy_until + spec_.reconfigure_cycles - now : 0);
  }
  for (const Running& running : running_) {
    add(running.tails);
    add(running.datapath->state());
  }
  return hash;
}

// Who waits.

bool FredSwitch::stalls(std::vector<StallReason>* reasons) const {
  find_stall_reasons(
      spec_, store_, [this](std::uint32_t port, std::uint32_t vc) { return buffer(port, vc).next_head(); },
      [this](std::uint32_t port, std::uint32_t vc) { return credits_[slot(port, vc)]; },
      [this](std::uint32_t vc) { return waiting_buffers_[vc] != 0; }, reasons);
  return true;
}

std::string FredSwitch::waiting_for(const PortFlit& head, std::uint32_t port, std::uint32_t vc) const {
  std::string text;
  if (head.setting == kUnicasts) {
    const std::string to = head.output == kAnyUplink ? "any uplink" : fmt::format("output port {}", head.output);
    text = fmt::format("input port {}: a unicast to {}", port, to);
    if (head.output != kAnyUplink && !output_open(head.output, static_cast<std::uint8_t>(vc), head.packet_flits)) {
      text += fmt::format(", has {} of {} credits there", credits_[slot(head.output, vc)], head.packet_flits);
    }
    return text;
  }
  const StoredSetting& stored = store_[head.setting];
  const Flow& flow = stored.flows[stored.flow_of_input[port]];
  text = fmt::format("input port {}: flow '{}' of configuration {}", port, flow.name, head.setting);
  for (const PortId other : flow.inputs) {
    const PortFlit* operand = buffer(index(other), vc).next_head();
    if (operand == nullptr || operand->setting != head.setting) {
      text += fmt::format(", waits for a packet at input port {} (uSwitch {})", index(other),
                          net_.elements[net_.inputs[index(other)].element].path);
    }
  }
  for (const PortId output : flow.outputs) {
    const std::uint32_t credits = credits_[slot(index(output), vc)];
    if (credits < head.packet_flits) {
      text += fmt::format(", has {} of {} credits at output port {}", credits, head.packet_flits, index(output));
    }
  }
  if (head.setting != active_) text += ", is not loaded";
  return text;
}

std::vector<std::string> FredSwitch::waiting() const {
  static constexpr const char* kNames[] = {"MP", "PP", "DP", "control"};
  std::vector<std::string> sentences;
  for (std::uint32_t port = 0; port < streams_.size(); ++port) {
    for (int traffic_class = 0; traffic_class < spec_.traffic_classes; ++traffic_class) {
      const auto vc = static_cast<std::uint32_t>(traffic_class);
      const PortBuffer& from = buffer(port, vc);
      if (from.size() == 0) continue;
      const PortFlit* head = from.next_head();
      const std::string of = spec_.traffic_classes > 1 ? fmt::format(" ({})", kNames[vc]) : "";
      if (head == nullptr) {
        sentences.push_back(fmt::format("input port {}: {} of a started packet's flits are still to leave{}", port,
                                        from.started(), of));
        continue;
      }
      sentences.push_back(waiting_for(*head, port, vc) + of);
    }
  }
  return sentences;
}

}  // namespace weft::fred
