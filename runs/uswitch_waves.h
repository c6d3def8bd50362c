// SPDX-License-Identifier: Apache-2.0
// The uSwitches of a fabric in its wave file: names, and what the switches show of their wires.
#pragma once

#include <memory>
#include <vector>

#include "config/config.h"
#include "switch/fabric/topology.h"
#include "switch/network/uswitch_probe.h"
#include "waves/recorder.h"

namespace weft::runs {

/// The inside of one chiplet: `uswitch.port[3]` is the wire from an input port, `uswitch.in[2].out[0]` that of an
/// output pin of an element. Wires have the numbers of ChannelNumbers.
waves::SwitchWave inside_of(const Config& config, const fred::Chiplet& chiplet);

/// Gives the setup the insides of all chiplets.
void add_uswitches(const Config& config, waves::RecorderSetup* setup);

/// By chiplet, what `waves.scope` asks to see of it; all nothing without a wave file.
std::vector<fred::SwitchWatch> switch_watches(const Config& config, const waves::RecorderSetup& setup);

/// Tells a recorder what the wires carry. The recorder must outlive it.
class UswitchWaves final : public fred::UswitchProbe {
 public:
  explicit UswitchWaves(waves::Recorder& recorder) : recorder_(recorder) {}
  void wires(Cycle now, std::uint32_t chiplet, const fred::SwitchModel& fred, const fred::PacketNames& names) override;

 private:
  static void fill(waves::WireBank& bank, const fred::SwitchModel& fred, const fred::SettingStore& store,
                   const fred::PacketNames& names);

  waves::Recorder& recorder_;
};

}  // namespace weft::runs
