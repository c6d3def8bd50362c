// SPDX-License-Identifier: Apache-2.0
// Straps and settings cut into words.
#include "switch/rtl/rtl_registers.h"

#include <algorithm>
#include <map>
#include <string>

namespace weft::fred {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Writes = std::vector<RtlRegisterWrite>;

// Kinds of registers: the top bits of an address. A port has 16 words.
constexpr std::uint32_t kSwitch = 0x0000;
constexpr std::uint32_t kPort = 0x1000;
constexpr std::uint32_t kRow = 0x2000;
constexpr std::uint32_t kUswitchSettings = 0x8000;
constexpr std::uint32_t kOutputsWord = 8;
constexpr std::uint32_t kIndexWord = 5;

/// `count` bits from `first` on, the first one lowest; what is beyond the end is 0.
std::uint32_t bits_at(const Bytes& bytes, std::uint32_t first, std::uint32_t count) {
  std::uint32_t value = 0;
  for (std::uint32_t i = 0; i < count && (first + i) / 8 < bytes.size(); ++i) {
    value |= static_cast<std::uint32_t>(bytes[(first + i) / 8] >> (first + i) % 8 & 1U) << i;
  }
  return value;
}

void put(Writes& writes, std::uint32_t address, std::uint32_t data) {
  writes.push_back({static_cast<std::uint16_t>(address), data});
}

}  // namespace

std::vector<RtlRegisterWrite> rtl_register_writes(const SwitchSpec& spec) {
  std::map<std::string, Bytes> straps;
  for (const RtlStrap& strap : rtl_straps(spec)) straps[strap.port] = strap.bytes;
  const auto of = [&](const char* port, std::uint32_t first, std::uint32_t count) {
    return bits_at(straps.at(port), first, count);
  };
  Writes writes;
  put(writes, kSwitch + 0, of("format_i", 0, 3) | of("op_i", 0, 2) << 8);
  put(writes, kSwitch + 1, of("reconfigure_cycles_i", 0, 20));
  put(writes, kSwitch + 2, of("stay_packets_i", 0, 32));
  put(writes, kSwitch + 3, of("first_uplink_i", 0, 8) | of("uplinks_i", 0, 8) << 8);
  const auto ports = static_cast<std::uint32_t>(spec.ports);
  for (std::uint32_t p = 0; p < ports; ++p) {
    std::uint32_t word = 1;
    for (const char* rate : {"rate_unit_i", "rate_flit_i", "rate_header_i"}) {
      put(writes, kPort + p * 16 + word++, of(rate, p * 40, 32));
      put(writes, kPort + p * 16 + word++, of(rate, p * 40 + 32, 8));
    }
  }
  for (std::uint32_t p = 0; p < ports; ++p) {
    put(writes, kPort + p * 16, of("credits_i", p * 16, 16) | of("whole_packets_i", p, 1) << 16);
  }
  put(writes, kSwitch + 4, of("control_credits_i", 0, 16) | of("output_flits_i", 0, 16) << 16);
  return writes;
}

std::vector<RtlRegisterWrite> rtl_register_writes(const RtlSetting& setting, int ports, std::uint32_t index) {
  Writes writes;
  const auto count = static_cast<std::uint32_t>(ports);
  for (std::uint32_t p = 0; p < count; ++p) {
    for (std::uint32_t first = 0; first < count; first += 32) {
      const std::uint32_t bits = std::min(count - first, 32U);
      const std::uint32_t address = kRow + p * 16 + first / 32;
      put(writes, address, bits_at(setting.inputs, p * count + first, bits));
      put(writes, address + kOutputsWord, bits_at(setting.outputs, p * count + first, bits));
    }
  }
  const auto words = static_cast<std::uint32_t>((setting.uswitch_settings.size() + 3) / 4);
  for (std::uint32_t w = 0; w < words; ++w)
    put(writes, kUswitchSettings + w, bits_at(setting.uswitch_settings, w * 32, 32));
  put(writes, kSwitch + kIndexWord, index);
  return writes;
}

}  // namespace weft::fred
