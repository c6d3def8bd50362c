// SPDX-License-Identifier: Apache-2.0
// What ports and wires of a FRED switch carry.
#pragma once

#include <cstdint>

#include "switch/network/word_pool.h"

namespace weft::fred {

/// Index of the setting in which unicasts are routed online; it is never stored.
inline constexpr std::uint32_t kUnicasts = 0;
/// `PortFlit::output` of a unicast that may leave through any port towards the level above.
inline constexpr std::uint8_t kAnyUplink = 255;

/// A flit at a port of a switch. All but head and tail comes on side wires of the head.
struct PortFlit {
  std::uint32_t packet = 0;  ///< a name that the sender chooses
  std::uint32_t setting = 0;
  std::uint16_t packet_flits = 1;
  bool head = false;
  bool tail = false;
  std::uint8_t traffic_class = 0;  ///< traffic class
  std::uint8_t output = 0;         ///< output of a unicast
  std::uint64_t match = 0;         ///< names what is reduced; the same in all operands
};

/// Writes a flit into `checkpoint`, or takes it from there.
template <typename Checkpoint>
void keep(Checkpoint& checkpoint, PortFlit& flit) {
  checkpoint.values(flit.packet, flit.setting, flit.packet_flits, flit.head, flit.tail, flit.traffic_class, flit.output,
                    flit.match);
}

/// What a wire carries in one cycle: a whole flit, or a part of it where lanes are few.
struct Beat {
  std::uint32_t data = WordPool::kNone;  ///< slot of the pool
  std::uint32_t packet = 0;              ///< name given by the sender; of a sum that of its first operand
  std::uint32_t setting = 0;
  std::uint16_t packet_flits = 1;
  std::uint8_t traffic_class = 0;
  bool head = false;      ///< first beat of a packet
  bool tail = false;      ///< last beat of a packet
  bool flit_end = false;  ///< last beat of a flit
};

/// The same of a beat, without its data.
template <typename Checkpoint>
void keep(Checkpoint& checkpoint, Beat& beat) {
  checkpoint.values(beat.packet, beat.setting, beat.packet_flits, beat.traffic_class, beat.head, beat.tail,
                    beat.flit_end);
}

}  // namespace weft::fred
