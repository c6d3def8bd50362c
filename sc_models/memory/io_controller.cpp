// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_controller.h"

#include <algorithm>

#include "base/error.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {

IoController::IoController(const IoPlan& plan, std::uint32_t number, npu::NetworkInterface& network)
    : plan_(plan),
      number_(number),
      network_(network),
      in_(plan.config().fabric.border_io.rate),
      out_(plan.config().fabric.border_io.rate),
      pool_client_(plan.config().npu.packet_bytes) {
  network.attach(*this);
}

void IoController::on_data(const npu::Delivery& delivery) {
  const mem::IoTag tag = io_tag_of(delivery.tag);
  if (!tag.store) return asked(delivery, tag);
  figures_.bytes_out += delivery.bytes;
  const Cycle now = network_.now();
  const Cycle taken = plan_.own_nodes() ? now : out_.carry(plan_.flits_of(delivery.bytes), now);
  if (delivery.last) ++figures_.stores;
  if (!delivery.last && !has_pool()) return;
  taking_.push_back({tag, delivery.src, delivery.offset, delivery.bytes, delivery.last});
  network_.schedule(taken - now, kTaken);
}

void IoController::asked(const npu::Delivery& delivery, mem::IoTag tag) {
  WEFT_CHECK(delivery.data != nullptr && delivery.bytes == sizeof(mem::IoRequest),
             "an I/O controller was asked without saying for what");
  const mem::IoRequest request = from_payload<mem::IoRequest>(delivery.data);
  Load load;
  load.tag = tag;
  load.asker = delivery.src;
  load.bytes = request.bytes;
  if (has_pool()) {
    load.number = pool_client_.load(tag, load.asker, load.bytes);
    pooled_.emplace(load.number, load);
    return;
  }
  load.ready = load.bytes;
  waiting_.push_back(load);
  network_.schedule(plan_.config().memory.latency_cycles, kReady);
}

void IoController::on_timer(std::uint64_t cookie) {
  switch (static_cast<Timer>(npu::without_owner(cookie))) {
    case kReady: {
      const Load load = waiting_.front();
      waiting_.pop_front();
      return begin(load);
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
      return taken(store);
    }
    case kAnswered:
      return hear_pool();
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

// The first bytes of a load are here.
void IoController::begin(Load load) {
  ++figures_.loads;
  figures_.bytes_in += load.bytes;
  if (!plan_.own_nodes()) {
    loads_.push_back(load);
    return bring_next();
  }
  load.message = send_whole(load);
  if (load.ready < load.bytes) pooled_[load.number] = load;
}

// At a switch the controller's own link is the line.
npu::MessageId IoController::send_whole(const Load& load) {
  return network_.send(data_message(load, load.bytes), load.ready);
}

// There is room for one packet beside the one that is on its way into the fabric: the line stands while both are taken.
void IoController::bring_next() {
  if (loads_.empty() || bringing_ || !brought_.empty()) return;
  const Load& load = loads_.front();
  const std::uint64_t bytes = std::min(plan_.config().npu.packet_bytes, load.bytes - load.brought);
  if (load.ready < load.brought + bytes) return;
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

// The line has taken a packet of a store.
void IoController::taken(const Store& store) {
  if (!has_pool()) return confirm(store.tag, store.sender);
  pool_client_.store(store.tag, store.sender, store.offset, store.bytes, store.last);
}

void IoController::hear_pool() {
  for (const mem::PoolAnswer& answer : pool_client_.take_answers()) {
    const mem::PoolProgress progress = pool_client_.apply(answer);
    if (progress.refusal != nullptr) send_refusal(progress);
    if (!progress.tag.store) {
      go_on(progress);
    } else if (progress.ended) {
      confirm(progress.tag, progress.peer);
    }
  }
}

// More of a load is here.
void IoController::go_on(const mem::PoolProgress& progress) {
  const auto found = pooled_.find(progress.share);
  if (found != pooled_.end() && found->second.ready == 0) {
    if (progress.ready == 0) return;
    Load load = found->second;
    pooled_.erase(found);
    load.ready = progress.ready;
    return begin(load);
  }
  if (found != pooled_.end()) {
    Load& load = found->second;
    if (progress.ready > load.ready) network_.release(load.message, progress.ready - load.ready);
    load.ready = progress.ready;
    if (load.ready == load.bytes) pooled_.erase(found);
    return;
  }
  for (Load& load : loads_) {
    if (load.number == progress.share) load.ready = progress.ready;
  }
  bring_next();
}

// Who has asked, or sent, hears of the first packet of its share that was refused.
void IoController::send_refusal(const mem::PoolProgress& progress) {
  npu::Message message;
  mem::IoTag tag = progress.tag;
  tag.controller = mem::kRefusalReport;
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  message.dst = tag.grouped ? plan_.group(tag.who).nodes.front() : progress.peer;
  message.payload = to_payload(mem::IoRefusal{progress.refusal->address, progress.refusal->bytes, number_,
                                              static_cast<std::uint32_t>(progress.refusal->refused)});
  message.bytes = message.payload->size();
  network_.send(message);
}

void IoController::confirm(mem::IoTag tag, NodeId sender) {
  npu::Message message;
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  if (!tag.grouped) {
    message.dst = sender;
    network_.send(message);
    return;
  }
  for (const NodeId node : plan_.group(tag.who).nodes) {
    message.dst = node;
    network_.send(message);
  }
}

}  // namespace weft::sc_models
