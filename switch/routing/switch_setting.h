// SPDX-License-Identifier: Apache-2.0
// What a switch stores as one setting: the settings of all its uSwitches, and their bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "switch/routing/flow.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// Setting of one element. 0 = not in use.
struct UswitchSetting {
  /// R: of each input, output + 1. D: of each output, input + 1. RD: of each output, mask of its inputs. Demux: output
  /// + 1. Mux: input + 1.
  std::array<std::uint8_t, 2> select{};
  bool reduce = false;      ///< R and RD: both inputs are added
  bool distribute = false;  ///< D and RD: one result goes to both outputs
  friend bool operator==(const UswitchSetting& a, const UswitchSetting& b) {
    return a.select == b.select && a.reduce == b.reduce && a.distribute == b.distribute;
  }
};
/// The setting of a switch: one uSwitch setting per element of the interconnect, in its order.
using SwitchSetting = std::vector<UswitchSetting>;

/// Whether output pin `output` of a so set element gets what comes to input pin `input`.
bool feeds(ElementKind kind, const UswitchSetting& uswitch_setting, std::uint32_t input, std::uint32_t output);

/// Bits of an element's setting. In this order, lowest bit first: select[0], select[1] (two-input or two-output
/// elements; bits for 0..m each, for RD two), reduce (R, RD), distribute (D, RD).
int uswitch_setting_bits(ElementKind kind, int m);
/// Bits of a whole setting.
std::size_t setting_bits(const Interconnect& net);
/// The bits, uSwitch settings one after the other in the order of the elements, the first bit in bit 0 of byte 0.
std::vector<std::uint8_t> encode(const Interconnect& net, const SwitchSetting& setting);
/// The switch setting of those bits. Throws InputError where the length is wrong or a uSwitch setting is none.
SwitchSetting decode(const Interconnect& net, const std::vector<std::uint8_t>& bits);

/// Follows all data through the configured interconnect, symbolically. Throws ViolationError unless each uSwitch
/// setting is legal, each output port gets exactly the inputs of its flow, each of them once, other outputs get
/// nothing, and nothing ends inside.
void verify_setting(const Interconnect& net, const FlowSet& flows, const SwitchSetting& setting);

}  // namespace weft::fred
