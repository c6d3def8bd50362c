// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_stream_source.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace weft::sc_models {

IoStreamSource::IoStreamSource(const IoStreamRules& rules, std::uint32_t number, IoStreamPath path,
                               IoController& controller)
    : rules_(rules), number_(number), path_(std::move(path)), controller_(controller) {
  controller.set_service(*this);
}

std::uint64_t IoStreamSource::allowed() const {
  return rules_.window == 0 ? rules_.packets() : std::min(rules_.packets(), floor_ + rules_.window);
}

std::uint64_t IoStreamSource::allowed_bytes() const { return std::min(rules_.bytes, allowed() * rules_.packet_bytes); }

void IoStreamSource::start() {
  if (path_.by_packets) {
    controller_.go_on();
  } else {
    send_whole();
  }
}

void IoStreamSource::send_whole() {
  npu::Message message = path_.message;
  message.tag = stream_tag(number_, 0);
  message.bytes = rules_.bytes;
  if (rules_.values) message.payload = payload(0, rules_.bytes);
  const auto send = [&] {
    const std::uint64_t released = allowed_bytes();
    messages_.push_back({controller_.send(message, released), released});
  };
  if (path_.receivers.empty()) send();
  for (const NodeId receiver : path_.receivers) {
    message.dst = receiver;
    send();
  }
}

void IoStreamSource::taken_everywhere(std::uint64_t packets, Cycle now, Cycle delay) {
  floors_.push_back(packets);
  controller_.schedule(now + delay - controller_.now(), 0);
}

void IoStreamSource::on_timer(std::uint64_t /*cookie*/) {
  floor_ = floors_.front();
  floors_.pop_front();
  for (Whole& message : messages_) {
    const std::uint64_t more = allowed_bytes() - message.released;
    if (more > 0) controller_.release(message.id, more);
    message.released += more;
  }
  controller_.go_on();
}

std::uint64_t IoStreamSource::next_packet() {
  return path_.by_packets && sent_ < rules_.packets() ? rules_.packet_size(sent_) : 0;
}

npu::Message IoStreamSource::take_packet() {
  npu::Message message = path_.message;
  message.tag = stream_tag(number_, sent_);
  message.bytes = rules_.packet_size(sent_);
  if (rules_.values) message.payload = payload(sent_ * rules_.packet_bytes, message.bytes);
  ++sent_;
  return message;
}

void IoStreamSource::on_data(const npu::Delivery& /*delivery*/) {
  WEFT_CHECK(false, "a packet has come to an I/O controller that only sends");
}

std::shared_ptr<npu::Payload> IoStreamSource::payload(std::uint64_t from, std::uint64_t bytes) const {
  auto data = std::make_shared<npu::Payload>(bytes);
  for (std::uint64_t i = 0; i < bytes; ++i) (*data)[i] = stream_byte(number_, from + i);
  return data;
}

void IoStreamSource::keep(Checkpoint& checkpoint) {
  checkpoint.each(messages_, [&](Whole& whole) { checkpoint.values(whole.id, whole.released); });
  checkpoint.values(sent_, floor_);
  checkpoint.list(floors_);
}

}  // namespace weft::sc_models
