// SPDX-License-Identifier: Apache-2.0
// The wires inside one switch: what a recorder keeps of them for a cycle, and their variables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/probe.h"
#include "waves/wave_writer.h"

namespace weft::waves {

/// A wire with valid and ready in one cycle.
struct WireValue {
  bool valid = false;
  bool ready = false;
  bool head = false;
  bool tail = false;
  std::uint8_t vc = 0;
  bool named = false;                  ///< it is known which packet this is
  PacketIdentity packet;               ///< where `named`
  const std::uint8_t* data = nullptr;  ///< bits of the declared width, lowest byte first; null = it has none
};

/// Those signals of a switch's wires, or of its shadow's, that are recorded. Whoever is told of a cycle fills in the
/// values of all of them; they are gone in the next.
class WireBank {
 public:
  static constexpr WaveVar kNotRecorded{~std::uint32_t{0}};

  /// A wire in scope.
  struct Wire {
    std::uint32_t number = 0;  ///< in SwitchWave::wires, or of the port
    WaveVar valid = kNotRecorded;
    WaveVar ready = kNotRecorded;
    WaveVar packet = kNotRecorded;
    WaveVar vc = kNotRecorded;
    WaveVar head = kNotRecorded;
    WaveVar tail = kNotRecorded;
    WaveVar data = kNotRecorded;
    std::size_t data_bytes = 0;
    bool shown = false;  ///< the file shows a beat
    WireValue value;
    std::vector<std::uint8_t> bytes;  ///< copy of what value.data points to
  };
  /// A uSwitch of which it is recorded what it does.
  struct Element {
    std::uint32_t number = 0;  ///< in SwitchWave::elements
    WaveVar setting = kNotRecorded;
    std::uint8_t action = 0;
  };

  std::uint32_t clock = 0;
  std::vector<Wire> wires;
  std::vector<Wire> ports;  ///< output ports of a shadow: what leaves through them
  std::vector<Element> elements;
  bool touched = false;

  /// For this cycle.
  static void set(Wire& wire, const WireValue& value);
  /// Writes the cycle, and forgets it.
  void write(WaveWriter& writer);
  /// The file shows something that must fall at the next edge.
  bool shown() const { return shown_; }

 private:
  bool write_wire(Wire& wire, WaveWriter& writer) const;

  bool shown_ = false;
};

}  // namespace weft::waves
