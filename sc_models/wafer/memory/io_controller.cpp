// SPDX-License-Identifier: Apache-2.0
#include "wafer/memory/io_controller.h"

#include <algorithm>

#include "kernel/error.h"

namespace weft::wafer {

IoController::IoController(const IoPlan& plan, std::uint32_t number, npu::NetworkInterface& network)
    : plan_(plan),
      number_(number),
      network_(network),
      in_(plan.config().fabric.border_io.rate),
      out_(plan.config().fabric.border_io.rate) {
  network.attach(*this);
}

void IoController::on_data(const npu::Delivery& delivery) {
  const IoTag tag = unpack_io_tag(npu::without_owner(delivery.tag));
  if (!tag.store) return asked(delivery, tag);
  figures_.bytes_out += delivery.bytes;
  const Cycle now = network_.now();
  const Cycle taken = plan_.is_fred() ? now : out_.carry(plan_.flits_of(delivery.bytes), now);
  if (!delivery.last) return;
  ++figures_.stores;
  taking_.push_back({tag, delivery.src});
  network_.schedule(taken - now, kTaken);
}

void IoController::asked(const npu::Delivery& delivery, IoTag tag) {
  WEFT_CHECK(delivery.data != nullptr && delivery.bytes == sizeof(IoRequest),
             "an I/O controller was asked without saying for what");
  const IoRequest request = to_request(delivery.data);
  waiting_.push_back({tag, delivery.src, request.bytes, 0});
  network_.schedule(plan_.config().memory.latency_cycles, kReady);
}

void IoController::on_timer(std::uint64_t cookie) {
  switch (static_cast<Timer>(npu::without_owner(cookie))) {
    case kReady: {
      const Load load = waiting_.front();
      waiting_.pop_front();
      ++figures_.loads;
      figures_.bytes_in += load.bytes;
      if (plan_.is_fred()) return send_whole(load);
      loads_.push_back(load);
      if (!bringing_) bring_next();
      return;
    }
    case kBrought: {
      bringing_ = false;
      Load& load = loads_.front();
      const std::uint64_t bytes = std::min(plan_.config().npu.packet_bytes, load.bytes - load.brought);
      brought_.push_back(data_message(load, bytes));
      load.brought += bytes;
      if (load.brought == load.bytes) loads_.pop_front();
      return hand_over();
    }
    case kTaken: {
      const Store store = taking_.front();
      taking_.pop_front();
      return confirm(store);
    }
  }
  WEFT_CHECK(false, "an I/O controller has got a timer that it did not set");
}

npu::Message IoController::data_message(const Load& load, std::uint64_t bytes) {
  npu::Message message;
  message.tag = for_npu(load.tag);
  message.bytes = bytes;
  message.message_class = site().data_class;
  message.dst = load.asker;
  if (load.tag.grouped) {
    const npu::CommGroup& group = plan_.group(load.tag.who);
    message.switch_flow = plan_.load_flow(number_, group);
    message.flow = message.switch_flow != kNoFlow;
    message.multicast = !message.flow;
    message.stripe = stripe_;
    stripe_ += static_cast<std::uint32_t>(plan_.shares().packets(bytes));
  }
  return message;
}

// At a switch the controller's own link is the line.
void IoController::send_whole(const Load& load) { network_.send(data_message(load, load.bytes)); }

// There is room for one packet beside the one that is on its way into the fabric: the line stands while both are taken.
void IoController::bring_next() {
  if (loads_.empty() || bringing_ || !brought_.empty()) return;
  const Load& load = loads_.front();
  const std::uint64_t bytes = std::min(plan_.config().npu.packet_bytes, load.bytes - load.brought);
  bringing_ = true;
  const Cycle now = network_.now();
  network_.schedule(in_.carry(plan_.flits_of(bytes), now) - now, kBrought);
}

void IoController::hand_over() {
  if (sending_ || brought_.empty()) return;
  sending_ = true;
  sent_ = network_.send(brought_.front());
  brought_.pop_front();
  bring_next();
}

void IoController::on_sent(npu::MessageId id) {
  if (!sending_ || id != sent_) return;
  sending_ = false;
  hand_over();
}

void IoController::confirm(const Store& store) {
  npu::Message message;
  message.tag = for_npu(store.tag);
  message.message_class = plan_.control_class();
  if (!store.tag.grouped) {
    message.dst = store.sender;
    network_.send(message);
    return;
  }
  for (const NodeId node : plan_.group(store.tag.who).nodes) {
    message.dst = node;
    network_.send(message);
  }
}

}  // namespace weft::wafer
