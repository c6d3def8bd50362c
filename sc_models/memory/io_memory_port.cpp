// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_memory_port.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "mem/access_check.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {

IoMemoryPort::IoMemoryPort(const IoPlan& plan, RankId rank, npu::NetworkInterface& network, npu::MemoryDone done,
                           mem::TensorAllocator* allocator, bool goes_on)
    : plan_(plan),
      rank_(rank),
      network_(network),
      done_(std::move(done)),
      goes_on_(goes_on),
      unit_(plan.shares(), plan.config().memory.pieces, rank, *this, allocator) {}

void IoMemoryPort::start(const npu::MemoryOrder& order) {
  mem::LoadStore load_store;
  load_store.handle = order.handle;
  load_store.name = order.name;
  load_store.store = order.store;
  load_store.bytes = order.bytes;
  load_store.instance = order.instance;
  load_store.owner = {false, index(rank_)};
  if (order.group != nullptr) {
    load_store.owner = {true, order.group->number};
    load_store.members = order.group->nodes.size();
    load_store.first_member = order.group->nodes.front() == network_.node();
  }
  unit_.start(load_store);
}

npu::Message IoMemoryPort::message_to_controller(mem::IoTag tag) const {
  npu::Message message;
  message.dst = plan_.sites()[tag.controller].node;
  message.tag = for_controller(tag);
  return message;
}

void IoMemoryPort::ask(mem::IoTag tag, std::uint64_t bytes) {
  npu::Message message = message_to_controller(tag);
  message.message_class = plan_.control_class();
  message.payload = to_payload(mem::IoRequest{bytes});
  message.bytes = message.payload->size();
  send(message);
}

void IoMemoryPort::store(mem::IoTag tag, std::uint64_t bytes, std::uint32_t stripe) {
  npu::Message message = message_to_controller(tag);
  const npu::CommGroup* group = tag.grouped ? &plan_.group(tag.who) : nullptr;
  message.message_class = plan_.store_class(group);
  message.bytes = bytes;
  if (group != nullptr) {
    message.switch_flow = plan_.store_flow(tag.controller, *group);
    message.flow = message.switch_flow != kNoFlow;
    message.stripe = stripe;
  }
  send(message);
}

void IoMemoryPort::report_room(mem::IoTag tag) {
  npu::Message message;
  message.dst = plan_.group(tag.who).nodes.front();
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  send(message);
}

void IoMemoryPort::on_data(const npu::Delivery& delivery) {
  const mem::IoTag tag = io_tag_of(delivery.tag);
  if (tag.controller == mem::kRoomReport) return unit_.has_room(tag, plan_.group(tag.who).nodes.size());
  if (tag.controller == mem::kRefusalReport) return refused(tag, from_payload<mem::IoRefusal>(delivery.data));
  unit_.arrived(tag, delivery.bytes);
}

void IoMemoryPort::refused(mem::IoTag tag, const mem::IoRefusal& refusal) {
  const std::string what = unit_.refused(tag);
  if (goes_on_) return;
  throw ViolationError(fmt::format(
      "rank {}: {}: {} has refused to {} {} bytes at {:#x} of the pool: {} (grants of {}; access.on_refused: continue "
      "goes on)",
      index(rank_), what, plan_.sites()[refusal.controller].name, tag.store ? "write" : "read", refusal.bytes,
      refusal.address, mem::reason_name(static_cast<mem::Reason>(refusal.reason)), plan_.config().memory.pool));
}

bool IoMemoryPort::on_sent(npu::MessageId id) {
  const auto found = open_messages_.find(id);
  if (found == open_messages_.end()) return false;
  open_messages_.erase(found);
  return true;
}

bool IoMemoryPort::put_message(StateForm& form, npu::MessageId id) {
  const auto found = open_messages_.find(id);
  if (found == open_messages_.end()) return false;
  form.same(static_cast<std::uint64_t>(found->second));
  return true;
}

void IoMemoryPort::on_timer(std::uint64_t /*cookie*/) { WEFT_CHECK(false, "a port to I/O controllers has no timers"); }

}  // namespace weft::sc_models
