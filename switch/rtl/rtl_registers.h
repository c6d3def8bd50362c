// SPDX-License-Identifier: Apache-2.0
// What to write into the registers of in_switch_reducer: straps and settings as words of its write port.
#pragma once

#include <cstdint>
#include <vector>

#include "switch/rtl/rtl_spec.h"

namespace weft::fred {

/// One write: reg_address_i and reg_data_i.
struct RtlRegisterWrite {
  std::uint16_t address = 0;
  std::uint32_t data = 0;
};

/// All straps of this switch, the credits last: with them packets may start. Addresses: docs/rtl_ports.md.
std::vector<RtlRegisterWrite> rtl_register_writes(const SwitchSpec& spec);

/// One setting of a switch with these ports; the last write is that of its index, which stores it.
std::vector<RtlRegisterWrite> rtl_register_writes(const RtlSetting& setting, int ports, std::uint32_t index);

}  // namespace weft::fred
