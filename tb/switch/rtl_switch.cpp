// SPDX-License-Identifier: Apache-2.0
#include "tb/switch/rtl_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "switch/rtl/rtl_spec.h"

namespace weft::tb {
namespace {

const fred::SwitchSpec& checked(const fred::SwitchSpec& spec) {
  fred::check_rtl_spec(spec);
  return spec;
}

}  // namespace

RtlSwitch::RtlSwitch(const fred::SwitchSpec& spec, std::shared_ptr<const RtlLibrary> library, std::uint64_t seed,
                     fred::SettingStore* store)
    : spec_(checked(spec)),
      net_(fred::build_interconnect(spec.m, spec.ports)),
      own_store_(store != nullptr ? nullptr
                                  : std::make_unique<fred::SettingStore>(
                                        net_, spec.memory_bytes,
                                        fred::StageTiming{spec.reduce_cycles, fred::stage_registers(net_, 1)})),
      store_(store != nullptr ? store : own_store_.get()),
      router_(net_, fred::stage_registers(net_, 1)),
      rtl_(std::move(library), seed),
      pins_(rtl_, spec_),
      clock_(rtl_.port("clk_i")),
      buffers_(static_cast<std::size_t>(spec.ports * spec.traffic_classes)) {
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec.ports); ++port) {
    for (int traffic_class = 0; traffic_class < spec.traffic_classes; ++traffic_class)
      credits_.push_back(spec.credits_of(port, traffic_class));
  }
  counters_.knows_reasons = false;
  if (spec_.watch.wires) wires_ = std::make_unique<RtlWires>(rtl_, spec_, net_);
  if (spec_.watch.reasons) reasons_ = std::make_unique<RtlReasons>(rtl_, spec_);
  pins_.set_straps();
  reset();
}

void RtlSwitch::reset() {
  pins_.quiet();
  const RtlModel::Port reset = rtl_.port("rst_ni");
  reset.set(1);
  rtl_.eval();
  reset.set(0);
  for (int edge = 0; edge < 2; ++edge) {
    clock_.set(1);
    rtl_.eval();
    clock_.set(0);
    rtl_.eval();
  }
  reset.set(1);
  rtl_.eval();
  written_ = 1;
  active_ = kNothing;
}

void RtlSwitch::receive(PortId port, const fred::PortFlit& flit, const std::uint8_t* data) {
  const bool unicast = flit.setting == fred::kUnicasts;
  WEFT_CHECK(
      unicast || flit.setting < store_->size(),
      fmt::format("a packet at port {} names stored setting {}, which is not stored", index(port), flit.setting));
  auto& buffer = buffers_[slot(index(port), flit.traffic_class)];
  WEFT_CHECK(buffer.size() < spec_.buffer_of(flit.traffic_class),
             fmt::format("a flit arrives at port {} without a slot for it", index(port)));
  buffer.push_back(flit);
  ++buffered_;
  if (unicast && flit.head) unicasts_.insert(flit.packet);
  pins_.receive(index(port), flit, data);
  arriving_ = true;
}

void RtlSwitch::credit(PortId port, std::uint8_t traffic_class) {
  pins_.credit(index(port), traffic_class);
  credits_arrived_.push_back(slot(index(port), traffic_class));
  std::uint32_t& credits = credits_[slot(index(port), traffic_class)];
  ++credits;
  WEFT_CHECK(credits <= spec_.credits_of(index(port), traffic_class),
             fmt::format("output port {} gets more credits than there are slots behind it", index(port)));
  arriving_ = true;
}

void RtlSwitch::step(Cycle now) {
  WEFT_CHECK(!stepped_ || now == last_ + 1 || pins_.settled(), "an RTL switch was left out while it had work");
  stepped_ = true;
  last_ = now;
  for (; written_ < store_->size(); ++written_) pins_.write(net_, written_, std::as_const(*store_)[written_]);
  const bool watched = waves_ != nullptr && now >= waves_from_ && now <= waves_to_;
  clock_.set(0);
  rtl_.eval();
  if (watched) waves_->dump_rtl(now * kWaveTimePerCycle);
  if (wires_ != nullptr) wires_->read();
  clock_.set(1);
  rtl_.eval();
  if (watched) waves_->dump_rtl(now * kWaveTimePerCycle + kWaveTimePerCycle / 2);
  pins_.quiet();
  arriving_ = false;
  credits_arrived_.clear();
  pins_.read(sent_, freed_);
  count_freed();
  count_sent();
  const std::uint32_t active = pins_.active();
  if (active != active_) ++counters_.reconfigurations;
  active_ = active;
}

std::uint32_t RtlSwitch::credits(PortId port, int traffic_class) const {
  const std::size_t at = slot(index(port), traffic_class);
  return reasons_ != nullptr ? reasons_->credits(at) : credits_[at];
}

std::uint32_t RtlSwitch::credits_known(PortId port, int traffic_class) const {
  const std::size_t at = slot(index(port), traffic_class);
  const auto arrived = std::count(credits_arrived_.begin(), credits_arrived_.end(), at);
  return reasons_ != nullptr ? reasons_->credits(at) + static_cast<std::uint32_t>(arrived) : credits_[at];
}

bool RtlSwitch::stalls(std::vector<StallReason>* reasons) const {
  if (reasons_ == nullptr) return false;
  reasons_->stalls(*store_, reasons);
  return true;
}

Cycle RtlSwitch::next_work(Cycle now) const { return arriving_ || !pins_.settled() ? now + 1 : kNever; }

/// Packets that leave an input buffer go into the stages; of a sum the operand of the flow's first input keeps its
/// name.
void RtlSwitch::count_freed() {
  absorbed_.clear();
  for (const fred::FreedSlot& slot_freed : freed_) {
    auto& buffer = buffers_[slot(index(slot_freed.port), slot_freed.traffic_class)];
    WEFT_CHECK(!buffer.empty(),
               fmt::format("the RTL frees a slot at input port {} that held no flit of traffic class {}",
                           index(slot_freed.port), slot_freed.traffic_class));
    const fred::PortFlit flit = buffer.front();
    buffer.pop_front();
    --buffered_;
    if (!flit.tail || flit.setting == fred::kUnicasts) continue;
    const fred::StoredSetting& stored = std::as_const(*store_)[flit.setting];
    const fred::Flow& flow = stored.flows[static_cast<std::size_t>(stored.flow_of_input[index(slot_freed.port)])];
    if (flow.inputs.front() != slot_freed.port) {
      absorbed_.push_back(flit.packet);
    } else {
      ++counters_.packets;
      hops_ += hops_of(flit, index(slot_freed.port));
    }
  }
}

void RtlSwitch::count_sent() {
  for (const fred::SentFlit& sent : sent_) {
    --credits_[slot(index(sent.port), sent.flit.traffic_class)];
    if (!sent.flit.tail || sent.flit.setting != fred::kUnicasts) continue;
    WEFT_CHECK(
        unicasts_.erase(sent.flit.packet) == 1,
        fmt::format("the RTL sends packet {} through port {}, which nobody sent", sent.flit.packet, index(sent.port)));
    hops_ += std::uint64_t{router_.length()} * sent.flit.packet_flits * spec_.beats();
    ++counters_.packets;
  }
}

/// Beats that enter a uSwitch's output: all wires of the flow's datapath but those from the input ports.
std::uint64_t RtlSwitch::hops_of(const fred::PortFlit& flit, std::size_t port) const {
  const fred::StoredSetting& stored = std::as_const(*store_)[flit.setting];
  const auto flow = static_cast<std::size_t>(stored.flow_of_input[port]);
  return std::uint64_t{stored.datapaths[flow].uses.size()} * flit.packet_flits * spec_.beats();
}

std::uint64_t RtlSwitch::state_hash(Cycle) const {
  std::uint64_t hash = pins_.active() + (pins_.settled() ? 1 : 0);
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
  for (const auto& buffer : buffers_) {
    add(buffer.size());
    for (const fred::PortFlit& flit : buffer) add(std::uint64_t{flit.setting} << 16 | flit.packet_flits);
  }
  for (const std::uint32_t credits : credits_) add(credits);
  for (const fred::SentFlit& sent : sent_) add(std::uint64_t{index(sent.port)} << 8 | sent.flit.traffic_class);
  return hash;
}

void RtlSwitch::require_empty() const {
  WEFT_CHECK(!busy() && buffered_ == 0, net_.name() + " (RTL): flits are left inside");
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec_.ports); ++port) {
    for (int traffic_class = 0; traffic_class < spec_.traffic_classes; ++traffic_class) {
      const std::uint32_t here = credits_[slot(port, traffic_class)];
      const std::uint32_t all = spec_.credits_of(port, traffic_class);
      WEFT_CHECK(here == all, fmt::format("{} (RTL): output port {} lacks credits of traffic class {}: {} of {}",
                                          net_.name(), port, traffic_class, here, all));
    }
  }
}

std::vector<std::string> RtlSwitch::waiting() const {
  std::vector<std::string> sentences;
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec_.ports); ++port) {
    for (int traffic_class = 0; traffic_class < spec_.traffic_classes; ++traffic_class) {
      const auto& buffer = buffers_[slot(port, traffic_class)];
      if (buffer.empty()) continue;
      sentences.push_back(
          fmt::format("input port {}, traffic class {}: {} flits, the first of a packet of stored setting {}", port,
                      traffic_class, buffer.size(), buffer.front().setting));
    }
  }
  return sentences;
}

}  // namespace weft::tb
