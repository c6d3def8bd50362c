// SPDX-License-Identifier: Apache-2.0
#include "tb/switch/switch_pins.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "switch/rtl/rtl_spec.h"

namespace weft::tb {
namespace {

void put(const RtlModel::Port& port, const std::vector<std::uint8_t>& bytes) {
  std::copy_n(bytes.begin(), std::min(bytes.size(), port.size()), port.bytes);
}

std::uint32_t at(std::size_t port, std::uint32_t width) { return static_cast<std::uint32_t>(port) * width; }

}  // namespace

SwitchPins::SwitchPins(RtlModel& rtl, const fred::SwitchSpec& spec)
    : rtl_(rtl),
      spec_(spec),
      ports_(static_cast<std::size_t>(spec.ports)),
      flit_bytes_(spec.flit_bytes),
      in_valid_(rtl.port("in_valid_i")),
      in_head_(rtl.port("in_head_i")),
      in_tail_(rtl.port("in_tail_i")),
      in_traffic_class_(rtl.port("in_traffic_class_i")),
      in_output_(rtl.port("in_output_i")),
      in_setting_(rtl.port("in_stored_setting_i")),
      in_packet_(rtl.port("in_packet_i")),
      in_packet_flits_(rtl.port("in_packet_flits_i")),
      in_match_(rtl.port("in_match_i")),
      in_data_(rtl.port("in_data_i")),
      credit_(rtl.port("credit_i")),
      out_valid_(rtl.port("out_valid_o")),
      out_head_(rtl.port("out_head_o")),
      out_tail_(rtl.port("out_tail_o")),
      out_traffic_class_(rtl.port("out_traffic_class_o")),
      out_setting_(rtl.port("out_stored_setting_o")),
      out_packet_(rtl.port("out_packet_o")),
      out_packet_flits_(rtl.port("out_packet_flits_o")),
      out_data_(rtl.port("out_data_o")),
      freed_valid_(rtl.port("freed_valid_o")),
      freed_traffic_class_(rtl.port("freed_traffic_class_o")),
      active_valid_(rtl.port("active_valid_o")),
      active_(rtl.port("active_o")),
      idle_(rtl.port("idle_o")),
      settled_(rtl.port("settled_o")) {
  WEFT_CHECK(in_data_.width == ports_ * flit_bytes_ * 8, "the RTL of a switch was built for other flits");
}

void SwitchPins::set_straps() {
  for (const fred::RtlStrap& strap : fred::rtl_straps(spec_)) put(rtl_.port(strap.port), strap.bytes);
}

void SwitchPins::write(const fred::Interconnect& net, std::uint32_t index, const fred::StoredSetting& stored) {
  const fred::RtlSetting bits = fred::rtl_setting(net, stored);
  const RtlModel::Port clock = rtl_.port("cfg_clk_i");
  const RtlModel::Port enable = rtl_.port("cfg_we_i");
  rtl_.port("cfg_index_i").set(index);
  put(rtl_.port("cfg_settings_i"), bits.uswitch_settings);
  put(rtl_.port("cfg_inputs_i"), bits.inputs);
  put(rtl_.port("cfg_outputs_i"), bits.outputs);
  enable.set(1);
  rtl_.eval();
  clock.set(1);
  rtl_.eval();
  clock.set(0);
  enable.set(0);
  rtl_.eval();
}

void SwitchPins::receive(std::size_t port, const fred::PortFlit& flit, const std::uint8_t* data) {
  const auto number = static_cast<std::uint32_t>(port);
  WEFT_CHECK(!in_valid_.bit(number), fmt::format("two flits arrive at port {} of an RTL switch in one cycle", port));
  in_valid_.set_bit(number, true);
  in_head_.set_bit(number, flit.head);
  in_tail_.set_bit(number, flit.tail);
  in_traffic_class_.set(at(port, 2), 2, flit.traffic_class);
  in_output_.set(at(port, 8), 8, flit.output);
  in_setting_.set(at(port, 16), 16, flit.setting);
  in_packet_.set(at(port, 32), 32, flit.packet);
  in_packet_flits_.set(at(port, 16), 16, flit.packet_flits);
  in_match_.set(at(port, 64), 64, flit.match);
  if (data != nullptr) {
    std::memcpy(in_data_.bytes + port * flit_bytes_, data, flit_bytes_);
  } else {
    std::memset(in_data_.bytes + port * flit_bytes_, 0, flit_bytes_);
  }
}

void SwitchPins::credit(std::size_t port, std::uint8_t traffic_class) {
  const std::uint32_t bit = at(port, 4) + traffic_class;
  WEFT_CHECK(!credit_.bit(bit),
             fmt::format("two credits of traffic class {} arrive at port {} of an RTL switch in one cycle",
                         traffic_class, port));
  credit_.set_bit(bit, true);
}

void SwitchPins::quiet() {
  in_valid_.clear();
  credit_.clear();
}

void SwitchPins::read(std::vector<fred::SentFlit>& sent, std::vector<fred::FreedSlot>& freed) const {
  sent.clear();
  freed.clear();
  for (std::size_t port = 0; port < ports_; ++port) {
    const auto number = static_cast<std::uint32_t>(port);
    const PortId id{static_cast<std::uint8_t>(port)};
    if (freed_valid_.bit(number)) {
      freed.push_back({id, static_cast<std::uint8_t>(freed_traffic_class_.get(at(port, 2), 2))});
    }
    if (!out_valid_.bit(number)) continue;
    fred::SentFlit flit;
    flit.port = id;
    flit.flit.packet = static_cast<std::uint32_t>(out_packet_.get(at(port, 32), 32));
    flit.flit.setting = static_cast<std::uint32_t>(out_setting_.get(at(port, 16), 16));
    flit.flit.packet_flits = static_cast<std::uint16_t>(out_packet_flits_.get(at(port, 16), 16));
    flit.flit.traffic_class = static_cast<std::uint8_t>(out_traffic_class_.get(at(port, 2), 2));
    flit.flit.head = out_head_.bit(number);
    flit.flit.tail = out_tail_.bit(number);
    const bool values = spec_.values && flit.flit.setting != fred::kUnicasts;
    if (values) flit.data = out_data_.bytes + port * flit_bytes_;
    sent.push_back(flit);
  }
}

std::uint32_t SwitchPins::active() const {
  return active_valid_.bit(0) ? static_cast<std::uint32_t>(active_.get()) : fred::SwitchModel::kNothing;
}

}  // namespace weft::tb
