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
                     fred::ConfigurationStore* store)
    : spec_(checked(spec)),
      net_(fred::build_interconnect(spec.m, spec.ports)),
      own_store_(store != nullptr ? nullptr
                                  : std::make_unique<fred::ConfigurationStore>(
                                        net_, spec.memory_bytes,
                                        fred::StageTiming{spec.reduce_cycles, fred::stage_registers(net_, 1)})),
      store_(store != nullptr ? store : own_store_.get()),
      router_(net_, fred::stage_registers(net_, 1)),
      rtl_(std::move(library), seed),
      pins_(rtl_, spec_),
      clock_(rtl_.port("clk_i")),
      buffers_(static_cast<std::size_t>(spec.ports * spec.circuits)) {
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec.ports); ++port) {
    for (int circuit = 0; circuit < spec.circuits; ++circuit) credits_.push_back(spec.credits_of(port, circuit));
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
  const bool unicast = flit.configuration == fred::kUnicasts;
  WEFT_CHECK(
      unicast || flit.configuration < store_->size(),
      fmt::format("a packet at port {} names configuration {}, which is not stored", index(port), flit.configuration));
  auto& buffer = buffers_[place(index(port), flit.circuit)];
  WEFT_CHECK(buffer.size() < spec_.buffer_of(flit.circuit),
             fmt::format("a flit arrives at port {} without a place for it", index(port)));
  buffer.push_back(flit);
  ++buffered_;
  if (unicast && flit.head) unicasts_[flit.packet] = index(port);
  pins_.receive(index(port), flit, data);
  arriving_ = true;
}

void RtlSwitch::credit(PortId port, std::uint8_t circuit) {
  pins_.credit(index(port), circuit);
  credits_arrived_.push_back(place(index(port), circuit));
  std::uint32_t& credits = credits_[place(index(port), circuit)];
  ++credits;
  WEFT_CHECK(credits <= spec_.credits_of(index(port), circuit),
             fmt::format("output port {} gets more credits than there are places behind it", index(port)));
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

std::uint32_t RtlSwitch::credits(PortId port, int circuit) const {
  const std::size_t at = place(index(port), circuit);
  return reasons_ != nullptr ? reasons_->credits(at) : credits_[at];
}

std::uint32_t RtlSwitch::credits_known(PortId port, int circuit) const {
  const std::size_t at = place(index(port), circuit);
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
  for (const fred::FreedSlot& place_freed : freed_) {
    auto& buffer = buffers_[place(index(place_freed.port), place_freed.circuit)];
    WEFT_CHECK(!buffer.empty(), fmt::format("the RTL frees a place at input port {} that held no flit of circuit {}",
                                            index(place_freed.port), place_freed.circuit));
    const fred::PortFlit flit = buffer.front();
    buffer.pop_front();
    --buffered_;
    if (!flit.tail || flit.configuration == fred::kUnicasts) continue;
    const fred::StoredConfiguration& stored = std::as_const(*store_)[flit.configuration];
    const fred::Flow& flow = stored.flows[static_cast<std::size_t>(stored.flow_of_input[index(place_freed.port)])];
    if (flow.inputs.front() != place_freed.port) {
      absorbed_.push_back(flit.packet);
    } else {
      ++counters_.packets;
      hops_ += hops_of(flit, index(place_freed.port));
    }
  }
}

void RtlSwitch::count_sent() {
  for (const fred::SentFlit& sent : sent_) {
    --credits_[place(index(sent.port), sent.flit.circuit)];
    if (!sent.flit.tail || sent.flit.configuration != fred::kUnicasts) continue;
    const auto from = unicasts_.find(sent.flit.packet);
    WEFT_CHECK(from != unicasts_.end(), fmt::format("the RTL sends packet {} through port {}, which nobody sent",
                                                    sent.flit.packet, index(sent.port)));
    std::vector<fred::Terminal> way;
    router_.find(
        PortId{static_cast<std::uint8_t>(from->second)}, sent.port, [](std::uint32_t, std::uint32_t) { return true; },
        &way);
    hops_ += std::uint64_t{way.size()} * sent.flit.packet_flits * spec_.beats();
    ++counters_.packets;
    unicasts_.erase(from);
  }
}

/// Beats that enter a uSwitch's output: all wires of the flow's circuit but those from the input ports.
std::uint64_t RtlSwitch::hops_of(const fred::PortFlit& flit, std::size_t port) const {
  const fred::StoredConfiguration& stored = std::as_const(*store_)[flit.configuration];
  const auto flow = static_cast<std::size_t>(stored.flow_of_input[port]);
  return std::uint64_t{stored.circuits[flow].uses.size()} * flit.packet_flits * spec_.beats();
}

std::uint64_t RtlSwitch::state_hash(Cycle) const {
  std::uint64_t hash = pins_.active() + (pins_.settled() ? 1 : 0);
  const auto add = [&hash](std::uint64_t value) { hash = mix64(hash ^ value) + 0x9e3779b97f4a7c15ULL; };
  for (const auto& buffer : buffers_) {
    add(buffer.size());
    for (const fred::PortFlit& flit : buffer) add(std::uint64_t{flit.configuration} << 16 | flit.packet_flits);
  }
  for (const std::uint32_t credits : credits_) add(credits);
  for (const fred::SentFlit& sent : sent_) add(std::uint64_t{index(sent.port)} << 8 | sent.flit.circuit);
  return hash;
}

void RtlSwitch::require_empty() const {
  WEFT_CHECK(!busy() && buffered_ == 0, net_.name() + " (RTL): flits are left inside");
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec_.ports); ++port) {
    for (int circuit = 0; circuit < spec_.circuits; ++circuit) {
      const std::uint32_t here = credits_[place(port, circuit)];
      const std::uint32_t all = spec_.credits_of(port, circuit);
      WEFT_CHECK(here == all, fmt::format("{} (RTL): output port {} lacks credits of circuit {}: {} of {}", net_.name(),
                                          port, circuit, here, all));
    }
  }
}

std::vector<std::string> RtlSwitch::waiting() const {
  std::vector<std::string> sentences;
  for (std::size_t port = 0; port < static_cast<std::size_t>(spec_.ports); ++port) {
    for (int circuit = 0; circuit < spec_.circuits; ++circuit) {
      const auto& buffer = buffers_[place(port, circuit)];
      if (buffer.empty()) continue;
      sentences.push_back(fmt::format("input port {}, circuit {}: {} flits, the first of a packet of configuration {}",
                                      port, circuit, buffer.size(), buffer.front().configuration));
    }
  }
  return sentences;
}

}  // namespace weft::tb
