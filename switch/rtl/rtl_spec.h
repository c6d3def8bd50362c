// SPDX-License-Identifier: Apache-2.0
// A switch's parameters as its RTL takes them: what is built in, what is set from outside, what is written into its
// setting memory. Ports and parameters: docs/rtl_ports.md.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "switch/network/setting_store.h"
#include "switch/network/switch_spec.h"

namespace weft::fred {

/// Throws InputError where the RTL cannot do what the model does with these parameters: names the parameter, its value
/// and what the RTL has.
void check_rtl_spec(const SwitchSpec& spec);

/// Parameters of fred_switch_mM_pP by name. `settings`: indices, that of the unicasts included.
std::vector<std::pair<std::string, std::uint32_t>> rtl_parameters(const SwitchSpec& spec, std::uint32_t settings);

/// A port of the RTL that stays as it is, bits of the first element in the lowest bits of the first byte.
struct RtlStrap {
  std::string port;
  std::vector<std::uint8_t> bytes;
};
/// All of them.
std::vector<RtlStrap> rtl_straps(const SwitchSpec& spec);

/// What the ports cfg_*_i carry to write one setting; bytes as in RtlStrap.
struct RtlSetting {
  std::vector<std::uint8_t> uswitch_settings;
  std::vector<std::uint8_t> inputs;
  std::vector<std::uint8_t> outputs;
};
RtlSetting rtl_setting(const Interconnect& net, const StoredSetting& stored);

/// fred_pkg::format_e and fred_pkg::op_e.
std::uint32_t rtl_format(const LaneFormat& format);
std::uint32_t rtl_op(ReduceOp op);

}  // namespace weft::fred
