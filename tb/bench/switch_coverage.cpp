// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "switch/rtl/rtl_spec.h"
#include "tb/bench/lane_words.h"
#include "tb/bench/operands.h"

namespace weft::tb {
namespace {

constexpr std::array<const char*, 4> kPhases = {"control", "mp", "pp", "dp"};  // by rank
constexpr std::uint64_t kFarApart = 64;                                        // cycles

/// An element of a flit, by its number.
std::uint32_t element(const fred::LaneFormat& format, const std::vector<std::uint8_t>& data, std::size_t number) {
  const std::size_t bytes = format.element == DataType::kFp32 || format.element == DataType::kInt32 ? 4 : 2;
  std::uint32_t bits = 0;
  std::memcpy(&bits, data.data() + number % (data.size() / bytes) * bytes, bytes);
  return bits;
}

}  // namespace

SwitchCoverage::SwitchCoverage(Coverage& coverage, const SwitchShape& shape) : coverage_(coverage) {
  for (const RtlFormat& format : rtl_formats(shape.accumulate_fp32)) {
    for (const ReduceOp op : {ReduceOp::kSum, ReduceOp::kMin, ReduceOp::kMax}) {
      const std::string name = fmt::format("{}.format{}", name_of_op(op), format.code);
      bin(name);
      for (const std::string_view each : operand_classes(format.lanes.element)) bin(fmt::format("{}.{}", name, each));
    }
  }
  for (std::size_t traffic_class = 0; traffic_class < static_cast<std::size_t>(shape.traffic_classes);
       ++traffic_class) {
    const auto of_traffic_class = [&](const char* what) {
      return bin(fmt::format("traffic_class{}.{}", traffic_class, what));
    };
    bins_.sent[traffic_class] = of_traffic_class("sent");
    bins_.buffer_full[traffic_class] = of_traffic_class("buffer_full");
    bins_.buffer_emptied[traffic_class] = of_traffic_class("buffer_emptied");
    bins_.out_of_credits[traffic_class] = of_traffic_class("out_of_credits");
  }
  bins_.unicast = bin("unicast");
  bins_.to_uplinks = bin("unicast.to_uplinks");
  bins_.empty = bin("empty");
  bins_.reset = bin("reset.while_busy");
  bins_.added = bin("beats_added");
  bins_.whole_packets = bin("whole_packets");
  bins_.slow_output = bin("slow_output");
  bins_.header = bin("header");
  bins_.one_input = bin("flow.one_input");
  bins_.one_output = bin("flow.one_output");
  bins_.sum_and_copies = bin("flow.sum_and_copies");
  bins_.single_participant = bin("flow.single_participant");
  bins_.together = bin("operands.together");
  bins_.apart = bin("operands.apart");
  bins_.far_apart = bin("operands.far_apart");
  declare_control(shape.traffic_classes > 1);
}

void SwitchCoverage::declare_control(bool phases) {
  bins_.reconfiguration = bin("reconfiguration");
  bins_.at_once = bin("reconfigure_cycles.none");
  bins_.next_setting = bin("turn");
  bins_.next_after_one = bin("turn.after_one_packet");
  if (!phases) return;
  bins_.yield = bin("yield");
  bins_.preemption = bin("preemption");
  for (std::size_t by = 0; by < kPhases.size(); ++by) {
    for (std::size_t of = by + 1; of < kPhases.size(); ++of) {
      bins_.preempted[of][by] = bin(fmt::format("preemption.{}_by_{}", kPhases[of], kPhases[by]));
    }
  }
  bins_.at_rest = bin("preemption.at_rest");
  bins_.after_packets = bin("preemption.after_packets_under_way");
  bins_.before_a_packet = bin("preemption.before_a_packet_started");
  bins_.reconfiguring = bin("preemption.while_reconfiguring");
  bins_.of_unicasts = bin("preemption.of_unicasts");
  bins_.by_unicasts = bin("preemption.by_unicasts");
}

void SwitchCoverage::reset(bool busy) { hit_if(busy, bins_.reset); }

void SwitchCoverage::begin(const fred::FredSwitch& model, const Traffic& traffic) {
  model_ = &model;
  traffic_ = &traffic;
  const fred::LaneFormat& format = model.spec().format;
  const std::string name = fmt::format("{}.format{}", name_of_op(model.spec().op), fred::rtl_format(format));
  sum_ = bin(name);
  const auto& classes = operand_classes(format.element);
  for (std::size_t i = 0; i < classes.size(); ++i) operands_[i] = bin(fmt::format("{}.{}", name, classes[i]));
  arrived_.clear();
  now_ = changed_ = packets_then_ = added_ = 0;
  active_before_ = fred::SwitchModel::kNothing;
  moved_before_ = false;
  before_ = {};
}

const fred::Flow& SwitchCoverage::flow_of(std::uint32_t setting, int flow) const {
  return model_->settings()[setting].flows[static_cast<std::size_t>(flow)];
}

void SwitchCoverage::step() {
  count_arrivals();
  for (const fred::SentFlit& sent : model_->sent()) count_sent(sent);
  for (const fred::FreedSlot& freed : model_->freed()) {
    if (traffic_->empty(index(freed.port), freed.traffic_class)) {
      coverage_.hit(bins_.buffer_emptied[freed.traffic_class]);
    }
  }
  hit_if(!model_->busy(), bins_.empty);
  coverage_.hit(bins_.added, model_->reductions() - added_);
  added_ = model_->reductions();
  count_control();
  ++now_;
}

void SwitchCoverage::count_arrivals() {
  for (const Traffic::Arrival& arrival : traffic_->arrivals()) {
    if (traffic_->full(arrival.port, arrival.flit.traffic_class)) {
      coverage_.hit(bins_.buffer_full[arrival.flit.traffic_class]);
    }
    if (arrival.flit.setting == fred::kUnicasts) {
      hit_if(arrival.flit.output == fred::kAnyUplink, bins_.to_uplinks);
    } else {
      count_operands(arrival);
    }
    const fred::SwitchSpec& spec = model_->spec();
    hit_if(arrival.flit.head && !spec.port_specs.empty() && spec.port_specs[arrival.port].whole_packets,
           bins_.whole_packets);
  }
}

/// The class of one element of each flit that is added, and whether operands come together.
void SwitchCoverage::count_operands(const Traffic::Arrival& arrival) {
  const fred::StoredSetting& stored = model_->settings()[arrival.flit.setting];
  const fred::Flow& flow = flow_of(arrival.flit.setting, stored.flow_of_input[arrival.port]);
  if (flow.inputs.size() < 2) return;
  const DataType type = model_->spec().format.element;
  const std::size_t kind = operand_class(type, element(model_->spec().format, arrival.data, now_));
  coverage_.hit(operands_[kind]);
  if (arrival.flit.head) count_meeting(arrival, flow);
}

void SwitchCoverage::count_meeting(const Traffic::Arrival& arrival, const fred::Flow& flow) {
  std::vector<std::uint64_t>& cycles = arrived_[arrival.flit.match];
  cycles.push_back(now_);
  if (cycles.size() < flow.inputs.size()) return;
  const std::uint64_t apart = now_ - cycles.front();
  coverage_.hit(apart == 0 ? bins_.together : bins_.apart);
  hit_if(apart >= kFarApart, bins_.far_apart);
  arrived_.erase(arrival.flit.match);
}

void SwitchCoverage::count_sent(const fred::SentFlit& sent) {
  coverage_.hit(bins_.sent[sent.flit.traffic_class]);
  if (model_->credits(sent.port, sent.flit.traffic_class) == 0) {
    coverage_.hit(bins_.out_of_credits[sent.flit.traffic_class]);
  }
  const fred::SwitchSpec& spec = model_->spec();
  if (!spec.port_specs.empty()) {
    const PacketRateSpec& rate = spec.port_specs[index(sent.port)].out_rate;
    hit_if(rate.flits_per_cycle < Rational{1, 1}, bins_.slow_output);
    hit_if(sent.flit.tail && rate.header_bytes > 0, bins_.header);
  }
  if (sent.flit.setting == fred::kUnicasts) return coverage_.hit(bins_.unicast);
  if (!sent.flit.tail) return;
  const fred::StoredSetting& stored = model_->settings()[sent.flit.setting];
  count_flow(flow_of(sent.flit.setting, stored.flow_of_output[index(sent.port)]));
}

void SwitchCoverage::count_flow(const fred::Flow& flow) {
  hit_if(flow.inputs.size() > 1, sum_);
  hit_if(flow.inputs.size() == 1, bins_.one_input);
  hit_if(flow.outputs.size() == 1, bins_.one_output);
  hit_if(flow.inputs.size() > 1 && flow.outputs.size() > 1, bins_.sum_and_copies);
  hit_if(flow.inputs.size() == 1 && flow.inputs == flow.outputs, bins_.single_participant);
}

void SwitchCoverage::count_control() {
  const fred::SwitchCounters& now = model_->counters();
  if (now.reconfigurations > before_.reconfigurations) {
    coverage_.hit(bins_.reconfiguration);
    hit_if(model_->spec().reconfigure_cycles == 0, bins_.at_once);
    if (now.preemptions > before_.preemptions) {
      count_preemption();
    } else if (now.yields > before_.yields) {
      coverage_.hit(bins_.yield);
    } else if (before_.reconfigurations > 0) {
      coverage_.hit(bins_.next_setting);
      hit_if(model_->spec().stay_packets == 1 && before_.packets == packets_then_ + 1, bins_.next_after_one);
    }
    changed_ = now_;
    packets_then_ = before_.packets;
  }
  before_ = now;
  active_before_ = model_->active_setting();
  moved_before_ = !model_->freed().empty();
}

/// In which state of the control unit, and of what by what.
void SwitchCoverage::count_preemption() {
  const fred::FredSwitch::Preemption& last = model_->last_preemption();
  coverage_.hit(bins_.preemption);
  coverage_.hit(bins_.preempted.at(static_cast<std::size_t>(last.of)).at(static_cast<std::size_t>(last.by)));
  coverage_.hit(moved_before_ ? bins_.after_packets : bins_.at_rest);
  hit_if(before_.packets == packets_then_, bins_.before_a_packet);
  hit_if(now_ < changed_ + model_->spec().reconfigure_cycles, bins_.reconfiguring);
  hit_if(active_before_ == fred::kUnicasts, bins_.of_unicasts);
  hit_if(model_->active_setting() == fred::kUnicasts, bins_.by_unicasts);
}

}  // namespace weft::tb
