// SPDX-License-Identifier: Apache-2.0
// The control unit of a FRED switch: which packets start.
//
// A packet can start when all operands of its flow are here, its outputs have room and credits for all of it, its input
// ports are free, and the wires of its circuit are free by the time it reaches them. What can start is taken in the
// order of the phases (control, MP, PP, DP), ports in turn. Where one configuration is active, a packet of another one
// is not asked for ports and wires: those that hold them are in when the configuration changes.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "config/fred_shape.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {

void FredSwitch::control(Cycle now) {
  if (buffered_ == 0 || !(dirty_ || timed_)) return;
  if (now < loaded_from_) {  // a load that has begun is finished
    timed_ = true;
    return;
  }
  dirty_ = timed_ = false;
  find_candidates(now);
  if (candidates_.empty()) return;
  switch (spec_.control) {
    case FredControl::kOnePhase:
      control_one_phase(now);
      return;
    case FredControl::kSeveralPhases:
      start_matching(now);
      return;
    case FredControl::kOneTree:
      control_one_tree(now);
  }
}

/// One configuration is active. It goes on as long as nothing of a higher phase can start; within one phase the others
/// get their turn after `stay_packets` packets. What cannot start does not count, so a higher phase that lacks an
/// operand or a credit yields at the packet border. The turn is the ports', not the configurations': where some
/// outputs open at one time and others at another, a turn that passes over all configurations leaves some out for ever.
void FredSwitch::control_one_phase(Cycle now) {
  int best = rank(candidates_.front().vc);
  bool active_has_best = false;
  bool active_has_any = false;
  const Candidate* next = nullptr;  // of another configuration, at the input port served least recently
  int active_best = 0;              // phase of the first that the active one could start
  for (const Candidate& candidate : candidates_) {
    best = std::min(best, rank(candidate.vc));
  }
  for (const Candidate& candidate : candidates_) {
    const bool is_best = rank(candidate.vc) == best;
    if (candidate.configuration == active_) {
      active_best = active_has_any ? std::min(active_best, rank(candidate.vc)) : rank(candidate.vc);
      active_has_any = true;
      active_has_best = active_has_best || is_best;
    } else if (is_best && (next == nullptr || served_before(candidate.input, next->input))) {
      next = &candidate;
    }
  }
  const bool stayed = spec_.stay_packets > 0 && started_since_load_ >= spec_.stay_packets;
  if (next != nullptr && (!active_has_best || stayed)) {
    timed_ = true;
    if (streaming_ > 0 || (wormhole() && !running_.empty())) return;
    if (active_ != kNothing) {
      if (active_has_any && !active_has_best) {
        ++counters_.preemptions;
        last_preemption_ = {active_best, best};
      }
      if (!active_has_any && higher_waits(best)) ++counters_.yields;
    }
    activate(next->configuration, now);
  }
  if (now < open_from_) {
    timed_ = true;
    return;
  }
  start_matching(now);
}

/// Whether the last packet of port `a` started before that of port `b`.
bool FredSwitch::served_before(PortId a, PortId b) const {
  for (const PortId port : serve_order_) {
    if (port == a || port == b) return port == a;
  }
  return false;
}

/// Starts what is left of the candidates: flows of the active configuration, or the unicasts that match.
void FredSwitch::start_matching(Cycle now) {
  requests_.clear();
  requested_.clear();
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const bool any = spec_.control == FredControl::kSeveralPhases;
    if (candidate.configuration == kUnicasts && (any || active_ == kUnicasts)) {
      requests_.push_back(
          {index(candidate.input), index(candidate.output), buffer(index(candidate.input), candidate.vc).waiting()});
      requested_.push_back(i);
    } else if (any || candidate.configuration == active_) {
      start(candidate, now);
    }
  }
  if (requests_.empty()) return;
  const auto& matched = matching_->match(requests_);
  for (const std::uint32_t request : matched) start(candidates_[requested_[request]], now);
  // The turn of the uplinks has moved on: what lost one may take another.
  if (matched.size() < requests_.size()) dirty_ = true;
}

void FredSwitch::control_one_tree(Cycle now) {
  Candidate first = candidates_.front();
  const bool unicast = first.configuration == kUnicasts;
  if (unicast) find_way(first, index(first.output), now);
  ElasticCircuit& circuit = unicast ? unicast_circuit(first, now) : stored_circuit(first.configuration, first.flow);
  const bool alone = running_.empty() || (running_.size() == 1 && running_.front().circuit == &circuit);
  timed_ = true;
  if (!alone || streaming_ > 0) return;
  if (first.configuration != active_) activate(first.configuration, now);
  if (now >= open_from_) start(first, now);
}

void FredSwitch::activate(std::uint32_t configuration, Cycle now) {
  ++counters_.reconfigurations;
  active_ = configuration;
  loaded_from_ = now;
  if (store_.activate(configuration)) {
    ++counters_.reloads;
    loaded_from_ += spec_.reload_cycles;
  }
  open_from_ = std::max(loaded_from_ + spec_.reconfigure_cycles, drained_);
  started_since_load_ = 0;
}

/// Whether a packet of a higher phase than `rank_of_target` is here and cannot start.
bool FredSwitch::higher_waits(int rank_of_target) const {
  for (std::uint32_t port = 0; port < streams_.size(); ++port) {
    for (int vc = 0; vc < spec_.circuits; ++vc) {
      const auto number = static_cast<std::uint8_t>(vc);
      if (rank(number) < rank_of_target && buffer(port, number).next_head() != nullptr) return true;
    }
  }
  return false;
}

void FredSwitch::find_candidates(Cycle now) {
  candidates_.clear();
  const auto ports = static_cast<std::uint32_t>(streams_.size());
  for (int order = 0; order < spec_.circuits; ++order) {
    const bool all = spec_.circuits == kMostCircuits;
    const auto vc = static_cast<std::uint8_t>(all ? (order + kMostCircuits - 1) % kMostCircuits : order);
    if (waiting_buffers_[vc] == 0) continue;
    for (std::uint32_t i = 0; i < ports; ++i) {
      const std::uint32_t port = turn_ + i < ports ? turn_ + i : turn_ + i - ports;
      if (buffer(port, vc).waiting() > 0) consider(port, vc, now);
    }
  }
}

/// Adds the packet at the head of this buffer to the candidates if it can start; a flow is asked for at its first
/// input.
void FredSwitch::consider(std::uint32_t port, std::uint8_t vc, Cycle now) {
  const PortFlit& head = *buffer(port, vc).next_head();
  WEFT_CHECK(head.head, fmt::format("{}: port {} gets a packet longer than its head says", net_.name(), port));
  Candidate candidate;
  candidate.configuration = head.configuration;
  candidate.input = PortId{static_cast<std::uint8_t>(port)};
  candidate.vc = vc;
  candidate.flits = head.packet_flits;
  const bool loaded = spec_.control != FredControl::kOnePhase || head.configuration == active_;
  if (head.configuration == kUnicasts) {
    if ((loaded && streams_[port].circuit != nullptr) || !packet_here(port, vc, head)) return;
    if (find_output(candidate, head.output, loaded, now)) candidates_.push_back(candidate);
    return;
  }
  const StoredConfiguration& stored = store_[head.configuration];
  candidate.flow = stored.flow_of_input[port];
  const Flow& flow = stored.flows[candidate.flow];
  if (index(flow.inputs.front()) != port || !operands_here(flow, head, vc)) return;
  const bool open = std::all_of(flow.outputs.begin(), flow.outputs.end(),
                                [&](PortId output) { return output_open(index(output), vc, head.packet_flits); });
  if (!open) return;
  const ElasticCircuit& circuit = stored_circuit(head.configuration, candidate.flow);
  if (loaded && !streams_open(circuit, vc, now)) return;
  if (loaded && !(circuit_free(circuit, head.configuration, now) && carries(circuit, vc))) {
    timed_ = true;
    return;
  }
  candidates_.push_back(candidate);
}

/// The output of a unicast to `wanted`; uplinks take turns. False if there is none now.
bool FredSwitch::find_output(Candidate& candidate, std::uint8_t wanted, bool loaded, Cycle now) {
  const auto find = [&](std::uint32_t output) {
    const auto port = static_cast<std::uint8_t>(output);
    if (loaded) return find_way(candidate, port, now);
    candidate.output = PortId{port};
    return output_open(port, candidate.vc, candidate.flits);
  };
  if (wanted != kAnyUplink) return find(wanted);
  const auto uplinks = static_cast<std::uint32_t>(spec_.uplinks);
  for (std::uint32_t tried = 0; tried < uplinks; ++tried) {
    if (find(static_cast<std::uint32_t>(spec_.first_uplink) + (uplink_turn_ + tried) % uplinks)) return true;
  }
  return false;
}

/// Enough of a packet is here: all of it from a link that cannot keep up with the circuits.
bool FredSwitch::packet_here(std::uint32_t port, std::uint8_t vc, const PortFlit& head) const {
  return whole_packets_[port] == 0 || buffer(port, vc).waiting() >= head.packet_flits;
}

bool FredSwitch::operands_here(const Flow& flow, const PortFlit& head, std::uint8_t vc) const {
  for (const PortId input : flow.inputs) {
    const std::uint32_t port = index(input);
    const PortFlit* operand = buffer(port, vc).next_head();
    if (operand == nullptr || operand->configuration != head.configuration) return false;
    WEFT_CHECK(operand->head, fmt::format("{}: port {} gets a packet longer than its head says", net_.name(), port));
    WEFT_CHECK(operand->packet_flits == head.packet_flits,
               fmt::format("{}: packets of flow '{}' differ in length: {} flits at port {}, {} at port {}", net_.name(),
                           flow.name, head.packet_flits, index(flow.inputs.front()), operand->packet_flits, port));
    WEFT_CHECK(operand->match == head.match,
               fmt::format("{}: the operands of flow '{}' at ports {} and {} do not belong together: its members must "
                           "send in one order",
                           net_.name(), flow.name, index(flow.inputs.front()), port));
    if (!packet_here(port, vc, *operand)) return false;
  }
  return true;
}

/// A port sends one packet at a time. Where operands wait for others in the stages, the next packet of the circuit may
/// start at the ports that are through already.
bool FredSwitch::streams_open(const ElasticCircuit& circuit, std::uint8_t vc, Cycle now) {
  const CircuitPlan& plan = circuit.plan();
  const auto idle = [this](std::uint8_t port) { return streams_[port].circuit == nullptr; };
  if (std::all_of(plan.inputs.begin(), plan.inputs.end(), idle)) return true;
  if (!plan.skewed) return false;
  const bool mine = std::all_of(plan.inputs.begin(), plan.inputs.end(), [&](std::uint8_t port) {
    const Stream& stream = streams_[port];
    return idle(port) || (stream.circuit == &circuit && stream.vc == vc && stream.next_flits == 0);
  });
  if (!mine) return false;
  timed_ = true;
  return running(circuit)->next_start <= now;
}

FredSwitch::Running* FredSwitch::running(const ElasticCircuit& circuit) {
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& each) { return each.circuit == &circuit; });
  return found == running_.end() ? nullptr : &*found;
}

bool FredSwitch::output_open(std::uint32_t port, std::uint8_t vc, std::uint32_t flits) const {
  return wormhole() || (credits_[slot(port, vc)] >= flits && outputs_[port].room() >= flits);
}

bool FredSwitch::find_way(Candidate& candidate, std::uint8_t output, Cycle now) {
  if (!output_open(output, candidate.vc, candidate.flits)) return false;
  candidate.output = PortId{output};
  const auto free = [&](std::uint32_t channel, std::uint32_t entry) {
    return wire_free(channel, entry, kUnicasts, now);
  };
  if (unicasts_.find(candidate.input, candidate.output, free, &way_)) return true;
  timed_ = true;
  return false;
}

/// Packets of one circuit follow each other anyway.
bool FredSwitch::circuit_free(const ElasticCircuit& circuit, std::uint32_t configuration, Cycle now) const {
  const auto& uses = circuit.plan().uses;
  return std::all_of(uses.begin(), uses.end(), [&](WireUse use) {
    return wires_[use.channel].owner == &circuit || wire_free(use.channel, use.entry, configuration, now);
  });
}

/// Flits that take their credits when they leave have to be of one virtual circuit: data and barriers of one group have
/// one flow.
bool FredSwitch::carries(const ElasticCircuit& circuit, std::uint8_t vc) {
  if (!wormhole()) return true;
  const Running* under_way = running(circuit);
  return under_way == nullptr || under_way->vc == vc;
}

ElasticCircuit& FredSwitch::stored_circuit(std::uint32_t configuration, int flow) {
  if (stored_circuits_.size() <= configuration) stored_circuits_.resize(configuration + 1);
  auto& circuits = stored_circuits_[configuration];
  if (circuits.empty()) circuits.resize(store_[configuration].flows.size());
  auto& circuit = circuits[flow];
  if (circuit == nullptr) {
    circuit = std::make_unique<ElasticCircuit>(store_[configuration].circuits[flow], context_);
  }
  return *circuit;
}

/// The circuit along the way that find_way found last.
ElasticCircuit& FredSwitch::unicast_circuit(const Candidate& candidate, Cycle now) {
  ElasticCircuit* const known = unicast_circuits_.find(candidate.input, candidate.output, way_);
  if (known != nullptr) return *known;
  auto made = std::make_unique<ElasticCircuit>(
      make_unicast_plan(net_, candidate.input, candidate.output, way_, timing_), context_);
  return unicast_circuits_.add(candidate.input, candidate.output, way_, std::move(made),
                               [&](const ElasticCircuit& circuit) { return let_go(circuit, now); });
}

/// Forgets a circuit of unicasts; false, and nothing is done, where a packet is in it. With its last packet its wires
/// are free for all, so that a circuit that is made anew may start whenever this one might.
bool FredSwitch::let_go(const ElasticCircuit& circuit, Cycle now) {
  if (running(circuit) != nullptr) return false;
  for (const WireUse use : circuit.plan().uses) {
    WireState& wire = wires_[use.channel];
    if (wire.owner != &circuit) continue;
    WEFT_CHECK(wire.busy_until <= now, net_.name() + ": a circuit without a packet holds a wire");
    wire.owner = nullptr;
  }
  return true;
}

/// Starts a candidate, unless one that was started before it in this step has taken what it needs.
bool FredSwitch::start(const Candidate& given, Cycle now) {
  Candidate candidate = given;
  const bool unicast = candidate.configuration == kUnicasts;
  if (unicast && !find_way(candidate, index(candidate.output), now)) {
    dirty_ = true;
    return false;
  }
  ElasticCircuit& circuit =
      unicast ? unicast_circuit(candidate, now) : stored_circuit(candidate.configuration, candidate.flow);
  const CircuitPlan& plan = circuit.plan();
  if (!streams_open(circuit, candidate.vc, now)) return false;
  for (const std::uint8_t output : plan.outputs) {
    if (!output_open(output, candidate.vc, candidate.flits)) return false;
  }
  if (!circuit_free(circuit, candidate.configuration, now) || !carries(circuit, candidate.vc)) {
    timed_ = true;
    return false;
  }
  heads_moved_ = true;
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) start_stream(circuit, candidate, i);
  if (!wormhole()) {
    for (const std::uint8_t output : plan.outputs) {
      credits_[slot(output, candidate.vc)] -= candidate.flits;
      outputs_[output].promise(candidate.flits);
    }
  }
  reserve(circuit, candidate.configuration, candidate.flits, now);
  Running* under_way = running(circuit);
  if (under_way == nullptr) under_way = &*running_.insert(running_.end(), {&circuit, candidate.vc, 0, 0});
  WEFT_CHECK(under_way->vc == candidate.vc || !wormhole(),
             net_.name() + ": packets of two virtual circuits are in one flow's stages");
  under_way->vc = candidate.vc;
  under_way->tails += static_cast<std::uint32_t>(plan.outputs.size());
  under_way->next_start = now + Cycle{candidate.flits} * spec_.beats();
  tails_inside_ += plan.outputs.size();
  if (unicast && spec_.uplinks > 0 && index(candidate.output) >= spec_.first_uplink &&
      index(candidate.output) < spec_.first_uplink + spec_.uplinks) {
    uplink_turn_ = (index(candidate.output) - static_cast<std::uint32_t>(spec_.first_uplink) + 1) %
                   static_cast<std::uint32_t>(spec_.uplinks);
  }
  turn_ = (index(candidate.input) + std::uint32_t{1}) % static_cast<std::uint32_t>(streams_.size());
  serve_order_.erase(std::find(serve_order_.begin(), serve_order_.end(), candidate.input));
  serve_order_.push_back(candidate.input);
  ++started_since_load_;
  ++counters_.packets;
  return true;
}

void FredSwitch::start_stream(ElasticCircuit& circuit, const Candidate& candidate, std::size_t input) {
  const std::uint8_t port = circuit.plan().inputs[input];
  PortBuffer& from = buffer(port, candidate.vc);
  from.start(candidate.flits);  // its head was waiting
  if (from.waiting() == 0) --waiting_buffers_[candidate.vc];
  Stream& stream = streams_[port];
  if (stream.circuit != nullptr) {
    stream.next_flits = candidate.flits;
    return;
  }
  stream.circuit = &circuit;
  stream.input = static_cast<std::uint16_t>(input);
  stream.vc = candidate.vc;
  stream.absorbed = input > 0;
  stream.flits_left = candidate.flits;
  stream.beat = 0;
  ++streaming_;
}

/// With room for all of it a packet never stops, so it is known when it leaves each wire; otherwise the wires belong to
/// the circuit until it is empty.
void FredSwitch::reserve(const ElasticCircuit& circuit, std::uint32_t configuration, std::uint32_t flits, Cycle now) {
  const CircuitPlan& plan = circuit.plan();
  const Cycle beats = Cycle{flits} * spec_.beats();
  // No way adds more often than in each stage before the outermost D.
  const Cycle adders = configuration == kUnicasts ? 0 : (fred_stages(net_.ports, 1) + 1) / 2;
  drained_ = std::max(drained_, now + beats + adders * (spec_.reduce_cycles - 1));
  for (const WireUse use : plan.uses) {
    const Cycle entry = plan.skewed ? plan.depth : use.entry;
    wires_[use.channel] = {wormhole() ? kNever - spec_.reconfigure_cycles : now + entry + beats, configuration,
                           &circuit};
  }
}

}  // namespace weft::fred
