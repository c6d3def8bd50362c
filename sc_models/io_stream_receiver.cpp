// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_stream_receiver.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::sc_models {

IoStreamReceiver::IoStreamReceiver(const IoStreamRules& rules, npu::NetworkInterface& interface)
    : rules_(rules), interface_(interface), arrivals_(rules.streams), missing_(rules.streams) {
  interface.attach(*this);
  for (IoArrival& arrival : arrivals_) arrival.packets.resize(rules.packets());
}

void IoStreamReceiver::on_data(const npu::Delivery& delivery) {
  const std::uint32_t stream = stream_of(delivery.tag);
  const std::uint64_t from = packet_of(delivery.tag) * rules_.packet_bytes + delivery.offset;
  WEFT_CHECK(stream < arrivals_.size(),
             fmt::format("node {} has got a packet of a stream that it does not take", index(interface_.node())));
  IoArrival& arrival = arrivals_[stream];
  std::vector<bool>::reference here = arrival.packets[from / rules_.packet_bytes];
  WEFT_CHECK(!here, fmt::format("node {} has got the bytes of stream {} from {} on twice", index(interface_.node()),
                                stream, from));
  here = true;
  if (rules_.values) check(stream, from, delivery);
  const Cycle now = interface_.now();
  if (arrival.bytes == 0) {
    arrival.first = now;
    arrival.first_bytes = delivery.bytes;
  }
  arrival.last = now;
  arrival.bytes += delivery.bytes;
  bytes_received_ += delivery.bytes;
  if (arrival.bytes == rules_.bytes) --missing_;
  take(from / rules_.packet_bytes);
}

// Only the packet that was missing lets others be taken.
void IoStreamReceiver::take(std::uint64_t packet) {
  if (packet != taken_) return;
  const auto here = [this](const IoArrival& arrival) { return arrival.packets[taken_]; };
  while (taken_ < rules_.packets() && std::all_of(arrivals_.begin(), arrivals_.end(), here)) ++taken_;
}

void IoStreamReceiver::check(std::uint32_t stream, std::uint64_t from, const npu::Delivery& delivery) const {
  WEFT_CHECK(delivery.data != nullptr, "a packet of a stream has arrived without its data");
  for (std::uint64_t i = 0; i < delivery.bytes; ++i) {
    WEFT_CHECK(delivery.data[i] == stream_byte(stream, from + i),
               fmt::format("node {}: byte {} of stream {} is {}, but was sent as {}", index(interface_.node()),
                           from + i, stream, delivery.data[i], stream_byte(stream, from + i)));
  }
}

void IoStreamReceiver::on_sent(npu::MessageId /*id*/) { WEFT_CHECK(false, "a receiver of streams sends nothing"); }

void IoStreamReceiver::on_timer(std::uint64_t /*cookie*/) { WEFT_CHECK(false, "a receiver of streams has no timers"); }

void IoStreamReceiver::keep(Checkpoint& checkpoint) {
  checkpoint.all(arrivals_, [&](IoArrival& arrival) {
    checkpoint.values(arrival.bytes, arrival.first_bytes, arrival.first, arrival.last);
    checkpoint.bits(arrival.packets);
  });
  checkpoint.values(missing_, bytes_received_, taken_);
}

}  // namespace weft::sc_models
