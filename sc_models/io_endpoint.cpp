// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_endpoint.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"

namespace weft::sc_models {
namespace {

/// Tag of a packet that is a message, or of a whole stream (packet 0).
std::uint64_t tag_of(std::uint32_t stream, std::uint64_t packet) { return packet << 16 | stream; }

/// Of the timer that tells of packets taken everywhere; others are numbers of lines.
constexpr std::uint64_t kWindowTimer = ~std::uint64_t{0};

/// The numbers of a stream: any that tell its bytes, and it from others.
std::uint8_t byte_of(std::uint32_t stream, std::uint64_t offset) {
  return static_cast<std::uint8_t>(random_bits(stream, offset / 8, 0) >> offset % 8 * 8);
}

}  // namespace

IoEndpoint::IoEndpoint(const IoRules& rules, npu::NetworkInterface& interface, bool receives)
    : rules_(rules), interface_(interface) {
  interface.attach(*this);
  if (!receives) return;
  arrivals_.resize(rules.streams);
  for (IoArrival& arrival : arrivals_) arrival.packets.resize(packets());
  missing_ = rules.streams;
}

std::uint64_t IoEndpoint::packet_size(std::uint64_t number) const {
  return std::min(rules_.packet_bytes, rules_.bytes - number * rules_.packet_bytes);
}

// ---- sending

void IoEndpoint::add_stream(IoStream stream) {
  if (!stream.by_packets) {
    whole_.push_back(std::move(stream));
    return;
  }
  lines_.emplace_back(std::move(stream), rules_.line_rate);
}

void IoEndpoint::start() {
  for (const IoStream& stream : whole_) send_whole(stream);
  for (std::size_t line = 0; line < lines_.size(); ++line) begin_packet(line);
}

void IoEndpoint::send_whole(const IoStream& stream) {
  npu::Message message = stream.message;
  message.tag = tag_of(stream.number, 0);
  message.bytes = rules_.bytes;
  if (rules_.values) message.payload = payload(stream.number, 0, rules_.bytes);
  const auto send = [&] {
    const std::uint64_t released = allowed_bytes();
    messages_.push_back({interface_.send(message, released), released});
  };
  if (stream.receivers.empty()) send();
  for (const NodeId receiver : stream.receivers) {
    message.dst = receiver;
    send();
  }
}

void IoEndpoint::taken_everywhere(std::uint64_t packets, Cycle now, Cycle delay) {
  if (whole_.empty() && lines_.empty()) return;
  floors_.push_back(packets);
  interface_.schedule(now + delay - interface_.now(), kWindowTimer);
}

void IoEndpoint::widen() {
  floor_ = floors_.front();
  floors_.pop_front();
  for (Whole& message : messages_) {
    const std::uint64_t more = allowed_bytes() - message.released;
    if (more > 0) interface_.release(message.id, more);
    message.released += more;
  }
  for (std::size_t line = 0; line < lines_.size(); ++line) go_on(line);
}

void IoEndpoint::begin_packet(std::size_t number) {
  Line& line = lines_[number];
  if (line.begun == packets()) return;
  const std::uint64_t flits = (packet_size(line.begun) + rules_.flit_bytes - 1) / rules_.flit_bytes;
  const Cycle now = interface_.now();
  ++line.begun;
  interface_.schedule(line.pace.carry(flits, now) - now, number);
}

void IoEndpoint::on_timer(std::uint64_t cookie) {
  if (cookie == kWindowTimer) return widen();
  ++lines_[cookie].arrived;
  go_on(cookie);
}

void IoEndpoint::on_sent(npu::MessageId id) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    if (!lines_[i].sending || lines_[i].id != id) continue;
    lines_[i].sending = false;
    go_on(i);
  }
}

// There is room for one packet beside the one that is on its way into the fabric: the line stands while both are taken.
void IoEndpoint::go_on(std::size_t number) {
  Line& line = lines_[number];
  if (line.sending || line.sent == line.arrived || line.sent == allowed()) return;
  npu::Message message = line.stream.message;
  message.tag = tag_of(line.stream.number, line.sent);
  message.bytes = packet_size(line.sent);
  if (rules_.values) message.payload = payload(line.stream.number, line.sent * rules_.packet_bytes, message.bytes);
  ++line.sent;
  line.sending = true;
  line.id = interface_.send(message);
  begin_packet(number);
}

// ---- receiving

void IoEndpoint::on_data(const npu::Delivery& delivery) {
  const auto stream = static_cast<std::uint32_t>(delivery.tag & 0xffff);
  const std::uint64_t from = (delivery.tag >> 16) * rules_.packet_bytes + delivery.offset;
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
void IoEndpoint::take(std::uint64_t packet) {
  if (packet != taken_) return;
  const auto here = [this](const IoArrival& arrival) { return arrival.packets[taken_]; };
  while (taken_ < packets() && std::all_of(arrivals_.begin(), arrivals_.end(), here)) ++taken_;
}

std::shared_ptr<npu::Payload> IoEndpoint::payload(std::uint32_t stream, std::uint64_t from, std::uint64_t bytes) const {
  auto data = std::make_shared<npu::Payload>(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) (*data)[i] = byte_of(stream, from + i);
  return data;
}

void IoEndpoint::check(std::uint32_t stream, std::uint64_t from, const npu::Delivery& delivery) const {
  WEFT_CHECK(delivery.data != nullptr, "a packet of a stream has arrived without its data");
  for (std::uint64_t i = 0; i < delivery.bytes; ++i) {
    WEFT_CHECK(delivery.data[i] == byte_of(stream, from + i),
               fmt::format("node {}: byte {} of stream {} is {}, but was sent as {}", index(interface_.node()),
                           from + i, stream, delivery.data[i], byte_of(stream, from + i)));
  }
}

}  // namespace weft::sc_models
