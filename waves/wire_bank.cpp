// SPDX-License-Identifier: Apache-2.0
#include "waves/wire_bank.h"

#include <algorithm>

#include "waves/packet_text.h"

namespace weft::waves {
namespace {

template <typename Value>
void put(WaveWriter& writer, WaveVar var, const Value& value) {
  if (var != WireBank::kNotRecorded) writer.set(var, value);
}

}  // namespace

void WireBank::set(Wire& wire, const WireValue& value) {
  wire.value = value;
  if (value.data == nullptr || wire.data == kNotRecorded) return;
  wire.bytes.assign(value.data, value.data + wire.data_bytes);
  wire.value.data = wire.bytes.data();
}

/// Whether it shows a beat.
bool WireBank::write_wire(Wire& wire, WaveWriter& writer) const {
  const WireValue value = touched ? wire.value : WireValue();
  if (!value.valid && !wire.shown) return false;
  wire.shown = value.valid;
  put(writer, wire.valid, std::uint64_t{value.valid});
  put(writer, wire.ready, std::uint64_t{value.ready});
  if (wire.packet != kNotRecorded) {
    const PacketText text(value.packet);
    writer.set(wire.packet, !value.valid ? std::string_view() : value.named ? text.view() : std::string_view("?"));
  }
  if (value.valid) put(writer, wire.vc, std::uint64_t{value.vc});
  put(writer, wire.head, std::uint64_t{value.head});
  put(writer, wire.tail, std::uint64_t{value.tail});
  if (wire.data != kNotRecorded) {
    value.data != nullptr ? writer.set_bytes(wire.data, value.data) : writer.set_unknown(wire.data);
  }
  return value.valid;
}

void WireBank::write(WaveWriter& writer) {
  shown_ = false;
  for (Wire& wire : wires) shown_ = write_wire(wire, writer) || shown_;
  for (Wire& port : ports) shown_ = write_wire(port, writer) || shown_;
  for (Element& element : elements) {
    const std::uint8_t action = touched ? element.action : 0;
    shown_ = shown_ || action != 0;
    writer.set(element.setting, std::uint64_t{action});
  }
  touched = false;
}

}  // namespace weft::waves
