// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/switch_bench.h"

#include <fmt/format.h>

#include <utility>

#include "switch/rtl/rtl_spec.h"

namespace weft::tb {
namespace {

SwitchShape switch_shape(const Shape& shape) {
  const auto value = [&](const char* name) { return static_cast<std::uint32_t>(shape.at(name)); };
  SwitchShape made;
  made.m = static_cast<int>(value("M"));
  made.ports = static_cast<int>(value("Ports"));
  made.lanes = value("Lanes");
  made.beats = value("Beats");
  made.accumulate_fp32 = value("AccumulateFp32") != 0;
  made.traffic_classes = static_cast<int>(value("TrafficClasses"));
  made.settings = value("StoredSettings");
  made.buffer_flits = value("BufferFlits");
  made.control_buffer_flits = value("ControlBufferFlits");
  made.output_flits = value("OutputFlits");
  made.reduce_cycles = value("ReduceCycles");
  made.skid = value("Skid") != 0;
  return made;
}

}  // namespace

SwitchBench::SwitchBench(const BenchSetup& setup)
    : BlockBench(setup), shape_(switch_shape(setup.shape)), seen_(coverage_, shape_) {
  connect();
  begin_life();
}

void SwitchBench::connect() {
  const auto flit_bits = static_cast<std::uint32_t>(shape("FlitBits"));
  const auto row = [&](const char* port, std::uint32_t number, std::uint32_t width) {
    return expect(port, number * width, width, fmt::format("{}[{}]", port, number));
  };
  for (std::uint32_t p = 0; p < static_cast<std::uint32_t>(shape_.ports); ++p) {
    outputs_.push_back({row("out_valid_o", p, 1), row("out_head_o", p, 1), row("out_tail_o", p, 1),
                        row("out_traffic_class_o", p, 2), row("out_stored_setting_o", p, 16),
                        row("out_packet_o", p, 32), row("out_packet_flits_o", p, 16), row("out_data_o", p, flit_bits)});
    inputs_.push_back({row("freed_valid_o", p, 1), row("freed_traffic_class_o", p, 2)});
  }
  active_valid_ = expect("active_valid_o");
  active_ = expect("active_o");
  idle_ = expect("idle_o");
}

void SwitchBench::begin_life() {
  spec_ = random_spec(shape_, random());
  fred::check_rtl_spec(spec_);
  model_ = std::make_unique<fred::FredSwitch>(spec_);
  pins_ = std::make_unique<SwitchPins>(rtl_, spec_);
  traffic_ = std::make_unique<Traffic>(spec_, random(), setup_.stall);
  fred::SettingStore& store = model_->settings();
  traffic_->store_settings(store, shape_.settings);
  pins_->quiet();
  pins_->set_straps();
  for (std::uint32_t i = 1; i < store.size(); ++i) {
    pins_->write(model_->interconnect(), i, std::as_const(store)[i]);
  }
  if (setup_.compare == Compare::kOrder) {
    order_ = std::make_unique<SwitchOrder>(spec_, std::as_const(*model_).settings());
  }
  unicast_data_.clear();
  local_ = 0;
  seen_.begin(*model_, *traffic_);
}

void SwitchBench::reset() {
  if (local_ == 0) return;  // nothing has happened yet
  seen_.reset(!empty());
  begin_life();
}

/// Senders and receivers go by what the RTL has sent and freed.
void SwitchBench::drive_order() {
  for (const Traffic::Arrival& arrival : traffic_->arrivals()) {
    pins_->receive(arrival.port, arrival.flit, arrival.data.data());
    order_->arrived(arrival, local_);
  }
  for (const auto& [port, traffic_class] : traffic_->credits()) {
    pins_->credit(port, traffic_class);
    order_->credited(port, traffic_class);
  }
}

/// The flow is put into words only where it is needed.
std::optional<Mismatch> SwitchBench::check_cycle(std::uint64_t now) {
  std::optional<Mismatch> mismatch = BlockBench::check(now);
  if (!mismatch || local_ == 0) return mismatch;
  for (const fred::SentFlit& sent : model_->sent()) {
    const OutputPins& pins = outputs_[index(sent.port)];
    for (std::size_t pin = pins.valid; pin <= pins.data; ++pin) {
      if (at(pin).name == mismatch->port) mismatch->flow = flow_of(sent);
    }
  }
  return mismatch;
}

std::optional<Mismatch> SwitchBench::check(std::uint64_t now) {
  if (order_ == nullptr) return check_cycle(now);
  pins_->read(sent_, freed_);
  std::optional<Mismatch> found = order_->check(sent_, freed_, data_.bytes, local_);
  if (found) found->cycle = now;
  return found;
}

void SwitchBench::drive(std::uint64_t, bool draining) {
  forget();
  if (order_ == nullptr) expect_outputs();
  pins_->quiet();
  traffic_->cycle(local_, !draining);
  if (order_ != nullptr) return drive_order();
  for (const Traffic::Arrival& arrival : traffic_->arrivals()) {
    const bool unicast = arrival.flit.setting == fred::kUnicasts;
    model_->receive(PortId{static_cast<std::uint8_t>(arrival.port)}, arrival.flit,
                    unicast ? nullptr : arrival.data.data());
    pins_->receive(arrival.port, arrival.flit, arrival.data.data());
    if (unicast) unicast_data_[arrival.flit.packet].push_back(arrival.data);
  }
  for (const auto& [port, traffic_class] : traffic_->credits()) {
    model_->credit(PortId{static_cast<std::uint8_t>(port)}, traffic_class);
    pins_->credit(port, traffic_class);
  }
}

void SwitchBench::advance(std::uint64_t) {
  if (order_ != nullptr) {
    traffic_->happened(sent_, freed_, local_++);
    moved_ += sent_.size() + freed_.size();
    return;
  }
  for (const fred::SentFlit& sent : model_->sent()) {
    if (sent.flit.setting != fred::kUnicasts) continue;
    auto& left = unicast_data_[sent.flit.packet];
    left.erase(left.begin());
    if (left.empty()) unicast_data_.erase(sent.flit.packet);
  }
  model_->step(local_);
  traffic_->happened(*model_, local_);
  moved_ += model_->sent().size() + model_->freed().size();
  seen_.step();
  ++local_;
}

std::string SwitchBench::flow_of(const fred::SentFlit& sent) const {
  if (sent.flit.setting == fred::kUnicasts) return fmt::format("unicast, packet {:#x}", sent.flit.packet);
  const fred::StoredSetting& stored = std::as_const(*model_).settings()[sent.flit.setting];
  const auto flow = static_cast<std::size_t>(stored.flow_of_output[index(sent.port)]);
  return fmt::format("stored setting {}, flow {}, packet {:#x}", sent.flit.setting, stored.flows[flow].name,
                     sent.flit.packet);
}

/// What the last step did shows in this cycle.
void SwitchBench::expect_outputs() {
  for (const OutputPins& pins : outputs_) at(pins.valid).set(std::uint64_t{0});
  for (const InputPins& pins : inputs_) at(pins.freed).set(std::uint64_t{0});
  if (local_ > 0) {
    for (const fred::SentFlit& sent : model_->sent()) expect_flit(outputs_[index(sent.port)], sent);
    for (const fred::FreedSlot& slot : model_->freed()) {
      const InputPins& pins = inputs_[index(slot.port)];
      at(pins.freed).set(std::uint64_t{1});
      at(pins.traffic_class).set(std::uint64_t{slot.traffic_class});
    }
  }
  const bool loaded = model_->active_setting() != fred::SwitchModel::kNothing;
  at(active_valid_).set(std::uint64_t{loaded});
  if (loaded) at(active_).set(std::uint64_t{model_->active_setting()});
  at(idle_).set(std::uint64_t{!model_->busy()});
}

void SwitchBench::expect_flit(const OutputPins& pins, const fred::SentFlit& sent) {
  at(pins.valid).set(std::uint64_t{1});
  at(pins.head).set(std::uint64_t{sent.flit.head});
  at(pins.tail).set(std::uint64_t{sent.flit.tail});
  at(pins.traffic_class).set(std::uint64_t{sent.flit.traffic_class});
  at(pins.setting).set(std::uint64_t{sent.flit.setting});
  at(pins.packet).set(std::uint64_t{sent.flit.packet});
  at(pins.packet_flits).set(std::uint64_t{sent.flit.packet_flits});
  const bool unicast = sent.flit.setting == fred::kUnicasts;
  at(pins.data).set(unicast ? unicast_data_.at(sent.flit.packet).front().data() : sent.data);
}

}  // namespace weft::tb
