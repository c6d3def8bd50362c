// SPDX-License-Identifier: Apache-2.0
// What the wires of an interconnect carry in one step, for waves: the same from the model and from RTL.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/network/datapath_plan.h"
#include "switch/network/setting_store.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// One wire in one step, between what the registers hold at its start and the edge at its end. The wire's `valid` says
/// that a beat is there, `ready` that its consumer takes it in this step; without a beat there is no readiness.
struct WireSample {
  bool valid = false;
  bool ready = false;
  bool head = false;
  bool tail = false;
  bool has_data = false;
  std::uint8_t traffic_class = 0;  ///< traffic class
  std::uint8_t route = 0;          ///< for a unicast: output pin of the element where the wire ends
  std::uint32_t setting = 0;
  std::uint32_t packet = 0;  ///< name given by the sender
};

/// The wires of a switch that is being watched, by channel (ChannelNumbers). Whoever steps the switch fills it.
class WireWatch {
 public:
  /// `data_bytes`: bytes of a beat's data, lanes in order, 0 = none is kept.
  WireWatch(const Interconnect& net, std::size_t data_bytes);

  const std::vector<WireSample>& wires() const { return wires_; }
  std::size_t data_bytes() const { return data_bytes_; }
  const std::uint8_t* data(std::uint32_t channel) const { return data_.data() + channel * data_bytes_; }
  const WireSample& at(Terminal source) const { return wires_[channels_.of(source)]; }
  /// Output pin whose wire this is; of an input port's wire 0.
  std::uint8_t pin(std::uint32_t channel) const { return pins_[channel]; }

  /// Nothing is on any wire.
  void clear();
  /// A beat is on this one.
  WireSample& show(std::uint32_t channel);
  /// Its consumer takes it.
  void take(std::uint32_t channel) { wires_[channel].ready = true; }
  /// It is a unicast's and leads to this output pin of the next element.
  void lead(std::uint32_t channel, std::uint8_t pin) { wires_[channel].route = pin; }
  /// Where the beat's data goes.
  std::uint8_t* data(std::uint32_t channel) { return data_.data() + channel * data_bytes_; }

 private:
  ChannelNumbers channels_;
  std::vector<WireSample> wires_;
  std::vector<std::uint8_t> pins_;
  std::vector<std::uint32_t> shown_;  ///< channels
  std::size_t data_bytes_;
  std::vector<std::uint8_t> data_;  ///< by channel
};

/// What a uSwitch does with the beats at its inputs.
enum class UswitchAction : std::uint8_t {
  kNone,     ///< nothing is there
  kPass,     ///< every beat goes to the output with its input's number
  kCross,    ///< a beat goes to an output with another number
  kAdd,      ///< both operands become one, or one of them waits for the other
  kCopy,     ///< one beat goes to both outputs
  kAddCopy,  ///< the sum goes to both
};

/// The setting of `element`, from the settings that its beats belong to and from the routes of unicasts.
UswitchAction action_of(const Interconnect& net, const SettingStore& store, const WireWatch& watch,
                        std::uint32_t element);

}  // namespace weft::fred
