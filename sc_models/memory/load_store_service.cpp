// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/load_store_service.h"

#include "base/error.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

mem::LoadStoreServerSpec spec_of(const IoPlan& plan, std::uint32_t number) {
  const Config& config = plan.config();
  mem::LoadStoreServerSpec spec;
  spec.number = number;
  spec.packet_bytes = config.npu.packet_bytes;
  spec.flit_bytes = config.fabric.flit_bytes;
  spec.piece_bytes = plan.shares().piece_bytes;
  spec.latency = config.memory.latency_cycles;
  spec.has_pool = !config.memory.pool.empty();
  spec.has_line = !plan.own_nodes();
  spec.line_rate = config.fabric.io.rate;
  return spec;
}

}  // namespace

LoadStoreService::LoadStoreService(const IoPlan& plan, std::uint32_t number, IoController& controller)
    : plan_(plan), number_(number), controller_(controller), server_(spec_of(plan, number), *this) {
  controller.set_service(*this);
}

void LoadStoreService::on_data(const npu::Delivery& delivery) {
  const mem::IoTag tag = io_tag_of(delivery.tag);
  if (tag.store) return server_.stored(tag, delivery.src, delivery.offset, delivery.bytes, delivery.last);
  WEFT_CHECK(delivery.data != nullptr && delivery.bytes == sizeof(mem::IoRequest),
             "an I/O controller was asked without saying for what");
  server_.asked(tag, delivery.src, from_payload<mem::IoRequest>(delivery.data).bytes);
}

void LoadStoreService::on_timer(std::uint64_t cookie) {
  server_.on_timer(static_cast<mem::LoadStoreServer::Timer>(cookie));
}

void LoadStoreService::put_state(StateForm& form) {
  server_.put_state(form, for_npu);
  form.same(stripe_ % static_cast<std::uint32_t>(plan_.config().fabric.fred.planes));
}

void LoadStoreService::schedule(Cycle delay, mem::LoadStoreServer::Timer timer) {
  controller_.schedule(delay, static_cast<std::uint64_t>(timer));
}

npu::Message LoadStoreService::data_message(const mem::LoadStoreServer::Part& part) {
  npu::Message message;
  message.tag = for_npu(part.tag);
  message.bytes = part.bytes;
  message.message_class = site().data_class;
  message.dst = part.asker;
  if (part.tag.grouped) {
    const npu::CommGroup& group = plan_.group(part.tag.who);
    message.switch_flow = plan_.load_flow(number_, group);
    message.flow = message.switch_flow != kNoFlow;
    message.multicast = !message.flow;
    message.stripe = stripe_;
    stripe_ += static_cast<std::uint32_t>(plan_.shares().packets(part.bytes));
  }
  return message;
}

// At a switch the controller's own link is the line.
std::uint64_t LoadStoreService::send(const mem::LoadStoreServer::Part& share, std::uint64_t ready) {
  return index(controller_.send(data_message(share), ready));
}

void LoadStoreService::release(std::uint64_t number, std::uint64_t bytes) {
  controller_.release(npu::MessageId(static_cast<std::uint32_t>(number)), bytes);
}

void LoadStoreService::refuse(mem::IoTag tag, NodeId peer, const mem::IoRefusal& refusal) {
  npu::Message message;
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  message.dst = tag.grouped ? plan_.group(tag.who).nodes.front() : peer;
  message.payload = to_payload(refusal);
  message.bytes = message.payload->size();
  controller_.send(message);
}

void LoadStoreService::confirm(mem::IoTag tag, NodeId sender) {
  npu::Message message;
  message.tag = for_npu(tag);
  message.message_class = plan_.control_class();
  if (!tag.grouped) {
    message.dst = sender;
    controller_.send(message);
    return;
  }
  for (const NodeId node : plan_.group(tag.who).nodes) {
    message.dst = node;
    controller_.send(message);
  }
}

}  // namespace weft::sc_models
