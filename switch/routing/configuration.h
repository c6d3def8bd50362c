// SPDX-License-Identifier: Apache-2.0
// What the switch stores per configuration: the settings of all its elements, and their bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "switch/routing/flow.h"
#include "switch/topology/interconnect.h"

namespace weft::fred {

/// Setting of one element. 0 = not in use.
struct Setting {
  /// R: of each input, output + 1. D: of each output, input + 1. RD: of each output, mask of its inputs. Demux: output
  /// + 1. Mux: input + 1.
  std::array<std::uint8_t, 2> select{};
  bool reduce = false;      ///< R and RD: both inputs are added
  bool distribute = false;  ///< D and RD: one result goes to both outputs
  friend bool operator==(const Setting& a, const Setting& b) {
    return a.select == b.select && a.reduce == b.reduce && a.distribute == b.distribute;
  }
};
/// One setting per element of the interconnect, in its order.
using Configuration = std::vector<Setting>;

/// Whether output pin `output` of a so set element gets what comes to input pin `input`.
bool feeds(ElementKind kind, const Setting& setting, std::uint32_t input, std::uint32_t output);

/// Bits of an element's setting. In this order, lowest bit first: select[0], select[1] (two-input or two-output
/// elements; bits for 0..m each, for RD two), reduce (R, RD), distribute (D, RD).
int setting_bits(ElementKind kind, int m);
/// Bits of a whole configuration.
std::size_t configuration_bits(const Interconnect& net);
/// The bits, settings one after the other in the order of the elements, the first bit in bit 0 of byte 0.
std::vector<std::uint8_t> encode(const Interconnect& net, const Configuration& configuration);
/// The configuration of those bits. Throws InputError where the length is wrong or a setting is none.
Configuration decode(const Interconnect& net, const std::vector<std::uint8_t>& bits);

/// Follows all data through the configured interconnect, symbolically. Throws ViolationError unless each setting is
/// legal, each output port gets exactly the inputs of its flow, each of them once, other outputs get nothing, and
/// nothing ends inside.
void verify_configuration(const Interconnect& net, const FlowSet& flows, const Configuration& configuration);

}  // namespace weft::fred
