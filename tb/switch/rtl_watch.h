// SPDX-License-Identifier: Apache-2.0
// What a switch of RTL that was built with outputs for it (switch/rtl/watch_sv.h) shows of its inside.
#pragma once

#include <vector>

#include "switch/network/setting_store.h"
#include "switch/network/switch_model.h"
#include "switch/network/switch_spec.h"
#include "switch/network/wire_watch.h"
#include "switch/rtl/watch_sv.h"
#include "tb/build/rtl_model.h"

namespace weft::tb {

/// The wires between its elements.
class RtlWires {
 public:
  RtlWires(const RtlModel& rtl, const fred::SwitchSpec& spec, const fred::Interconnect& net);
  const fred::WireWatch& watch() const { return watch_; }
  /// Between two edges, when everything has settled.
  void read();

 private:
  struct Wire {
    RtlModel::Port valid;
    RtlModel::Port ready;
    RtlModel::Port side;
    RtlModel::Port data;
    fred::Terminal sink;
  };
  void read_side(std::uint32_t channel, fred::WireSample& sample) const;
  std::uint8_t route_of(const Wire& wire) const;

  const fred::Interconnect& net_;
  // Bits of the side wires whose number is not fixed.
  std::uint32_t setting_bits_ = 1;
  std::uint32_t output_bits_;  ///< bits of the route that name the port; a digit for each level follows
  std::uint32_t digit_bits_;
  fred::WireWatch watch_;
  std::vector<Wire> wires_;  ///< by channel
};

/// What its control unit waits for.
class RtlReasons {
 public:
  RtlReasons(const RtlModel& rtl, const fred::SwitchSpec& spec);
  /// After the edge that ends a step: as SwitchModel::stalls.
  void stalls(const fred::SettingStore& store, std::vector<StallReason>* reasons);
  /// Credits that the control unit has left, by port and traffic class.
  std::uint32_t credits(std::size_t slot) const {
    return static_cast<std::uint32_t>(free_.get(static_cast<std::uint32_t>(slot) * 16, 16));
  }

 private:
  const fred::SwitchSpec& spec_;
  std::uint32_t setting_bits_;
  RtlModel::Port valid_, setting_, flits_, output_, match_, free_;
  std::vector<fred::PortFlit> heads_;  ///< by port and traffic class
};

}  // namespace weft::tb
