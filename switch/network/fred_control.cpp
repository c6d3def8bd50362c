// SPDX-License-Identifier: Apache-2.0
// The control unit of a FRED switch: which packets start.
//
// A packet can start when all operands of its flow are here, its outputs have room and credits for all of it, its input
// ports are free, and the wires of its datapath are free by the time it reaches them. What can start is taken in the
// order of the phases (control, MP, PP, DP), ports round-robin. Where one setting is active, a packet of another one
// is not asked for ports and wires: those that hold them are in when the setting changes.
#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "config/fred_shape.h"
#include "switch/network/fred_switch.h"

namespace weft::fred {

void FredSwitch::control(Cycle now) {
  if ((trains_ ? !anything_waits() : buffered_ == 0) || !(dirty_ || timed_)) return;
  if (now < loaded_from_) {  // a load that has begun is finished
    timed_ = true;
    return;
  }
  dirty_ = timed_ = false;
  start_at_ = kNever;
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

/// One setting is active. It goes on as long as nothing of a higher phase can start; within one phase the others
/// are served after `stay_packets` packets. What cannot start does not count, so a higher phase that lacks an
/// operand or a credit yields at the packet border. The round-robin pointer is the ports', not the settings': where
/// some outputs open at one time and others at another, a pointer that passes over all settings leaves some out for
/// ever.
void FredSwitch::control_one_phase(Cycle now) {
  int best = rank(candidates_.front().vc);
  bool active_has_best = false;
  bool active_has_any = false;
  const Candidate* next = nullptr;  // candidate of another setting, at the input port served least recently
  int active_best = 0;              // phase of the first that the active one could start
  for (const Candidate& candidate : candidates_) {
    best = std::min(best, rank(candidate.vc));
  }
  for (const Candidate& candidate : candidates_) {
    const bool is_best = rank(candidate.vc) == best;
    if (candidate.setting == active_) {
      active_best = active_has_any ? std::min(active_best, rank(candidate.vc)) : rank(candidate.vc);
      active_has_any = true;
      active_has_best = active_has_best || is_best;
    } else if (is_best && (next == nullptr || served_before(candidate.input, next->input))) {
      next = &candidate;
    }
  }
  const bool stayed = spec_.stay_packets > 0 && started_since_load_ >= spec_.stay_packets;
  if (next != nullptr && (!active_has_best || stayed)) {
    if (streams_open_ > 0 || (wormhole() && !running_.empty())) {
      wait_for_service(next_free_ + 1, true);
      return;
    }
    timed_ = true;
    if (active_ != kNothing) {
      if (active_has_any && !active_has_best) {
        ++counters_.preemptions;
        last_preemption_ = {active_best, best};
      }
      if (!active_has_any && higher_waits(best)) ++counters_.yields;
    }
    activate(next->setting, now);
  }
  if (now < open_from_) {
    wait_for_service(open_from_, true);
    return;
  }
  start_matching(now);
  if (trains_ && streams_open_ > 0) wait_for_service(next_free_ + 1, false);
}

/// No candidate starts before cycle `at`, of other settings than the active one or, with `active_too`, of any.
void FredSwitch::wait_for_service(Cycle at, bool active_too) {
  if (!trains_) {
    timed_ = true;
    return;
  }
  start_at_ = at;
  for (const Candidate& candidate : candidates_) {
    if (active_too || candidate.setting != active_)
      obstacles_[slot(index(candidate.input), candidate.vc)].waits_for_service = true;
  }
}

/// Whether the last packet of port `a` started before that of port `b`.
bool FredSwitch::served_before(PortId a, PortId b) const {
  for (const PortId port : serve_order_) {
    if (port == a || port == b) return port == a;
  }
  return false;
}

/// Starts what is left of the candidates: flows of the active setting, or the unicasts that match.
void FredSwitch::start_matching(Cycle now) {
  requests_.clear();
  requested_.clear();
  for (std::uint32_t i = 0; i < candidates_.size(); ++i) {
    const Candidate& candidate = candidates_[i];
    const bool any = spec_.control == FredControl::kSeveralPhases;
    if (candidate.setting == kUnicasts && (any || active_ == kUnicasts)) {
      if (trains_) buffer(index(candidate.input), candidate.vc).arrive_until(seen_);
      requests_.push_back(
          {index(candidate.input), index(candidate.output), buffer(index(candidate.input), candidate.vc).waiting()});
      requested_.push_back(i);
    } else if (any || candidate.setting == active_) {
      start(candidate, now);
    }
  }
  if (requests_.empty()) return;
  const auto& matched = matching_->match(requests_);
  for (const std::uint32_t request : matched) start(candidates_[requested_[request]], now);
  // The round-robin pointer of the uplinks has moved on: what lost one may take another.
  if (matched.size() < requests_.size()) dirty_ = true;
}

void FredSwitch::control_one_tree(Cycle now) {
  Candidate first = candidates_.front();
  const bool unicast = first.setting == kUnicasts;
  if (unicast) has_route(first, now);
  ElasticDatapath& datapath = unicast ? unicast_datapath(first, now) : stored_datapath(first.setting, first.flow);
  const bool alone = running_.empty() || (running_.size() == 1 && running_.front().datapath == &datapath);
  timed_ = true;
  if (!alone || streams_open_ > 0) return;
  if (first.setting != active_) activate(first.setting, now);
  if (now >= open_from_) start(first, now);
}

void FredSwitch::activate(std::uint32_t setting, Cycle now) {
  ++counters_.reconfigurations;
  active_ = setting;
  loaded_from_ = now;
  if (store_.activate(setting)) {
    ++counters_.reloads;
    loaded_from_ += spec_.reload_cycles;
  }
  open_from_ = std::max(loaded_from_ + spec_.reconfigure_cycles, drained_);
  started_since_load_ = 0;
  for (std::uint64_t& changes : stream_changes_) ++changes;  // they are asked for in the active setting only
}

/// Whether a packet of a higher phase than `rank_of_target` is here and cannot start.
bool FredSwitch::higher_waits(int rank_of_target) const {
  for (std::uint32_t port = 0; port < streams_.size(); ++port) {
    for (int vc = 0; vc < spec_.traffic_classes; ++vc) {
      const auto number = static_cast<std::uint8_t>(vc);
      if (rank(number) < rank_of_target && buffer(port, number).next_head() != nullptr) return true;
    }
  }
  return false;
}

ElasticDatapath& FredSwitch::stored_datapath(std::uint32_t setting, int flow) {
  if (stored_datapaths_.size() <= setting) stored_datapaths_.resize(setting + 1);
  auto& datapaths = stored_datapaths_[setting];
  if (datapaths.empty()) datapaths.resize(store_[setting].flows.size());
  auto& datapath = datapaths[flow];
  if (datapath == nullptr) {
    datapath = std::make_unique<ElasticDatapath>(store_[setting].datapaths[flow], context_);
  }
  return *datapath;
}

/// The datapath along the route of a unicast.
ElasticDatapath& FredSwitch::unicast_datapath(const Candidate& candidate, Cycle now) {
  const WireUse* const wires = &routes_.at(candidate.route);
  std::vector<Terminal> route;  // nothing where any will do
  if (!routes_alike()) route = unicasts_.pins(wires);
  ElasticDatapath* const known = unicast_datapaths_.find(candidate.input, candidate.output, route);
  if (known != nullptr) return *known;
  auto made = std::make_unique<ElasticDatapath>(
      make_unicast_plan(net_, candidate.input, candidate.output, unicasts_.pins(wires), timing_), context_);
  return unicast_datapaths_.add(candidate.input, candidate.output, route, std::move(made),
                                [&](const ElasticDatapath& datapath) { return let_go(datapath, now); });
}

/// Forgets a datapath of unicasts; false, and nothing is done, where a packet is in it. With its last packet its wires
/// are free for all, so that a datapath that is made anew may start whenever this one might.
bool FredSwitch::let_go(const ElasticDatapath& datapath, Cycle now) {
  if (running(datapath) != nullptr) return false;
  for (const WireUse use : datapath.plan().uses) {
    WireState& wire = wires_[use.channel];
    if (wire.owner != &datapath) continue;
    WEFT_CHECK(wire.busy_until <= now, net_.name() + ": a datapath without a packet holds a wire");
    wire.owner = nullptr;
  }
  return true;
}

/// Starts a candidate, unless one that was started before it in this step has taken what it needs.
bool FredSwitch::start(const Candidate& given, Cycle now) {
  Candidate candidate = given;
  const bool unicast = candidate.setting == kUnicasts;
  if (unicast && !has_route(candidate, now)) {
    dirty_ = true;
    return false;
  }
  ElasticDatapath& datapath =
      unicast ? unicast_datapath(candidate, now) : stored_datapath(candidate.setting, candidate.flow);
  const DatapathPlan& plan = datapath.plan();
  if (!streams_open(datapath, candidate.vc, now)) return false;
  const auto open = [&](std::uint8_t output) { return output_open(output, candidate.vc, candidate.flits); };
  // The output of a unicast and the wires of its route have been asked for in this step.
  if (!unicast && !std::all_of(plan.outputs.begin(), plan.outputs.end(), open)) return false;
  const bool free = unicast || datapath_free(datapath, candidate.setting, now);
  if (!free || !carries(datapath, candidate.vc)) {
    timed_ = true;
    return false;
  }
  heads_moved_ = true;
  started_any_ = true;
  for (std::size_t i = 0; i < plan.inputs.size() && !trains_; ++i) start_stream(datapath, candidate, i);
  if (!wormhole()) {
    for (const std::uint8_t output : plan.outputs) {
      credits_[slot(output, candidate.vc)] -= candidate.flits;
      outputs_[output].promise(candidate.flits);
    }
  }
  reserve(datapath, candidate, now);
  Running* under_way = running(datapath);
  if (under_way == nullptr) under_way = &*running_.insert(running_.end(), {&datapath, candidate.vc, 0, 0});
  WEFT_CHECK(under_way->vc == candidate.vc || !wormhole(),
             net_.name() + ": packets of two traffic classes are in one flow's stages");
  under_way->vc = candidate.vc;
  under_way->next_start = now + Cycle{candidate.flits} * beats_;
  if (trains_) {
    under_way->gone = start_train(datapath, candidate, now);
  } else {
    under_way->tails += static_cast<std::uint32_t>(plan.outputs.size());
    tails_inside_ += plan.outputs.size();
  }
  if (unicast && spec_.uplinks > 0 && index(candidate.output) >= spec_.first_uplink &&
      index(candidate.output) < spec_.first_uplink + spec_.uplinks) {
    next_uplink_ = (index(candidate.output) - static_cast<std::uint32_t>(spec_.first_uplink) + 1) %
                   static_cast<std::uint32_t>(spec_.uplinks);
  }
  next_port_ = (index(candidate.input) + std::uint32_t{1}) % static_cast<std::uint32_t>(streams_.size());
  serve_order_.erase(std::find(serve_order_.begin(), serve_order_.end(), candidate.input));
  serve_order_.push_back(candidate.input);
  ++started_since_load_;
  ++counters_.packets;
  return true;
}

void FredSwitch::start_stream(ElasticDatapath& datapath, const Candidate& candidate, std::size_t input) {
  const std::uint8_t port = datapath.plan().inputs[input];
  PortBuffer& from = buffer(port, candidate.vc);
  from.start(candidate.flits);  // its head was waiting
  if (from.waiting() == 0) waiting_[candidate.vc].erase(port);
  obstacles_[slot(port, candidate.vc)].kind = Obstacle::kUnknown;
  ++input_changes_[slot(port, candidate.vc)];
  Stream& stream = streams_[port];
  if (stream.datapath != nullptr) {
    stream.next_flits = candidate.flits;
    return;
  }
  stream.datapath = &datapath;
  stream.vc = candidate.vc;
  stream.absorbed = input > 0;
  stream.flits_left = candidate.flits;
  stream.beat = 0;
  ++streams_open_;
}

/// With room for all of it a packet never stops, so it is known when it leaves each wire; otherwise the wires belong to
/// the datapath until it is empty.
void FredSwitch::reserve(const ElasticDatapath& datapath, const Candidate& candidate, Cycle now) {
  const DatapathPlan& plan = datapath.plan();
  const Cycle beats = Cycle{candidate.flits} * beats_;
  const bool unicast = candidate.setting == kUnicasts;
  // No route adds more often than in each stage before the outermost D.
  const Cycle adders = unicast ? 0 : most_adders_;
  drained_ = std::max(drained_, now + beats + adders * (spec_.reduce_cycles - 1));
  // The wires of unicasts that share a datapath belong to no datapath.
  const ElasticDatapath* const owner = unicast && routes_alike() ? nullptr : &datapath;
  const WireUse* use = unicast ? &routes_.at(candidate.route) : plan.uses.data();
  const WireUse* const end = use + (unicast ? unicasts_.length() : plan.uses.size());
  for (; use != end; ++use) {
    WEFT_CHECK(!unicast || wire_free(use->channel, use->entry, kUnicasts, now),
               net_.name() + ": a unicast takes a wire that another packet is still using");
    const Cycle entry = plan.skewed ? plan.depth : use->entry;
    wires_[use->channel] = {wormhole() ? kNever - spec_.reconfigure_cycles : now + entry + beats, candidate.setting,
                            owner};
  }
}

}  // namespace weft::fred
