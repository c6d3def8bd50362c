// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/memory_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "network/names.h"
#include "npu/player/point_to_point.h"

namespace weft::sc_models {
namespace {

constexpr std::uint64_t kTimer = npu::kDramOwner << npu::kOwnerShift;

}  // namespace

MemoryNetwork::MemoryNetwork(npu::NetworkInterface& network, const mem::DramTiming& timing,
                             const mem::DramOptions& options, const Clock& clock, bool messages)
    : network_(network),
      messages_(messages),
      dram_(timing, options, clock, [this](Cycle delay) { network_.schedule(delay, kTimer); }) {
  network.attach(*this);
}

npu::MessageId MemoryNetwork::send(const npu::Message& message, std::uint64_t released) {
  if (!messages_ || message.bytes == 0) return network_.send(message, released);
  const npu::MessageId id = network_.send(message, 0);
  release(id, std::min(released, message.bytes));
  return id;
}

void MemoryNetwork::release(npu::MessageId id, std::uint64_t bytes) {
  if (!messages_) return network_.release(id, bytes);
  if (bytes == 0) return;
  dram_.stream(
      false, bytes, [this, id](std::uint64_t part) { network_.release(id, part); }, now());
}

void MemoryNetwork::stream(bool write, std::uint64_t bytes, std::function<void()> done) {
  auto left = std::make_shared<std::uint64_t>(bytes);
  dram_.stream(
      write, bytes,
      [left, done = std::move(done)](std::uint64_t part) {
        *left -= part;
        if (*left == 0) done();
      },
      now());
}

void MemoryNetwork::on_data(const npu::Delivery& delivery) {
  if (!messages_ || (delivery.bytes == 0 && arrivals_.empty())) return endpoint_->on_data(delivery);
  Arrival arrival{delivery, {}, delivery.bytes};
  if (delivery.data != nullptr) arrival.data.assign(delivery.data, delivery.data + delivery.bytes);
  arrivals_.push_back(std::move(arrival));
  if (delivery.bytes == 0) return;
  Arrival& kept = arrivals_.back();  // stays where it is until it is delivered
  dram_.stream(
      true, delivery.bytes,
      [this, &kept](std::uint64_t part) {
        kept.left -= part;
        deliver();
      },
      now());
}

void MemoryNetwork::deliver() {
  while (!arrivals_.empty() && arrivals_.front().left == 0) {
    Arrival arrival = std::move(arrivals_.front());
    arrivals_.pop_front();
    if (arrival.delivery.data != nullptr) arrival.delivery.data = arrival.data.data();
    endpoint_->on_data(arrival.delivery);
  }
}

void MemoryNetwork::on_timer(std::uint64_t cookie) {
  if (npu::owner_of(cookie) != npu::kDramOwner) return endpoint_->on_timer(cookie);
  dram_.step(now());
}

void MemoryNetwork::set_probe(AccessProbe* probe) {
  dram_.set_probe(probe, node(), network::npu_name(index(node())) + ".dram");
}

std::vector<mem::MemoryRow> MemoryNetwork::figures() { return dram_.figures(network::npu_name(index(node()))); }

}  // namespace weft::sc_models
