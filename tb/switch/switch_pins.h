// SPDX-License-Identifier: Apache-2.0
// The pins of a fred_switch: flits, credits and settings in, what a step sent and freed out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "switch/network/setting_store.h"
#include "switch/network/switch_model.h"
#include "switch/network/switch_spec.h"
#include "tb/build/rtl_model.h"

namespace weft::tb {

/// Names and widths: docs/rtl_ports.md. Drives no clock.
class SwitchPins {
 public:
  SwitchPins(RtlModel& rtl, const fred::SwitchSpec& spec);
  /// Sets what stays as it is during a run.
  void set_straps();
  /// Puts a setting at the write port and clocks the memory alone.
  void write(const fred::Interconnect& net, std::uint32_t index, const fred::StoredSetting& stored);

  /// For the next edge: a flit arrives. `data` = flit_bytes or nullptr.
  void receive(std::size_t port, const fred::PortFlit& flit, const std::uint8_t* data);
  /// For the next edge; throws ViolationError for a second credit of one traffic class at one port.
  void credit(std::size_t port, std::uint8_t traffic_class);
  /// Nothing arrives at the next edge.
  void quiet();

  /// What the step before the last edge sent and freed, by port. Data of a unicast is nullptr, as in the model.
  void read(std::vector<fred::SentFlit>& sent, std::vector<fred::FreedSlot>& freed) const;
  /// SwitchModel::kNothing before the first one.
  std::uint32_t active() const;
  bool idle() const { return idle_.bit(0); }
  bool settled() const { return settled_.bit(0); }

 private:
  RtlModel& rtl_;
  const fred::SwitchSpec& spec_;
  std::size_t ports_;
  std::size_t flit_bytes_;
  RtlModel::Port in_valid_, in_head_, in_tail_, in_traffic_class_, in_output_, in_setting_, in_packet_,
      in_packet_flits_, in_match_, in_data_, credit_;
  RtlModel::Port out_valid_, out_head_, out_tail_, out_traffic_class_, out_setting_, out_packet_, out_packet_flits_,
      out_data_;
  RtlModel::Port freed_valid_, freed_traffic_class_, active_valid_, active_, idle_, settled_;
};

}  // namespace weft::tb
