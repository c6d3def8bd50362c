// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/bare_loop.h"

#include <cstring>
#include <string>
#include <utility>

#include "base/error.h"
#include "switch/network/fred_switch.h"
#include "tb/switch/switch_pins.h"

namespace weft::tb {
namespace {}  // namespace

BareLoop::BareLoop(const fred::SwitchSpec& spec, const RecordedTraffic& traffic,
                   const std::shared_ptr<const RtlLibrary>& library, std::uint64_t seed)
    : rtl_(library, seed), clock_(rtl_.port("clk_i")) {
  for (const char* name :
       {"in_valid_i", "in_head_i", "in_tail_i", "in_traffic_class_i", "in_output_i", "in_stored_setting_i",
        "in_packet_i", "in_packet_flits_i", "in_match_i", "in_data_i", "credit_i"}) {
    inputs_.push_back(rtl_.port(name));
  }
  record(spec, traffic);
  start(spec, traffic);
}

void BareLoop::run() {
  const std::uint8_t* image = images_.data();
  for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
    for (const RtlModel::Port& port : inputs_) {
      std::memcpy(port.bytes, image, port.size());
      image += port.size();
    }
    *clock_.bytes = 0;
    rtl_.eval();
    *clock_.bytes = 1;
    rtl_.eval();
  }
}

void BareLoop::run_with_waves() {
  const std::uint8_t* image = images_.data();
  for (std::size_t cycle = 0; cycle < cycles_; ++cycle) {
    for (const RtlModel::Port& port : inputs_) {
      std::memcpy(port.bytes, image, port.size());
      image += port.size();
    }
    *clock_.bytes = 0;
    rtl_.eval();
    rtl_.dump(cycle * kTimePerCycle);
    *clock_.bytes = 1;
    rtl_.eval();
    rtl_.dump(cycle * kTimePerCycle + kTimePerCycle / 2);
  }
}

void BareLoop::record(const fred::SwitchSpec& spec, const RecordedTraffic& traffic) {
  std::size_t bytes = 0;
  for (const RtlModel::Port& port : inputs_) bytes += port.size();
  cycles_ = traffic.cycles.size();
  images_.reserve(bytes * cycles_);
  SwitchPins pins(rtl_, spec);
  for (const RecordedTraffic::Cycle& cycle : traffic.cycles) {
    pins.quiet();
    for (const Traffic::Arrival& each : cycle.arrivals) {
      const bool unicast = each.flit.setting == fred::kUnicasts;
      pins.receive(each.port, each.flit, unicast ? nullptr : each.data.data());
    }
    for (const auto& [port, traffic_class] : cycle.credits) pins.credit(port, traffic_class);
    for (const RtlModel::Port& port : inputs_) images_.insert(images_.end(), port.bytes, port.bytes + port.size());
  }
  pins.quiet();
}

/// Straps, reset and settings as RtlSwitch does them.
void BareLoop::start(const fred::SwitchSpec& spec, const RecordedTraffic& traffic) {
  SwitchPins pins(rtl_, spec);
  pins.set_straps();
  const RtlModel::Port reset = rtl_.port("rst_ni");
  reset.set(1);
  rtl_.eval();
  reset.set(0);
  for (const unsigned level : {1U, 0U, 1U, 0U}) {
    clock_.set(level);
    rtl_.eval();
  }
  reset.set(1);
  rtl_.eval();
  fred::FredSwitch model(spec);
  store_settings(model.settings(), traffic);
  for (std::uint32_t i = 1; i < model.settings().size(); ++i) {
    pins.write(model.interconnect(), i, std::as_const(model).settings()[i]);
  }
}

void require_same_outputs(const RtlModel& a, const RtlModel& b) {
  for (const char* name : {"out_valid_o", "out_head_o", "out_tail_o", "out_traffic_class_o", "out_stored_setting_o",
                           "out_packet_o", "out_data_o", "freed_valid_o", "active_o", "idle_o"}) {
    const RtlModel::Port left = a.port(name);
    WEFT_CHECK(std::memcmp(left.bytes, b.port(name).bytes, left.size()) == 0,
               std::string("the bare loop ends with other bits at ") + name);
  }
}

}  // namespace weft::tb
